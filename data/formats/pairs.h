#pragma once
// Pairs of texts from the files of translators, by the end of the file's name, before .gz or .zst:
//   .po .pot   gettext catalogues, and compiled ones: .mo .gmo
//   .tmx       translation memories
//   .xlf .xliff  XLIFF 1.2 and 2.0
// Only what is translated: fuzzy and obsolete messages, and targets in the states new,
// needs-translation and initial, are left out.

#include <cstdint>
#include <functional>
#include <string>

namespace calque {

bool is_file_of_pairs(const std::string& path);

// The languages are codes such as "en"; de-AT in a file counts as de.
struct PairLanguages {
  std::string source, target;
};

// `line` is where the pair stands in the file; 0 in a compiled catalogue.
using TakePair = std::function<void(std::string source, std::string target, int64_t line)>;

// Throws an Error that names the line for a file that is damaged, and for one whose languages are
// others.
void read_pairs(const std::string& path, const PairLanguages& languages, const TakePair& take);

}  // namespace calque
