#pragma once
// Writes the records of metrics.jsonl to a TensorBoard event file, for `tensorboard --logdir RUN`.
// Each resumption of a run adds a file.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace calque {

class TensorBoardWriter {
 public:
  // Creates an event file in `folder`, which is created if missing, for a run that starts or
  // resumes at `first_step`. The constructor, record() and flush() throw an Error if the file
  // cannot be written.
  TensorBoardWriter(const std::filesystem::path& folder, int64_t first_step);

  void scalar(std::string_view tag, int64_t step, double value);
  void text(std::string_view tag, int64_t step, std::string_view markdown);

  // Writes one line of metrics.jsonl: numbers as scalars named train/loss, valid/bleu, ..., samples
  // and events as text. A line that is not a record is a Misuse.
  void record(std::string_view metrics_line);

  // Passes written events to the system. Called by record().
  void flush();

  const std::filesystem::path& file() const { return file_; }

 private:
  void write(std::string_view event);

  std::filesystem::path file_;
  std::ofstream out_;
};

}  // namespace calque
