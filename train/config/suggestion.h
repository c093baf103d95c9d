#pragma once
// The message for a key that nobody knows: which one was meant, be it misspelt, put into the wrong
// section, or brought along from another toolkit.

#include <string>
#include <string_view>

namespace calque {

// `section` is empty at the top of the file. Without the place: "model.dmodel: unknown key; ...".
std::string unknown_key(std::string_view section, std::string_view key);

// For a key inside a corpus of `list`, such as "data.train".
std::string unknown_corpus_key(std::string_view list, std::string_view key);

}  // namespace calque
