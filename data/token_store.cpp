#include "data/token_store.h"

#include <cstring>

#include "core/error.h"

namespace calque {
namespace {

template <class Id>
void widen(const char* from, std::vector<int32_t>& out) {
  for (size_t i = 0; i < out.size(); ++i) {
    Id id;
    std::memcpy(&id, from + i * sizeof id, sizeof id);
    out[i] = static_cast<int32_t>(id);
  }
}

void widen(int id_size, const char* from, std::vector<int32_t>& out) {
  return id_size == 2 ? widen<uint16_t>(from, out) : widen<int32_t>(from, out);
}

}  // namespace

void TokenStore::read(int64_t pair, TokenPair& out) const {
  require(pair >= 0 && pair < count(), "TokenStore: pair {} of {}", pair, count());
  const TokenEntry& entry = index_[pair];
  out.source.resize(entry.source_length);
  out.target.resize(entry.target_length);
  const int64_t begin = static_cast<int64_t>(entry.begin) * id_size_;
  const int64_t bytes = static_cast<int64_t>(out.source.size() + out.target.size()) * id_size_;
  const char* from = nullptr;
  std::vector<char> buffer;
  if (file_) {
    buffer.resize(bytes);
    if (file_->read_at(ids_begin_ + begin, buffer) < buffer.size()) {
      fail("{}: became shorter while it was in use; delete it and start again", file_->path());
    }
    from = buffer.data();
  } else {
    from = ids_.data() + begin;
  }
  widen(id_size_, from, out.source);
  widen(id_size_, from + static_cast<int64_t>(out.source.size()) * id_size_, out.target);
}

}  // namespace calque
