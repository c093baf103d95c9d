#include "train/tasks/translation/word_links.h"

#include <algorithm>
#include <map>

#include "data/markup/marked_text.h"
#include "data/markup/text_words.h"
#include "decode/alignment.h"

namespace calque {
namespace {

// A text as a model reads it, with names in place of kept parts, and its words.
struct ReadText {
  std::string text;
  std::vector<TextRange> words;
};

// `names` has a number for each kept part, which it gets in the order of the source.
ReadText read_text(std::string_view text, std::map<size_t, size_t>& names) {
  ReadText read;
  size_t at = 0;
  for (const TextRange& word : text_words(text)) {
    read.text += text.substr(at, word.begin - at);
    const size_t begin = read.text.size();
    if (const auto number = number_of_kept(word.of(text))) {
      const size_t name = names.emplace(*number, names.size() + 1).first->second;
      read.text += "X" + std::to_string(name);
    } else {
      read.text += word.of(text);
    }
    read.words.push_back({begin, read.text.size()});
    at = word.end;
  }
  return read;
}

struct WordTokens {
  std::vector<int32_t> ids;
  std::vector<TextRange> places;  // of each token, in the text
};

// The tokens of a part without white space. Where a token is follows from how long the text of the
// tokens before it is; a long part is divided evenly.
void add_tokens(const Tokenizer& tokenizer, const std::string& text, TextRange part,
                WordTokens& tokens) {
  constexpr size_t most_decoded = 64;
  const std::string read = (part.begin > 0 ? " " : "") + std::string(part.of(text));
  const std::vector<int32_t> ids = tokenizer.encode(read);
  std::vector<size_t> ends;
  for (size_t k = 1; k <= ids.size(); ++k) {
    if (ids.size() > most_decoded) {
      ends.push_back(k);
      continue;
    }
    const std::string decoded = tokenizer.decode(std::span(ids).first(k));
    ends.push_back(decoded.size() - (decoded.starts_with(' ') ? 1 : 0));
  }
  const size_t size = part.end - part.begin, whole = ends.empty() ? 0 : ends.back();
  size_t begin = part.begin;
  for (size_t k = 0; k < ids.size(); ++k) {
    const size_t end = whole == 0 ? part.end : part.begin + ends[k] * size / whole;
    tokens.ids.push_back(ids[k]);
    tokens.places.push_back({begin, std::max(begin, std::min(end, part.end))});
    begin = tokens.places.back().end;
  }
}

WordTokens word_tokens(const Tokenizer& tokenizer, const std::string& text) {
  WordTokens tokens;
  for (size_t at = text.find_first_not_of(' '); at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    add_tokens(tokenizer, text, {at, end}, tokens);
    at = text.find_first_not_of(' ', end);
  }
  return tokens;
}

// The words that a token has a part of.
std::vector<int32_t> words_at(const std::vector<TextRange>& words, TextRange place) {
  std::vector<int32_t> found;
  auto word = std::ranges::upper_bound(words, place.begin, {}, &TextRange::end);
  for (; word != words.end() && word->begin < std::max(place.end, place.begin + 1); ++word) {
    found.push_back(static_cast<int32_t>(word - words.begin()));
  }
  return found;
}

bool can_attend(const TranslationRun& run, const WordTokens& from, const WordTokens& to) {
  constexpr int64_t most_weights = 1 << 20;  // of one head
  const int64_t sources = std::ssize(from.ids) + std::ssize(run.tokenizers.before_source);
  const int64_t targets = std::ssize(to.ids);
  const int64_t positions = run.model().learned_positions();
  return !from.ids.empty() && targets > 0 && sources * targets <= most_weights &&
         (positions == 0 || std::max(sources, targets) < positions);
}

}  // namespace

bool aligns_words(const TranslationRun& run) {
  const RecurrentTranslator* recurrent = run.model().recurrent();
  return !recurrent || recurrent->decoder.score != ScoreKind::none;
}

std::vector<WordLink> attended_links(const TranslationRun& run, std::string_view source,
                                     std::string_view target) {
  std::map<size_t, size_t> names;
  const ReadText from = read_text(source, names), to = read_text(target, names);
  const WordTokens read = word_tokens(run.tokenizers.source, from.text);
  const WordTokens written = word_tokens(run.tokenizers.target, to.text);
  if (!can_attend(run, read, written)) return even_links(from.words.size(), to.words.size());
  const std::vector<int32_t> attended =
      attended_source_tokens(run.model(), {read.ids}, {written.ids}, run.tokenizers.before_source)
          .front();
  std::vector<WordLink> links;
  for (size_t t = 0; t < attended.size(); ++t) {
    const TextRange& place = read.places[static_cast<size_t>(attended[t])];
    const std::vector<int32_t> sources = words_at(from.words, place);
    for (const int32_t word : words_at(to.words, written.places[t])) {
      for (const int32_t each : sources) links.push_back({each, word});
    }
  }
  return links;
}

}  // namespace calque
