#include "data/formats/mo.h"

#include <cstring>

#include "core/error.h"
#include "data/formats/whole_file.h"
#include "data/text/code_points.h"

namespace calque {
namespace {

constexpr uint32_t magic = 0x950412DE;

class MoBytes {
 public:
  MoBytes(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {
    if (bytes.size() < 20) refuse();
    swapped_ = number(0) == __builtin_bswap32(magic);
    if (number(0) != magic) refuse();
  }

  // The 32 bits at an offset.
  uint32_t number(size_t at) const {
    if (at > bytes_.size() || bytes_.size() - at < 4) refuse();
    uint32_t value;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return swapped_ ? __builtin_bswap32(value) : value;
  }

  // The string that a table of lengths and offsets has at an index.
  std::string_view text(size_t table, size_t index) const {
    const size_t length = number(table + 8 * index), at = number(table + 8 * index + 4);
    if (at > bytes_.size() || length > bytes_.size() - at) refuse();
    return bytes_.substr(at, length);
  }

 private:
  [[noreturn]] void refuse() const { fail("{}: is no compiled catalogue, or damaged", name_); }

  std::string_view bytes_;
  const std::string& name_;
  bool swapped_ = false;
};

}  // namespace

std::string po_of_mo(std::string_view bytes, const std::string& name) {
  const MoBytes mo(bytes, name);
  const size_t count = mo.number(8), ids = mo.number(12), translations = mo.number(16);
  std::string po;
  for (size_t i = 0; i < count; ++i) {
    std::string_view id = mo.text(ids, i), translation = mo.text(translations, i);
    const auto add = [&](std::string_view keyword, std::string_view value) {
      po += po_lines(keyword, value, "\n", false);
    };
    const size_t context = id.find('\x04');
    if (context != id.npos) add("msgctxt", cut(id, '\x04'));
    const bool plural = id.find('\0') != id.npos;
    add("msgid", cut(id, '\0'));
    if (plural) add("msgid_plural", cut(id, '\0'));
    if (!plural) add("msgstr", cut(translation, '\0'));
    for (size_t form = 0; plural && (form == 0 || !translation.empty()) && form < 100; ++form) {
      add(fmt::format("msgstr[{}]", form), cut(translation, '\0'));
    }
    po += '\n';
  }
  return po;
}

PoFile read_mo(const std::string& path) {
  return PoFile::parse(po_of_mo(whole_file(path), path), path);
}

}  // namespace calque
