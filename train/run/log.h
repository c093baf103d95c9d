#pragma once
// The log of a run: metrics.jsonl for programs, train.log and the terminal for people, and a
// TensorBoard file with logging.tensorboard. A terminal also shows a progress bar, on stderr.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "train/config/config.h"
#include "train/metrics/metric_info.h"
#include "train/report/exports/tensorboard.h"
#include "train/report/records.h"
#include "train/storage/line_log.h"
#include "train/storage/run_folder.h"

namespace calque {

// quiet: no lines on stdout and no progress bar. silent: no output at all, not even to files (ranks
// other than 0).
enum class Loudness { normal, quiet, silent };

class RunLog {
 public:
  // `metrics` are those that the line of a validation may show. `lines` gets what would otherwise
  // be printed.
  RunLog(FileSystem& files, const RunFolder& run, const LoggingConfig& logging,
         std::span<const MetricInfo> metrics, int64_t first_step, Loudness loudness,
         std::function<void(const std::string&)> lines = {});
  ~RunLog();

  void write(const TrainRecord& record, const std::string& remaining);
  void write(const ValidRecord& record);
  void event(int64_t step, const std::string& text);
  void prediction(int64_t step, std::span<const Prediction> predictions);
  void finding(int64_t step, const std::string& fault, const std::string& text);
  // Writes the error that ended the run to train.log and, if the run has a checkpoint, to
  // metrics.jsonl. Lines in metrics.jsonl without a checkpoint would prevent another start.
  void ended(int64_t step, const std::string& error, bool has_checkpoint);
  void say(const std::string& line);  // to train.log and stdout only
  // A problem that does not end training, written to stderr even if quiet.
  void problem(const std::string& text);

  // Redraws the progress bar, with a text beside it.
  void progress(double share, const std::string& text);

  // Syncs metrics.jsonl and train.log to the disk.
  void sync();
  // Closes these two files and reports the lines that could not be written.
  void close();

 private:
  void metrics(const std::string& json);
  void complain(const std::optional<std::string>& text);
  void clear_bar();

  std::string line_of(const ValidRecord& record) const;

  std::optional<LineLog> metrics_, log_;  // absent if silent
  std::vector<MetricInfo> known_;
  std::optional<TensorBoardWriter> tensorboard_;
  Loudness loudness_;
  std::function<void(const std::string&)> lines_;
  bool bar_allowed_, bar_shown_ = false;
};

// 3661 as "1h 1min", 75 as "1min 15s".
std::string duration_text(double seconds);

}  // namespace calque
