#include "data/tokenizers/byte_pair_model.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <functional>
#include <queue>
#include <unordered_map>

#include "core/error.h"
#include "data/files/file.h"
#include "data/text/byte_glyphs.h"
#include "data/text/code_points.h"
#include "data/text/nfc.h"
#include "data/tokenizers/byte_model.h"
#include "data/tokenizers/symbol_model.h"

namespace calque {
namespace {

constexpr int64_t largest_vocabulary_file = 256 << 20;

// The bytes that printable characters stand for; other text stands for itself.
std::string bytes_of(std::string_view symbol) {
  static const auto bytes = [] {
    std::unordered_map<std::string, char> map;
    const std::vector<std::string> glyphs = byte_glyphs();
    for (size_t byte = 0; byte < glyphs.size(); ++byte) {
      map.emplace(glyphs[byte], static_cast<char>(byte));
    }
    return map;
  }();
  std::string text;
  for_each_line_symbol(SymbolUnit::character, symbol, [&](std::string_view character) {
    const auto found = bytes.find(std::string(character));
    if (found == bytes.end()) {
      text += character;
    } else {
      text.push_back(found->second);
    }
  });
  return text;
}

struct RankedMerge {
  int64_t rank = 0;
  BytePairModel::Merge merge;
};

// Parses merges with their ranks, such as "12 a b 40 c d".
void read_merges(std::string_view text, std::vector<RankedMerge>& merges,
                 const std::string& where) {
  while (!text.empty()) {
    const std::string_view number = cut(text, ' ');
    RankedMerge read;
    const auto end = number.data() + number.size();
    const bool whole = std::from_chars(number.data(), end, read.rank).ptr == end;
    read.merge.left = cut(text, ' ');
    read.merge.right = cut(text, ' ');
    if (!whole || number.empty() || read.merge.right.empty()) {
      fail("{}: a rank and two tokens must follow the tab", where);
    }
    merges.push_back(std::move(read));
  }
}

// The tokens of a word as a linked list. A merge removes the right token of a pair.
class MergedWord {
 public:
  struct Token {
    int32_t id = 0, before = -1, after = -1;
  };

  explicit MergedWord(size_t size) { tokens_.reserve(size); }
  void add(int32_t id) {
    const auto at = static_cast<int32_t>(tokens_.size());
    if (at > 0) tokens_.back().after = at;
    tokens_.push_back({id, at - 1, -1});
  }
  size_t size() const { return tokens_.size(); }
  Token& operator[](int32_t at) { return tokens_[static_cast<size_t>(at)]; }
  // The token at `at` and the next one become `id`.
  void merge(int32_t at, int32_t id) {
    Token& left = (*this)[at];
    Token& right = (*this)[left.after];
    left.id = id;
    left.after = right.after;
    if (right.after >= 0) (*this)[right.after].before = at;
    right.id = -1;
  }

