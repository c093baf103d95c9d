#include "data/byte_model.h"

#include "core/error.h"
#include "data/utf8.h"

namespace calque {
namespace {

constexpr std::string_view replacement = "\uFFFD";

// The bytes as UTF-8, U+FFFD for each that begins no well-formed character.
std::string repaired(std::string_view bytes) {
  std::string text;
  while (const auto bad = find_invalid_utf8(bytes)) {
    text += bytes.substr(0, *bad);
    text += replacement;
    bytes.remove_prefix(*bad + 1);
  }
  return text.empty() ? std::string(bytes) : text.append(bytes);
}

}  // namespace

std::string ByteModel::symbol(int32_t id) {
  return id < special_ids ? std::string(special_symbols[id])
                          : fmt::format("<0x{:02X}>", id - special_ids);
}

Vocabulary ByteModel::vocabulary() {
  Vocabulary vocabulary;
  for (int32_t id = special_ids; id < vocabulary_size; ++id) vocabulary.add(symbol(id));
  return vocabulary;
}

ByteModel ByteModel::load(const std::string& path) {
  if (Vocabulary::load(path).file_text() != vocabulary().file_text()) {
    fail("{}: not the vocabulary of bytes, which is <unk>, <s>, </s> and <0x00> to <0xFF>", path);
  }
  return {};
}

void ByteModel::encode(std::string_view text, std::vector<int32_t>& out) const {
  out.reserve(out.size() + text.size());
  for (const char c : text) out.push_back(id_of(static_cast<unsigned char>(c)));
}

std::string ByteModel::decode(std::span<const int32_t> ids) const {
  std::string bytes;
  for (const int32_t id : ids) {
    if (id >= special_ids) bytes.push_back(static_cast<char>(id - special_ids));
    if (id == unknown_id) bytes.push_back('\xFF');  // in no well-formed text
  }
  return repaired(bytes);
}

}  // namespace calque
