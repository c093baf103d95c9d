// Real runs, each with one of the faults that a run names, and a healthy one.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "train/trainer_fixture.h"

using namespace calque;

namespace {

// The faults in metrics.jsonl, in order, each with a space after it.
std::string faults(const TemporaryFolder& folder) {
  std::istringstream lines(folder.read("run/metrics.jsonl"));
  std::string names;
  for (std::string line; std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line);
    if (record["kind"] == "finding") names += record["fault"].get<std::string>() + ' ';
  }
  return names;
}

std::vector<std::string> with(std::vector<std::string> settings) {
  for (const char* usual :
       {"training.schedule=auto", "training.learning_rate=0", "training.warmup_steps=4000",
        "training.until=400u", "training.validate_every=100u", "training.save_every=400u",
        "logging.every=5"}) {
    settings.insert(settings.begin(), usual);
  }
  return settings;
}

std::string word(int i) { return std::string(1, static_cast<char>('a' + i % 20)); }

// Pairs whose target is made from the words of the source.
template <class Target>
std::string write_pairs(const TemporaryFolder& folder, const char* name, int first, int count,
                        Target target) {
  std::string sources, targets;
  for (int i = first; i < first + count; ++i) {
    const std::vector<std::string> words = {word(i), word(7 * i + 3), word(i / 2), word(3 * i)};
    for (const std::string& w : words) sources += w + ' ';
    sources.back() = '\n';
    targets += target(words) + '\n';
  }
  return "{source: " + folder.write(std::string(name) + ".from", sources) +
         ", target: " + folder.write(std::string(name) + ".to", targets) + "}";
}

std::string capitals(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& w : words) text += static_cast<char>(w[0] - 'a' + 'A') + std::string(" ");
  text.pop_back();
  return text;
}

std::string copied(const std::vector<std::string>& words) {
  return words[0] + ' ' + words[1] + ' ' + words[2] + ' ' + words[3];
}

std::string repeated(const std::vector<std::string>& words) {
  const std::string capital(1, static_cast<char>(words[0][0] - 'a' + 'A'));
  return capital + ' ' + capital + ' ' + capital + ' ' + capital;
}

}  // namespace

TEST_CASE("a healthy run names no fault") {
  const TemporaryFolder folder;
  const std::string train = write_pairs(folder, "train", 0, 400, capitals);
  const std::string other = write_pairs(folder, "other", 1000, 50, capitals);
  run(folder, with({"data.train=" + train, "data.validation=" + other, "tokenizer.joint=true",
                    "training.validate_translate=greedy", "training.clip_norm=1",
                    "training.learning_rate=0.01"}));
  CHECK(faults(folder) == "");
  CHECK(folder.read("run/train.log").find("unlike") == std::string::npos);
  CHECK(folder.read("run/train.log").find("splits") == std::string::npos);
}

TEST_CASE("a run whose learning rate is too high says so once") {
  const TemporaryFolder folder;
  run(folder, with({"training.learning_rate=3", "training.divergence_factor=0"}));
  CHECK(faults(folder) == "learning rate too high ");
  const std::string log = folder.read("run/train.log");
  CHECK(log.find("warning: the learning rate is too high: the training loss") != std::string::npos);
}

TEST_CASE("a run whose learning rate is too low says so, also without validation") {
  const TemporaryFolder folder;
  run(folder, with({"training.learning_rate=0.0001", "data.validation=[]"}));
  CHECK(faults(folder) == "learning rate too low ");
}

TEST_CASE("a run that clips nearly every gradient says so") {
  const TemporaryFolder folder;
  run(folder, with({"training.clip_norm=0.01"}));
  CHECK(faults(folder) == "clipping ");
}

TEST_CASE("a run that over-fits says so") {
  const TemporaryFolder folder;
  int seed = 0;
  const auto unrelated = [&](const std::vector<std::string>&) {
    seed += 7;
    return capitals({word(seed), word(seed * seed / 3), word(seed / 2), word(seed * 5 / 3)});
  };
  const std::string train = write_pairs(folder, "train", 0, 30, unrelated);
  const std::string other = write_pairs(folder, "other", 1000, 30, unrelated);
  run(folder,
      with({"data.train=" + train, "data.validation=" + other, "model.dropout=0",
            "model.d_model=32", "training.validate_every=40u", "training.learning_rate=0.01"}));
  CHECK(faults(folder) == "over-fitting ");
}

TEST_CASE("a run whose translations copy the source says so") {
  const TemporaryFolder folder;
  const std::string train = write_pairs(folder, "train", 0, 400, copied);
  const std::string other = write_pairs(folder, "other", 1000, 50, capitals);
  run(folder, with({"data.train=" + train, "data.validation=" + other, "tokenizer.joint=true",
                    "training.validate_translate=greedy", "training.learning_rate=0.02"}));
  CHECK(faults(folder).find("copying ") != std::string::npos);
  CHECK(faults(folder).find("repeating ") == std::string::npos);
}

TEST_CASE("a run whose translations repeat a phrase says so") {
  const TemporaryFolder folder;
  const std::string train = write_pairs(folder, "train", 0, 400, repeated);
  const std::string other = write_pairs(folder, "other", 1000, 50, capitals);
  run(folder, with({"data.train=" + train, "data.validation=" + other,
                    "training.validate_translate=greedy"}));
  CHECK(faults(folder).find("repeating ") != std::string::npos);
  CHECK(faults(folder).find("copying ") == std::string::npos);
}

TEST_CASE("a run whose validation has source and target the wrong way round says so") {
  const TemporaryFolder folder;
  const std::string train = write_pairs(folder, "train", 0, 400, capitals);
  const std::string files =
      "{source: " + folder.path("train.to") + ", target: " + folder.path("train.from") + "}";
  run(folder, with({"data.train=" + train, "data.validation=" + files, "tokenizer.joint=true",
                    "training.until=5u"}));
  const std::string log = folder.read("run/train.log");
  CHECK(log.find("the source texts of data.validation are unlike") != std::string::npos);
  CHECK(log.find("the target texts of data.validation are unlike") != std::string::npos);
}
