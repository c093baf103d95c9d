#pragma once
// Translates a file with markup: the translation is the text in capitals.
#include <doctest/doctest.h>

#include <cctype>
#include <string>
#include <vector>

#include "data/markup/markup_file.h"

namespace calque {

inline MarkedText loud(MarkedText text) {
  for (char& c : text.text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// Also checks that its own texts leave the file as it is.
inline std::string loud(const std::string& bytes, MarkupKind kind) {
  const MarkupFile file(bytes, kind, "x");
  std::vector<MarkedText> same, translations;
  for (const MarkupText& each : file.texts()) {
    same.push_back(each.text);
    translations.push_back(loud(each.text));
  }
  CHECK(file.with(same) == bytes);
  return file.with(translations);
}

inline std::vector<std::string> texts_of(const std::string& bytes, MarkupKind kind) {
  const MarkupFile file(bytes, kind, "x");
  std::vector<std::string> texts;
  for (const MarkupText& each : file.texts()) texts.push_back(each.text.text);
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace calque
