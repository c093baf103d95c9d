#pragma once
// The mark of the letter that activates an item of a menu: "&File" in Qt, "_File" in GTK. It is
// taken from the text before translation, and put before a letter of the translation.

#include <optional>
#include <string>
#include <string_view>

#include "data/placeholders/placeholders.h"

namespace calque {

struct Accelerator {
  char mark;         // & or _
  char32_t letter;   // behind it
  std::string text;  // without the mark
};

// The accelerator of a text that has exactly one; && and &amp; are none, nor is the _ in file_name.
std::optional<Accelerator> find_accelerator(std::string_view text);

// The translation with a mark: before the same letter if it begins a word or else occurs, otherwise
// before the first letter. Chinese, Japanese and Korean texts get (&F) behind them. No mark is put
// into a placeholder, and a text without letters gets none.
std::string with_accelerator(std::string_view translation, const Accelerator& accelerator,
                             const PlaceholderKinds& kinds);

}  // namespace calque
