#pragma once
// Everything that a run says: metrics.jsonl for programs, train.log and the terminal for people,
// and a TensorBoard file if wanted. On a terminal a progress bar stands below the lines, on stderr.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "train/config/config.h"
#include "train/evaluation.h"
#include "train/report/tensorboard.h"
#include "train/run_folder.h"
#include "train/storage/line_log.h"

namespace calque {

struct TrainRecord {
  int64_t step = 0;
  double epoch = 0;
  TokenScores scores;
  double learning_rate = 0;
  double gradient_norm = 0;
  int64_t tokens = 0;  // target tokens since the beginning
  // By the clock.
  double seconds = 0;            // trained since the beginning
  double tokens_per_second = 0;  // source and target, since the last record
  double sgemm_share = 0;        // useful work, of the machine's best rate of float32 products
  double wait_share = 0;         // of the time, spent waiting for data
  double memory_mb = 0;
};

struct ValidRecord {
  struct Sample {
    std::string source, reference, output;
  };
  int64_t step = 0;
  double epoch = 0;
  TokenScores scores;
  std::optional<double> exact, bleu, chrf;  // exact: a share of 1; the others of 100
  std::vector<Sample> samples;
  double seconds = 0;
};

enum class Loudness { normal, quiet };

class RunLog {
 public:
  RunLog(FileSystem& files, const RunFolder& run, const LoggingConfig& logging, int64_t first_step,
         Loudness loudness);
  ~RunLog();

  void write(const TrainRecord& record, const std::string& remaining);
  void write(const ValidRecord& record);
  // Something worth knowing: into metrics.jsonl too if it belongs to a step.
  void event(int64_t step, const std::string& text);
  // What ended the run by an error: into the files alone.
  void ended(int64_t step, const std::string& error);
  void say(const std::string& line);  // to people only
  // Something that went wrong and that training goes on without: to stderr, however quiet.
  void problem(const std::string& text);

  // Redraws the bar: a share of the whole, and what stands beside it.
  void progress(double share, const std::string& text);

  // Puts the files on the disk.
  void sync();
  // The end, where a file system may say for the first time that it could not keep the lines, and
  // where those that never reached the disk are told.
  void close();

 private:
  void metrics(const std::string& json);
  void complain(const std::optional<std::string>& text);
  void clear_bar();

  LineLog metrics_, log_;
  std::optional<TensorBoardWriter> tensorboard_;
  Loudness loudness_;
  bool bar_allowed_, bar_shown_ = false;
};

// 3661 as "1h 1min", 75 as "1min 15s".
std::string duration_text(double seconds);

}  // namespace calque
