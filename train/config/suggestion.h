#pragma once
// The message for an unknown key: it suggests a key if the unknown one is misspelt, in the wrong
// section, or the name in another toolkit.

#include <string>
#include <string_view>

namespace calque {

// "model.dmodel: unknown key; ..."; `section` is empty at the top level.
std::string unknown_key(std::string_view section, std::string_view key);

// For a key inside a corpus of `list`, such as "data.train".
std::string unknown_corpus_key(std::string_view list, std::string_view key);

}  // namespace calque
