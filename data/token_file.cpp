// How a token store is written and found again (declared in data/token_store.h). The file is a
// header, the ids, the index, the notes; the header has a digest of all that follows.

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

#include "core/error.h"
#include "data/content_hash.h"
#include "data/token_store.h"

namespace calque {
namespace {

constexpr size_t flush_size = 4 << 20;
constexpr int64_t longest_side = (1 << 24) - 1;

struct Header {
  std::array<char, 16> magic = {'c', 'a', 'l', 'q', 'u', 'e', ' ', 't',
                                'o', 'k', 'e', 'n', 's', ' ', '1', '\n'};
  uint64_t key = 0;
  uint64_t digest = 0;
  uint64_t tokens = 0;
  uint64_t pairs = 0;
  uint64_t notes = 0;  // bytes
  uint32_t id_size = 0;
  uint32_t unused = 0;
};
static_assert(sizeof(Header) == 64);

template <class Value>
std::string_view bytes_of(const Value& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string_view bytes_of(const std::vector<TokenEntry>& index) {
  return {reinterpret_cast<const char*>(index.data()), index.size() * sizeof(TokenEntry)};
}

}  // namespace

TokenWriter::TokenWriter(int32_t vocabulary) { store_.id_size_ = vocabulary <= 1 << 16 ? 2 : 4; }

TokenWriter::TokenWriter(int32_t vocabulary, const std::string& path, uint64_t key)
    : TokenWriter(vocabulary) {
  path_ = path;
  key_ = key;
  file_ = std::make_unique<NewFile>(path);
  file_->append(bytes_of(Header{}));
}

void TokenWriter::append(std::span<const int32_t> source, std::span<const int32_t> target,
                         int64_t line) {
  require(std::max(std::ssize(source), std::ssize(target)) <= longest_side && line >= 0 &&
              line <= UINT32_MAX,
          "TokenWriter: line {} with {} and {} tokens", line, source.size(), target.size());
  TokenEntry entry{};
  entry.begin = static_cast<uint64_t>(store_.tokens_) & ((uint64_t{1} << 40) - 1);
  entry.source_length = source.size() & longest_side;
  entry.target_length = static_cast<uint32_t>(target.size());
  entry.line = static_cast<uint32_t>(line);
  store_.index_.push_back(entry);
  store_.tokens_ += std::ssize(source) + std::ssize(target);
  put(source);
  put(target);
  if (file_ && store_.ids_.size() >= flush_size) flush();
}

void TokenWriter::put(std::span<const int32_t> ids) {
  std::vector<char>& out = store_.ids_;
  for (const int32_t id : ids) {
    const char* bytes = reinterpret_cast<const char*>(&id);
    out.insert(out.end(), bytes, bytes + store_.id_size_);  // little endian: the low bytes
  }
}

void TokenWriter::flush() {
  write({store_.ids_.data(), store_.ids_.size()});
  store_.ids_.clear();
}

void TokenWriter::write(std::string_view bytes) {
  digest_.add(bytes);
  file_->append(bytes);
}

TokenStore TokenWriter::finish(std::string_view notes) {
  if (!file_) return std::move(store_);
  flush();
  write(bytes_of(store_.index_));
  write(notes);
  Header header;
  header.key = key_;
  header.digest = digest_.value();
  header.tokens = static_cast<uint64_t>(store_.tokens_);
  header.pairs = store_.index_.size();
  header.notes = notes.size();
  header.id_size = static_cast<uint32_t>(store_.id_size_);
  file_->write_at(0, bytes_of(header));
  file_->finish();
  store_.file_ = File::open(path_);
  store_.ids_begin_ = sizeof(Header);
  store_.ids_.shrink_to_fit();
  return std::move(store_);
}

class TokenFileReader {
 public:
  explicit TokenFileReader(const std::string& path) : file_(File::open(path)) {}

  std::optional<LoadedTokens> load(uint64_t key, int32_t vocabulary) {
    if (!read_header(key)) return std::nullopt;
    LoadedTokens loaded;
    TokenStore& store = loaded.store;
    const auto tokens_size = static_cast<int64_t>(header_.tokens * header_.id_size);
    if (!check_ids(tokens_size, vocabulary)) return std::nullopt;
    store.index_.resize(header_.pairs);
    loaded.notes.resize(header_.notes);
    if (!read({reinterpret_cast<char*>(store.index_.data()), bytes_of(store.index_).size()}) ||
        !read(loaded.notes) || digest_.value() != header_.digest || !index_fits(store.index_)) {
      return std::nullopt;
    }
    store.id_size_ = static_cast<int>(header_.id_size);
    store.tokens_ = static_cast<int64_t>(header_.tokens);
    store.ids_begin_ = sizeof(Header);
    store.file_ = std::move(file_);
    return loaded;
  }

 private:
  // The sizes in the header must add up to that of the file before anything is allocated.
  bool read_header(uint64_t key) {
    char bytes[sizeof(Header)];
    if (file_.read_at(0, bytes) < sizeof bytes) return false;
    std::memcpy(&header_, bytes, sizeof bytes);
    at_ = sizeof(Header);
    const auto size = static_cast<uint64_t>(file_.size());
    const bool sane = header_.magic == Header{}.magic && header_.key == key &&
                      (header_.id_size == 2 || header_.id_size == 4) && header_.tokens <= size &&
                      header_.pairs <= size && header_.notes <= size;
    return sane && size == sizeof(Header) + header_.tokens * header_.id_size +
                               header_.pairs * sizeof(TokenEntry) + header_.notes;
  }

  bool read(std::span<char> out) {
    if (file_.read_at(at_, out) < out.size()) return false;
    digest_.add({out.data(), out.size()});
    at_ += std::ssize(out);
    return true;
  }

  bool check_ids(int64_t size, int32_t vocabulary) {
    std::vector<char> buffer(1 << 20);
    for (; size > 0; size -= std::ssize(buffer)) {
      if (size < std::ssize(buffer)) buffer.resize(size);
      if (!read(buffer)) return false;
      const uint32_t highest =
          header_.id_size == 2 ? highest_id<uint16_t>(buffer) : highest_id<uint32_t>(buffer);
      if (highest >= static_cast<uint32_t>(vocabulary)) return false;
    }
    return true;
  }

  template <class Id>
  static uint32_t highest_id(std::span<const char> bytes) {
    Id highest = 0;
    for (size_t i = 0; i + sizeof(Id) <= bytes.size(); i += sizeof(Id)) {
      Id id;
      std::memcpy(&id, bytes.data() + i, sizeof id);
      highest = std::max(highest, id);
    }
    return highest;
  }

  bool index_fits(const std::vector<TokenEntry>& index) const {
    return std::ranges::all_of(index, [this](const TokenEntry& entry) {
      return uint64_t{entry.begin} + entry.source_length + entry.target_length <= header_.tokens;
    });
  }

  File file_;
  Header header_;
  int64_t at_ = 0;
  ContentHash digest_;
};

std::optional<LoadedTokens> load_token_file(const std::string& path, uint64_t key,
                                            int32_t vocabulary) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return std::nullopt;
  return TokenFileReader(path).load(key, vocabulary);
}

}  // namespace calque
