#include "data/tokenizers/byte_model.h"

#include "core/error.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

constexpr std::string_view replacement = "\uFFFD";

}  // namespace

std::string repaired(std::string_view bytes) {
  std::string text;
  while (const auto bad = find_invalid_utf8(bytes)) {
    text += bytes.substr(0, *bad);
    text += replacement;
    bytes.remove_prefix(*bad + 1);
  }
  return text.append(bytes);
}

std::string ByteModel::symbol(int32_t id) const {
  return id < special_ids ? std::string(special_symbols[id])
                          : fmt::format("<0x{:02X}>", id - special_ids);
}

ByteModel ByteModel::load(const std::string& path) {
  const Vocabulary vocabulary = Vocabulary::load(path);
  const ByteModel model;
  bool same = vocabulary.size() == model.size();
  for (int32_t id = 0; same && id < model.size(); ++id) {
    same = vocabulary.symbol(id) == model.symbol(id);
  }
  if (same) return model;
  fail("{}: not the vocabulary of bytes, which is <unk>, <s>, </s> and <0x00> to <0xFF>", path);
}

void ByteModel::encode(std::string_view text, std::vector<int32_t>& out) const {
  out.reserve(out.size() + text.size());
  for (const char c : text) out.push_back(id_of(static_cast<unsigned char>(c)));
}

std::string ByteModel::decode(std::span<const int32_t> ids) const {
  std::string bytes;
  for (const int32_t id : ids) {
    if (id >= special_ids) bytes.push_back(static_cast<char>(id - special_ids));
    if (id == unknown_id) bytes.push_back('\xFF');  // never in well-formed text
  }
  return repaired(bytes);
}

}  // namespace calque
