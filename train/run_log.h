#pragma once
// Everything that a run says: metrics.jsonl for programs, train.log and the terminal for people,
// and a TensorBoard file if wanted. On a terminal a progress bar stands below the lines, on stderr.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "train/config/config.h"
#include "train/metrics/metric_info.h"
#include "train/report/records.h"
#include "train/report/tensorboard.h"
#include "train/storage/line_log.h"
#include "train/storage/run_folder.h"

namespace calque {

enum class Loudness { normal, quiet };

class RunLog {
 public:
  // Validations are shown by these metrics.
  RunLog(FileSystem& files, const RunFolder& run, const LoggingConfig& logging,
         std::span<const MetricInfo> metrics, int64_t first_step, Loudness loudness);
  ~RunLog();

  void write(const TrainRecord& record, const std::string& remaining);
  void write(const ValidRecord& record);
  // Something worth knowing: into metrics.jsonl too if it belongs to a step.
  void event(int64_t step, const std::string& text);
  // What ended the run by an error: into the files alone, and into metrics.jsonl only if the run
  // has a checkpoint: without one, that file would stand in the way of another start.
  void ended(int64_t step, const std::string& error, bool has_checkpoint);
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

  std::string line_of(const ValidRecord& record) const;

  LineLog metrics_, log_;
  std::vector<MetricInfo> known_;
  std::optional<TensorBoardWriter> tensorboard_;
  Loudness loudness_;
  bool bar_allowed_, bar_shown_ = false;
};

// 3661 as "1h 1min", 75 as "1min 15s".
std::string duration_text(double seconds);

}  // namespace calque
