#include "data/sentences/language_words.h"

#include "data/text/code_points.h"
#include "data/text/lowercase.h"

namespace calque {

extern const std::string_view sentence_languages;  // languages.txt

void LanguageWords::add(const LanguageWords& other) {
  never.insert(other.never.begin(), other.never.end());
  number.insert(other.number.begin(), other.number.end());
  abbreviations.insert(other.abbreviations.begin(), other.abbreviations.end());
  starters.insert(other.starters.begin(), other.starters.end());
  ordinals = ordinals || other.ordinals;
}

LanguageWords words_of_language(std::string_view code) {
  std::string wanted = ascii_lowercase(code.substr(0, code.find_first_of("-_")));
  if (wanted == "nb" || wanted == "nn") wanted = "no";
  LanguageWords words;
  for (std::string_view lines = sentence_languages; !lines.empty();) {
    std::string_view line = cut(lines, '\n');
    const std::string_view language = cut(line, ' ');
    if (language != wanted && language != "any") continue;
    const std::string_view kind = cut(line, ' ');
    if (kind == "ordinals") words.ordinals = true;
    WordSet& set = kind == "never"          ? words.never
                   : kind == "number"       ? words.number
                   : kind == "abbreviation" ? words.abbreviations
                                            : words.starters;
    while (!line.empty()) set.emplace(cut(line, ' '));
  }
  return words;
}

}  // namespace calque
