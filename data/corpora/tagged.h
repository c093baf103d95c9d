#pragma once
// Sentences with a tag for each word, as parts of speech or named entities. A file has one word a
// line, with columns separated by tabs or, in a line without tabs, by spaces: the word first, its
// tag last. An empty line ends a sentence, as does a line that begins with -DOCSTART-. If the first
// word has ten columns separated by tabs, the file is CoNLL-U: the word is the second column and
// its tag (UPOS) the fourth, and comments, ranges of words and empty nodes are skipped.

#include <string>
#include <vector>

#include "data/corpora/labelled_text.h"

namespace calque {

// The rows are sentences: their words with their tags as labels. Throws an Error if the file cannot
// be read or has no sentence. Throws an Error that names the line for a line without a word or
// without a tag, and for one that is not UTF-8 unless `invalid` is `skip`.
LabelledFile read_tagged_file(const std::string& path, InvalidText invalid = InvalidText::error);

// The words between white space.
std::vector<std::string> words_of(const std::string& line);

}  // namespace calque
