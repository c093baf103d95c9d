#include "train/metrics/tokenization/tokenization.h"

#include "core/error.h"
#include "data/text/utf8.h"
#include "train/metrics/tokenization/characters.h"
#include "train/metrics/tokenization/pair_substitution.h"
#include "train/metrics/tokenization/western.h"

namespace calque {
namespace {

std::string tokenize_13a(std::string_view line) {
  std::string text = " ";
  text += line;
  if (line.find('<') != line.npos) text = replace_all(text, "<skipped>", "");
  if (line.find('\n') != line.npos) text = replace_all(replace_all(text, "-\n", ""), "\n", " ");
  text = resolve_entities(std::move(text)) + ' ';
  return separate_number_marks(separate_symbols(text));
}

// s/(\P{N})(\p{P})/$1 $2 /g; s/(\p{P})(\P{N})/ $1 $2/g; s/(\p{S})/ $1 /g
std::string tokenize_intl(std::string_view line) {
  std::u32string text = replace_pairs(
      code_points(line), [](auto a, auto b) { return !is_number(a) && is_punctuation(b); },
      [](auto& out, auto a, auto b) {
        out.append({a, U' ', b, U' '});
      });
  text = replace_pairs(
      text, [](auto a, auto b) { return is_punctuation(a) && !is_number(b); },
      [](auto& out, auto a, auto b) {
        out.append({U' ', a, U' ', b});
      });
  std::u32string separated;
  for (const char32_t character : text) {
    if (is_symbol(character)) {
      separated.append({U' ', character, U' '});
    } else {
      separated += character;
    }
  }
  return utf8(separated);
}

std::string tokenize_characters(std::string_view line) {
  std::string out;
  out.reserve(2 * line.size());
  for (size_t at = 0; at < line.size();) {
    const size_t start = at;
    next_code_point(line, at);
    out.append(line.substr(start, at - start));
    out += ' ';
  }
  return out;
}

}  // namespace

Tokenization parse_tokenization(std::string_view name) {
  for (const auto& [known, tokenization] : tokenizations) {
    if (known == name) return tokenization;
  }
  fail("unknown tokenization '{}'; choose none, 13a, intl or char", name);
}

std::string tokenize(std::string_view line, Tokenization tokenization) {
  switch (tokenization) {
    case Tokenization::v13a:
      return tokenize_13a(line);
    case Tokenization::intl:
      return tokenize_intl(line);
    case Tokenization::character:
      return tokenize_characters(line);
    case Tokenization::none:
      break;
  }
  return std::string(line);
}

}  // namespace calque
