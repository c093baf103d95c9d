#include "data/datasets/token_store.h"

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

template <class Use>
void TokenStore::with_ids(int64_t begin, int64_t count, const Use& use) const {
  if (!file_) return use(ids_.data() + begin * id_size_);
  std::vector<char> buffer(count * id_size_);
  if (file_->read_at(ids_begin_ + begin * id_size_, buffer) < buffer.size()) {
    fail("{}: became shorter while it was in use; delete it and start again", file_->path());
  }
  use(buffer.data());
}

int64_t TokenStore::tokens_in_column(int column) const {
  int64_t sum = 0;
  for (int64_t example = 0; example < count(); ++example) sum += length(example, column);
  return sum;
}

void TokenStore::read(int64_t example, Example& out) const {
  require(example >= 0 && example < count(), "TokenStore: example {} of {}", example, count());
  out.resize(columns_);
  int64_t ids = 0;
  for (int column = 0; column < columns_; ++column) {
    out[column].resize(length(example, column));
    ids += length(example, column);
  }
  const auto begin = static_cast<int64_t>(begins_[example]);
  with_ids(begin, ids, [&](const char* from) {
    for (std::vector<int32_t>& column : out) {
      widen(id_size_, from, column);
      from += std::ssize(column) * id_size_;
    }
  });
}

void TokenStore::read_slice(int64_t example, int column, int64_t begin, int64_t count,
                            std::vector<int32_t>& out) const {
  require(example >= 0 && example < this->count() && column >= 0 && column < columns_,
          "TokenStore: column {} of example {}, of {} and {}", column, example, columns_,
          this->count());
  require(begin >= 0 && count >= 0 && count <= length(example, column) - begin,
          "TokenStore: ids {} to {} of {}", begin, begin + count, length(example, column));
  begin += static_cast<int64_t>(begins_[example]);
  for (int before = 0; before < column; ++before) begin += length(example, before);
  out.resize(count);
  with_ids(begin, count, [&](const char* from) { widen(id_size_, from, out); });
}

}  // namespace calque
