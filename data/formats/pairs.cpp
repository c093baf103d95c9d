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

constexpr uint64_t many_things = 5;  // of what a plural without a number speaks

// A catalogue translates to the language of its header: its messages are the targets if that is the
// source language here.
void pairs_of(const PoFile& file, const PairLanguages& languages, const TakePair& take) {
  std::string_view header = file.header_from("Language");
  const std::string own(cut(header, '\n'));
  const std::optional<PluralForms> forms =
      read_plural_forms(file.header_from("Plural-Forms")).forms;
  const bool backwards =
      !own.empty() && same_language(own, languages.source) && !same_language(own, languages.target);
  const auto give = [&](const std::string& message, const std::string& translation, int64_t line) {
    backwards ? take(translation, message, line) : take(message, translation, line);
  };
  for (const PoEntry& entry : file.entries()) {
    if (entry.is_header() || entry.obsolete || !entry.is_translated()) continue;
    const size_t count = entry.translations.size();
    const bool selected = entry.plural && forms && forms->count() == count;
    const size_t one = selected ? forms->form_of(1) : 0;
    const size_t many = selected ? forms->form_of(many_things) : count - 1;
    if (!entry.plural || count > 1) give(entry.id, entry.translations[one], entry.line);
    if (entry.plural) give(*entry.plural, entry.translations[many], entry.line);
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
