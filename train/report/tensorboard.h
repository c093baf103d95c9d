#pragma once
// Writes what metrics.jsonl says into a TensorBoard event file as well, for those who have it open.
// `tensorboard --logdir RUN` finds the file; each resumption of a run adds one.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace calque {

class TensorBoardWriter {
 public:
  // Starts a new event file in `folder` (made if need be) for a run that begins or goes on at
  // `first_step`. Throws Error, as everything here, when the file cannot be written.
  TensorBoardWriter(const std::filesystem::path& folder, int64_t first_step);

  void scalar(std::string_view tag, int64_t step, double value);
  void text(std::string_view tag, int64_t step, std::string_view markdown);

  // Everything in one line of metrics.jsonl: numbers as scalars named train/loss, valid/bleu, ...,
  // samples and events as text. A line that is no metrics record is a Misuse.
  void record(std::string_view metrics_line);

  // Hands what was written to the system. Called by record().
  void flush();

  const std::filesystem::path& file() const { return file_; }

 private:
  void write(std::string_view event);

  std::filesystem::path file_;
  std::ofstream out_;
};

}  // namespace calque
