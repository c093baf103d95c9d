#include "data/formats/pairs.h"

#include <filesystem>

#include "core/error.h"
#include "data/files/packed_files.h"
#include "data/formats/languages.h"
#include "data/formats/mo.h"
#include "data/formats/po.h"
#include "data/formats/tmx.h"
#include "data/formats/xliff.h"
#include "data/text/lowercase.h"

namespace calque {
namespace {

std::string kind_of(const std::string& path) {
  const std::filesystem::path name = plain_name(path);
  return ascii_lowercase(name.extension().string());
}

// The value of a field of the header, such as Language.
std::string header_field(const PoFile& file, const std::string& name) {
  for (const PoEntry& entry : file.entries()) {
    if (!entry.is_header() || entry.translations.empty()) continue;
    const std::string& text = entry.translations.front();
    const size_t at = text.find(name + ": ");
    if (at == text.npos) return "";
    const size_t begin = at + name.size() + 2;
    return text.substr(begin, text.find('\n', begin) - begin);
  }
  return "";
}

// A catalogue translates to the language of its header: its messages are the targets if that is the
// source language here.
void pairs_of(const PoFile& file, const PairLanguages& languages, const TakePair& take) {
  const std::string own = header_field(file, "Language");
  const bool backwards =
      !own.empty() && same_language(own, languages.source) && !same_language(own, languages.target);
  const auto give = [&](const std::string& message, const std::string& translation, int64_t line) {
    backwards ? take(translation, message, line) : take(message, translation, line);
  };
  for (const PoEntry& entry : file.entries()) {
    if (entry.is_header() || entry.obsolete || !entry.is_translated()) continue;
    const std::string& last = entry.translations.back();
    if (!entry.plural || entry.translations.size() > 1) {
      give(entry.id, entry.translations.front(), entry.line);
    }
    if (entry.plural) give(*entry.plural, last, entry.line);
  }
}

}  // namespace

bool is_file_of_pairs(const std::string& path) {
  const std::string kind = kind_of(path);
  return kind == ".po" || kind == ".pot" || kind == ".mo" || kind == ".gmo" || kind == ".tmx" ||
         kind == ".xlf" || kind == ".xliff";
}

void read_pairs(const std::string& path, const PairLanguages& languages, const TakePair& take) {
  const std::string kind = kind_of(path);
  if (kind == ".po" || kind == ".pot") return pairs_of(PoFile::read(path), languages, take);
  if (kind == ".mo" || kind == ".gmo") return pairs_of(read_mo(path), languages, take);
  const File file = open_unpacked(path);
  if (kind == ".tmx") return read_tmx(file, path, languages, take);
  if (kind == ".xlf" || kind == ".xliff") return read_xliff(file, path, languages, take);
  fail("{}: its name must end with .po, .mo, .tmx, .xlf or .xliff, or these with .gz or .zst",
       path);
}

}  // namespace calque
