#include "train/tasks/translation/synthetic/corpus.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "core/error.h"
#include "data/files/content_hash.h"
#include "train/tasks/translation/synthetic/files.h"

namespace calque {
namespace {

using Clock = std::chrono::steady_clock;

// The lines of a part. They are translated together, as calque translate does with its default
// --buffer, and sums of other batches may round otherwise.
constexpr int64_t part_lines = 2000;

std::vector<std::string> read_lines(const SyntheticCorpus& corpus, const Corpus& input,
                                    int64_t first, SyntheticCounts& counts) {
  constexpr int64_t bytes_at_once = 4 << 20;
  const int64_t end = std::min(input.size(), first + part_lines);
  std::vector<std::string> lines;
  while (first < end) {
    const RowBlock block = input.read(first, end - first, bytes_at_once);
    for (int64_t i = 0; i < block.rows(); ++i) {
      const Line& line = block.row(i)[0];
      if (corpus.invalid == InvalidText::error) require_text(line, input.where(first + i, 0));
      const bool sound = is_text(line);
      if (!sound) ++counts.invalid;
      lines.emplace_back(sound ? line.text : "");
    }
    first += block.rows();
  }
  counts.lines = std::ssize(lines);
  return lines;
}

SyntheticPart make_part(const SyntheticCorpus& corpus, const Corpus& input, int64_t first,
                        const Teacher& teacher) {
  using enum TeacherOutput::Outcome;
  SyntheticPart part;
  std::vector<std::string> lines = read_lines(corpus, input, first, part.counts);
  std::vector<TeacherOutput> outputs = teacher.translate(lines, first);
  for (size_t i = 0; i < lines.size(); ++i) {
    const TeacherOutput::Outcome outcome = outputs[i].outcome;
    part.counts.empty += outcome == empty ? 1 : 0;
    part.counts.too_long += outcome == too_long ? 1 : 0;
    part.counts.unfinished += outcome == unfinished ? 1 : 0;
    if (outcome != translated) continue;
    std::string& source = corpus.reversed ? outputs[i].text : lines[i];
    std::string& target = corpus.reversed ? lines[i] : outputs[i].text;
    part.pairs.emplace_back(corpus.tag + source, std::move(target));
  }
  part.counts.empty -= part.counts.invalid;  // these became empty lines
  part.counts.pairs = std::ssize(part.pairs);
  return part;
}

// Says how far the work is, from time to time.
class Progress {
 public:
  Progress(std::string name, int64_t lines, const std::function<void(const std::string&)>& say)
      : name_(std::move(name)), lines_(lines), say_(say) {}

  void made(int64_t lines, int64_t now) {
    made_ += lines;
    const auto seconds = [](Clock::duration time) {
      return std::chrono::duration<double>(time).count();
    };
    if (!say_ || seconds(Clock::now() - said_) < 10) return;
    said_ = Clock::now();
    say_(fmt::format("{}: {} of {} lines, {:.0f} lines/s", name_, now, lines_,
                     static_cast<double>(made_) / seconds(said_ - start_)));
  }

 private:
  const std::string name_;
  const int64_t lines_;
  const std::function<void(const std::string&)>& say_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point said_ = start_;
  int64_t made_ = 0;  // since the start
};

void make_parts(const SyntheticCorpus& corpus, const Corpus& input, const Teacher& teacher,
                const SyntheticFiles& files, const std::function<void(const std::string&)>& say) {
  const std::string name = fmt::format("{} of {}", corpus.name, input.name());
  if (say) say(fmt::format("{}: {} lines to translate", name, input.size()));
  Progress progress(name, input.size(), say);
  for (int64_t first = 0; first < input.size(); first += part_lines) {
    const int64_t number = first / part_lines;
    if (files.part(number)) continue;
    const SyntheticPart part = make_part(corpus, input, first, teacher);
    files.write(number, part);
    progress.made(part.counts.lines, first + part.counts.lines);
  }
}

}  // namespace

void SyntheticCounts::add(const SyntheticCounts& other) {
  lines += other.lines;
  pairs += other.pairs;
  empty += other.empty;
  too_long += other.too_long;
  invalid += other.invalid;
  unfinished += other.unfinished;
}

std::string SyntheticCounts::text() const {
  std::vector<std::string> reasons;
  const auto add = [&](int64_t count, const char* reason) {
    if (count > 0) reasons.push_back(fmt::format("{} {}", count, reason));
  };
  add(empty, "empty");
  add(too_long, "too long");
  add(invalid, "not UTF-8");
  add(unfinished, "whose translation has no words or no end");
  return fmt::format("{} lines, dropped: {}", lines,
                     reasons.empty() ? "none" : fmt::format("{}", fmt::join(reasons, ", ")));
}

uint64_t hash_of(const SyntheticCorpus& corpus, const Teacher& teacher) {
  return ContentHash()
      .add(part_lines)
      .add(teacher.hash())
      .add(content_hash(corpus.input))
      .add(corpus.reversed)
      .add_text(corpus.tag)
      .add(corpus.invalid)
      .value();
}

MadeCorpus make_synthetic(const SyntheticCorpus& corpus, const Teacher& teacher,
                          const std::string& folder,
                          const std::function<void(const std::string&)>& say) {
  const SyntheticFiles files(
      fmt::format("{}/{}-{}", folder, corpus.name, hexadecimal(hash_of(corpus, teacher))));
  MadeCorpus made{.pairs = {files.pairs(), corpus.input.share}, .counts = {}};
  if (const auto counts = files.complete()) {
    made.counts = *counts;
    made.from_cache = true;
    return made;
  }
  std::filesystem::create_directories(folder);
  const Corpus input(corpus.input);
  make_parts(corpus, input, teacher, files, say);
  made.counts = files.join((input.size() + part_lines - 1) / part_lines);
  if (made.counts.pairs == 0) fail("{}: {}; nothing is left", input.name(), made.counts.text());
  return made;
}

}  // namespace calque
