#pragma once
// The paths in a run's folder.

#include <string>

namespace calque {

struct RunFolder {
  std::string path;

  std::string config() const { return path + "/config.yaml"; }
  std::string log() const { return path + "/train.log"; }
  std::string metrics() const { return path + "/metrics.jsonl"; }
  std::string report() const { return path + "/report.html"; }
  std::string profile() const { return path + "/profile.txt"; }
  std::string trace() const { return path + "/trace.json"; }
  std::string cache() const { return path + "/cache"; }
  std::string tensorboard() const { return path + "/tensorboard"; }
  std::string checkpoints() const { return path + "/checkpoints"; }
  // For tasks with classes: one label per line, in the order of the classes.
  std::string labels() const { return path + "/labels.txt"; }
  // For translators: the abbreviations and sentence starters of the source texts.
  std::string sentences() const { return path + "/sentences.txt"; }
  // For translators: how the probabilities of tokens become the confidence of words.
  std::string confidence() const { return path + "/confidence.json"; }
  // For translators: the target tokens that a search chooses from.
  std::string shortlist() const { return path + "/shortlist.txt"; }
  // For tasks on images: the size of the images and the statistics of their pixels.
  std::string images() const { return path + "/images.txt"; }
  // Without the extension, which depends on the kind of tokenizer.
  std::string tokenizer() const { return path + "/tokenizer"; }
};

// runs/toy for configs/toy.yaml.
std::string default_run_folder(const std::string& config_path);
// The path without trailing slashes.
std::string without_slash(std::string path);
// The first of PATH, PATH-2, PATH-3, ... that does not exist.
std::string unused_run_folder(const std::string& path);

}  // namespace calque
