// Files with markup: with its own texts a file is written again byte by byte, and other
// translations get every tag once. XLIFF that is filled can be read again.

#include "data/markup/markup_file.h"
#include "data/markup/tag_placement.h"
#include "data/markup/text_words.h"
#include "data/sentences/splitter.h"
#include "fuzz/memory_file.h"

using namespace calque;

namespace {

void check(const std::string& text, MarkupKind kind) {
  auto file = accepted([&] { return MarkupFile(text, kind, "x"); });
  if (!file) return;
  const SentenceSplitter splitter("en");
  std::vector<MarkedText> same, others;
  for (const MarkupText& each : file->texts()) {
    const std::vector<TextRange> ranges = splitter.split(each.text.text);
    const std::vector<MarkedText> sentences = marked_sentences(each.text, ranges);
    same.push_back(with_marked_sentences(each.text, ranges, sentences));
    must(same.back() == each.text);
    std::vector<MarkedText> translated;
    for (const MarkedText& sentence : sentences) {
      const size_t words = text_words(sentence.text).size();
      translated.push_back(
          with_placed_tags(sentence, "one, <two> *three* & [four]", even_links(words, 11)));
      must(translated.back().tags.size() == sentence.tags.size());
    }
    others.push_back(with_marked_sentences(each.text, ranges, translated));
  }
  if (kind != MarkupKind::xliff) {
    must(file->with(same) == text);
    file->with(others);
    return;
  }
  file->change_language("", "de", "x");
  must(accepted([&] { return MarkupFile(file->with(others), kind, "x"); }).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(text_of(data, size));
  for (const MarkupKind kind : {MarkupKind::html, MarkupKind::xhtml, MarkupKind::markdown,
                                MarkupKind::srt, MarkupKind::vtt, MarkupKind::xliff}) {
    check(text, kind);
  }
  return 0;
}
