#pragma once
// The words of a language that decide whether a period ends a sentence. They stand in
// languages.txt, a line for each language and kind; a corpus adds more (data/sentences/learning.h).
// All are in lower case, and abbreviations are without their last period: "z.b" for "z.B.".

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace calque {

using WordSet = std::set<std::string, std::less<>>;

struct LanguageWords {
  WordSet never;          // abbreviations before which no sentence ends: Dr. No
  WordSet number;         // abbreviations before a number: p. 5
  WordSet abbreviations;  // those that end a sentence only before a starter: etc. The
  WordSet starters;       // words with a capital only at the start of a sentence: the, it
  bool ordinals = false;  // whether "5." is the ordinal number, as in German

  // Adds the words of the other.
  void add(const LanguageWords& other);
  bool operator==(const LanguageWords&) const = default;
};

// For a code such as "de", "pt-BR" or "zh_Hans": the language is what precedes - or _. A language
// that languages.txt lacks has no words.
LanguageWords words_of_language(std::string_view code);

}  // namespace calque
