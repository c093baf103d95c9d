#pragma once
// How a sentence with tags and kept parts (data/markup/marked_text.h) is translated. A model with
// attention reads it without its tags, which are then placed by the alignment of words. For one
// without, the tags are placeholders.

#include <string>

#include "data/markup/marked_text.h"
#include "train/tasks/translation/run.h"

namespace calque {

// What the translation of marked_input() must keep.
inline constexpr PlaceholderKinds kept_in_markup = {.addresses = true, .markup = true};

// The text to translate, whose placeholders must be kept (data/placeholders/kept_text.h).
std::string marked_input(const TranslationRun& run, const MarkedText& sentence);

// The translation with the tags of the sentence. A sentence without words stays as it is.
MarkedText marked_translation(const TranslationRun& run, const MarkedText& sentence,
                              const std::string& translation);

}  // namespace calque
