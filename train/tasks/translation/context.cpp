#include "train/tasks/translation/context.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/files/content_hash.h"
#include "data/terms/term_marks.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/translation/synthetic/rewritten.h"

namespace calque {
namespace {

// Where the sentence begins.
size_t sentence_begin(std::string_view text) {
  const size_t mark = text.rfind(context_mark);
  if (mark == text.npos) return 0;
  return std::min(text.find_first_not_of(' ', mark + context_mark.size()), text.size());
}

bool ends_document(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }

// The source of a line of a corpus; empty if it is not a sound text.
std::string source_line(const Corpus& corpus, int64_t line) {
  const RowBlock block = corpus.read(line, 1, 1);
  const Line& source = block.row(0)[0];
  return is_text(source) ? std::string(source.text) : "";
}

// Puts the context before the sources of a corpus, whose lines are mostly read in order.
class CorpusContext {
 public:
  CorpusContext(const CorpusSource& source, int64_t most)
      : corpus_(source), most_(most), before_(most) {}

  void change(int64_t line, std::string& source) {
    if (line != next_) return_to(line);
    next_ = line + 1;
    if (!ends_document(source)) source = before_.context() + source;
    before_.add(without_term_marks(sentence_of(source)));
  }

 private:
  void return_to(int64_t line) {
    before_.clear();
    for (int64_t i = std::max<int64_t>(0, line - most_); i < line; ++i) {
      before_.add(without_term_marks(source_line(corpus_, i)));
    }
  }

  const Corpus corpus_;
  const int64_t most_;
  PrecedingSentences before_;
  int64_t next_ = 0;
};

}  // namespace

std::string_view sentence_of(std::string_view text) { return text.substr(sentence_begin(text)); }
std::string_view context_of(std::string_view text) { return text.substr(0, sentence_begin(text)); }

std::string_view shorter_context(std::string_view context) {
  const size_t begin = context.find(context_mark) + context_mark.size();
  return context.substr(std::min(context.find_first_not_of(' ', begin), context.size()));
}

std::string PrecedingSentences::context() const {
  std::string context;
  for (const std::string& each : sentences_) context += fmt::format("{} {} ", each, context_mark);
  return context;
}

std::string PrecedingSentences::with(const std::string& sentence) {
  std::string text = ends_document(sentence) ? sentence : context() + sentence;
  add(sentence);
  return text;
}

void PrecedingSentences::add(std::string_view sentence) {
  if (ends_document(sentence)) return clear();
  sentences_.emplace_back(sentence);
  if (std::ssize(sentences_) > most_) sentences_.pop_front();
}

std::vector<std::string> with_contexts(const std::vector<std::string>& sentences, int64_t most) {
  std::vector<std::string> texts;
  PrecedingSentences before(most);
  for (const std::string& sentence : sentences) texts.push_back(before.with(sentence));
  return texts;
}

std::vector<CorpusSource> with_contexts(const std::vector<CorpusSource>& sources,
                                        const DataConfig& data, const std::string& folder) {
  std::vector<CorpusSource> changed;
  for (const CorpusSource& source : sources) {
    CorpusContext context(source, data.preceding_sentences);
    changed.push_back(rewritten(source,
                                {.name = "context",
                                 .hash = ContentHash().add(data.preceding_sentences).value(),
                                 .invalid = filter_options(data).invalid,
                                 .change = [&](int64_t line, std::string& text,
                                               std::string&) { context.change(line, text); }},
                                folder));
  }
  return changed;
}

CorpusSource with_contexts_in_memory(const CorpusSource& source, const DataConfig& data) {
  if (data.preceding_sentences == 0) return source;
  constexpr int64_t rows_at_once = 10'000, bytes_at_once = 4 << 20;
  const Corpus corpus(source);
  CorpusContext context(source, data.preceding_sentences);
  std::vector<Row> rows;
  for (int64_t first = 0; first < corpus.size();) {
    const RowBlock block = corpus.read(first, rows_at_once, bytes_at_once);
    for (int64_t i = 0; i < block.rows(); ++i, ++first) {
      const auto row = block.row(i);
      std::string text(row[0].text);
      if (is_text(row[0])) context.change(first, text);
      rows.push_back({std::move(text), std::string(row[1].text)});
    }
  }
  return {in_memory(corpus.name(), std::move(rows)), source.share};
}

}  // namespace calque