 private:
  std::vector<Token> tokens_;
};

std::string glyphs_of(std::string_view word) {
  static const std::vector<std::string> glyphs = byte_glyphs();
  std::string text;
  for (const char byte : word) text += glyphs[static_cast<unsigned char>(byte)];
  return text;
}

// The words of the first line, and of the lines of tokens without merges.
constexpr std::string_view whole_words_mark = "whole-words", nfc_mark = "nfc",
                           verbatim_mark = "verbatim", control_mark = "control";

// Parses rules such as "llama3 whole-words".
void read_rules(std::string_view text, BytePairModel::Rules& rules, const std::string& place) {
  while (!text.empty()) {
    const std::string_view word = cut(text, ' ');
    if (const auto rule = choice_named(word_rules, word)) {
      rules.words = *rule;
    } else if (word == whole_words_mark) {
      rules.whole_words = true;
    } else if (word == nfc_mark) {
      rules.nfc = true;
    } else {
      fail("{}: '{}' is no rule of byte-level BPE", place, word);
    }
  }
}

// What follows the first symbol in the file: nothing for the rules of GPT-2.
std::string rules_text(const BytePairModel::Rules& rules) {
  std::string text;
  if (rules.words != WordRule::gpt2) text += fmt::format(" {}", name_of(word_rules, rules.words));
  if (rules.whole_words) text += fmt::format(" {}", whole_words_mark);
  if (rules.nfc) text += fmt::format(" {}", nfc_mark);
  if (!text.empty()) text.front() = '\t';
  return text;
}

// A pattern that matches any of the texts, the longest first.
Regex one_of(std::vector<std::string> texts) {
  std::ranges::stable_sort(texts, std::greater(), &std::string::size);
  std::string pattern;
  for (const std::string& text : texts) {
    pattern += pattern.empty() ? "" : "|";
    for (const char c : text) {
      const bool plain = std::isalnum(static_cast<unsigned char>(c)) || (c & 0x80) != 0;
      pattern +=
          plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return Regex(pattern);
}

}  // namespace

BytePairModel::BytePairModel(Vocabulary vocabulary, std::vector<Merge> merges, Rules rules,
                             const std::string& place)
    : vocabulary_(std::move(vocabulary)), merges_(std::move(merges)), rules_(std::move(rules)) {
  const auto id_of = [&](const std::string& symbol) {
    const auto id = vocabulary_.find(symbol);
    if (!id || *id < special_ids) fail("{}: has no token '{}'", place, symbol);
    return *id;
  };
  for (const std::string& glyph : byte_glyphs()) bytes_.push_back(id_of(glyph));
  for (const Merge& merge : merges_) {
    const std::pair pair(id_of(merge.left), id_of(merge.right));
    const Made made{static_cast<int32_t>(made_.size()), id_of(merge.left + merge.right)};
    if (!made_.emplace(pair, made).second) {
      fail("{}: {} and {} are merged twice", place, merge.left, merge.right);
    }
  }
  for (const auto& tokens : {rules_.verbatim, rules_.control}) {
    for (const std::string& token : tokens) id_of(token);
  }
  if (!rules_.verbatim.empty()) verbatim_ = one_of(rules_.verbatim);
}

BytePairModel BytePairModel::load(const std::string& path) {
  Vocabulary vocabulary = Vocabulary::load(path);
  std::vector<RankedMerge> ranked;
  Rules rules;
  int64_t number = 0;
  for_each_line(read_file(path, largest_vocabulary_file), [&](std::string_view line) {
    const std::string place = fmt::format("{}:{}", path, ++number);
    const std::string_view symbol = cut(line, '\t');
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (number == 1) {
      read_rules(line, rules, place);
    } else if (line == verbatim_mark || line == control_mark) {
      (line == verbatim_mark ? rules.verbatim : rules.control).emplace_back(symbol);
    } else {
      read_merges(line, ranked, place);
    }
  });
  std::ranges::stable_sort(ranked, {}, &RankedMerge::rank);
  std::vector<Merge> merges;
  for (RankedMerge& each : ranked) merges.push_back(std::move(each.merge));
  return {std::move(vocabulary), std::move(merges), std::move(rules), path};
}

std::string BytePairModel::listing() const {
  std::vector<std::string> of_token(static_cast<size_t>(size()));
  for (size_t rank = 0; rank < merges_.size(); ++rank) {
    const auto& [left, right] = merges_[rank];
    std::string& text = of_token[static_cast<size_t>(*vocabulary_.find(left + right))];
    text += fmt::format("{}{} {} {}", text.empty() ? "\t" : " ", rank, left, right);
  }
  of_token[0] = rules_text(rules_);
  const auto mark = [&](const std::vector<std::string>& tokens, std::string_view as) {
    for (const std::string& token : tokens) {
      of_token[static_cast<size_t>(*vocabulary_.find(token))] = fmt::format("\t{}", as);
    }
  };
  mark(rules_.verbatim, verbatim_mark);
  mark(rules_.control, control_mark);
  std::string text;
  for (int32_t id = 0; id < size(); ++id) {
    text += symbol(id) + of_token[static_cast<size_t>(id)] + '\n';
  }
  return text;
}

template <class Plain, class Verbatim>
void BytePairModel::visit_parts(std::string_view text, Plain&& plain, Verbatim&& verbatim) const {
  for (size_t at = 0; at < text.size();) {
    Regex::Match token{text.size(), text.size()};
    if (verbatim_) token = verbatim_->find(text, at).value_or(token);
    plain(text.substr(at, token.begin - at));
    if (token.begin < token.end) verbatim(text.substr(token.begin, token.end - token.begin));
    at = token.end;
  }
}

void BytePairModel::encode(std::string_view text, std::vector<int32_t>& out) const {
  visit_parts(
      text, [&](std::string_view part) { encode_words(part, out); },
      [&](std::string_view token) { out.push_back(*vocabulary_.find(token)); });
}

std::string BytePairModel::normalize(std::string_view text) const {
  std::string normal;
  visit_parts(
      text, [&](std::string_view part) { normal += rules_.nfc ? nfc(part) : std::string(part); },
      [&](std::string_view token) { normal += token; });
  return normal;
}

void BytePairModel::encode_words(std::string_view text, std::vector<int32_t>& out) const {
  const std::string normal = rules_.nfc ? nfc(text) : std::string();
  for_each_byte_level_word(rules_.nfc ? normal : text, rules_.words,
                           [&](std::string_view word) { encode_word(word, out); });
}

void BytePairModel::encode_word(std::string_view word, std::vector<int32_t>& out) const {
  if (rules_.whole_words) {
    const auto whole = vocabulary_.find(glyphs_of(word));
    if (whole && *whole >= special_ids) return out.push_back(*whole);
  }
  struct Candidate {
    int32_t rank, at, left, right, id;
    // The top of the queue has the lowest rank; of equal ranks it is the leftmost.
    bool operator<(const Candidate& other) const {
      return std::pair(rank, at) > std::pair(other.rank, other.at);
    }
  };
  MergedWord tokens(word.size());
  for (const char c : word) tokens.add(bytes_[static_cast<unsigned char>(c)]);
  std::priority_queue<Candidate> queue;
  const auto consider = [&](int32_t at) {
    if (at < 0 || tokens[at].after < 0) return;
    const std::pair pair(tokens[at].id, tokens[tokens[at].after].id);
    const auto found = made_.find(pair);
    if (found == made_.end()) return;
    queue.push({found->second.rank, at, pair.first, pair.second, found->second.id});
  };
  for (size_t at = 0; at < tokens.size(); ++at) consider(static_cast<int32_t>(at));
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    const auto& token = tokens[best.at];
    const bool current =
        token.id == best.left && token.after >= 0 && tokens[token.after].id == best.right;
    if (!current) continue;
    tokens.merge(best.at, best.id);
    consider(best.at);
    consider(tokens[best.at].before);
  }
  for (int32_t at = word.empty() ? -1 : 0; at >= 0; at = tokens[at].after) {
    out.push_back(tokens[at].id);
  }
}

std::string BytePairModel::spelling(int32_t id) const {
  return std::ranges::count(rules_.control, symbol(id)) > 0 ? "" : bytes_of(symbol(id));
}

std::string BytePairModel::decode(std::span<const int32_t> ids) const {
  std::string bytes;
  for (const int32_t id : ids) {
    if (id == unknown_id) bytes.push_back('\xFF');  // never in well-formed text
    if (id >= special_ids) bytes += bytes_of(symbol(id));
  }
  return repaired(bytes);
}

}  // namespace calque
