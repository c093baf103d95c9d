// Writing and loading token files (declared in data/datasets/token_store.h). A file has a header,
// the ids, the lengths of the columns, the line numbers and the notes. The header contains a digest
// of the rest.

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

#include "core/error.h"
#include "data/datasets/token_store.h"
#include "data/files/content_hash.h"

namespace calque {
namespace {

constexpr size_t flush_size = 4 << 20;
constexpr int64_t longest_column = UINT32_MAX;

struct Header {
  std::array<char, 16> magic = {'c', 'a', 'l', 'q', 'u', 'e', ' ', 't',
                                'o', 'k', 'e', 'n', 's', ' ', '2', '\n'};
  uint64_t key = 0;
  uint64_t digest = 0;
  uint64_t tokens = 0;
  uint64_t examples = 0;
  uint64_t notes = 0;  // bytes
  uint32_t id_size = 0;
  uint32_t columns = 0;
};
static_assert(sizeof(Header) == 64);

std::string_view bytes_of(const Header& header) {
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

std::string_view bytes_of(const std::vector<uint32_t>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(uint32_t)};
}

std::span<char> writable_bytes_of(std::vector<uint32_t>& numbers) {
  return {reinterpret_cast<char*>(numbers.data()), numbers.size() * sizeof(uint32_t)};
}

}  // namespace

TokenWriter::TokenWriter(int columns, int32_t vocabulary) {
  require(columns >= 1 && columns <= most_columns, "TokenWriter: {} columns", columns);
  store_.columns_ = columns;
  store_.id_size_ = vocabulary <= 1 << 16 ? 2 : 4;
}

TokenWriter::TokenWriter(int columns, int32_t vocabulary, const std::string& path, uint64_t key)
    : TokenWriter(columns, vocabulary) {
  path_ = path;
  key_ = key;
  file_ = std::make_unique<NewFile>(path);
  file_->append(bytes_of(Header{}));
}

void TokenWriter::append(std::span<const std::span<const int32_t>> example, int64_t line) {
  require(std::ssize(example) == store_.columns_, "TokenWriter: {} columns instead of {}",
          example.size(), store_.columns_);
  require(line >= 0 && line <= UINT32_MAX, "TokenWriter: line {}", line);
  store_.begins_.push_back(static_cast<uint64_t>(store_.tokens_));
  store_.lines_.push_back(static_cast<uint32_t>(line));
  for (const std::span<const int32_t> ids : example) {
    require(std::ssize(ids) <= longest_column, "TokenWriter: line {} with {} tokens", line,
            ids.size());
    store_.lengths_.push_back(static_cast<uint32_t>(ids.size()));
    store_.tokens_ += std::ssize(ids);
    put(ids);
  }
}

void TokenWriter::put(std::span<const int32_t> ids) {
  std::vector<char>& out = store_.ids_;
  for (const int32_t id : ids) {
    const char* bytes = reinterpret_cast<const char*>(&id);
    out.insert(out.end(), bytes, bytes + store_.id_size_);  // little endian: the low bytes
    if (file_ && out.size() >= flush_size) flush();
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
  write(bytes_of(store_.lengths_));
  write(bytes_of(store_.lines_));
  write(notes);
  const Header header{.key = key_,
                      .digest = digest_.value(),
                      .tokens = static_cast<uint64_t>(store_.tokens_),
                      .examples = store_.lines_.size(),
                      .notes = notes.size(),
                      .id_size = static_cast<uint32_t>(store_.id_size_),
                      .columns = static_cast<uint32_t>(store_.columns_)};
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

  std::optional<LoadedTokens> load(uint64_t key, int columns, int32_t vocabulary) {
    if (!read_header(key, columns)) return std::nullopt;
    LoadedTokens loaded;
    TokenStore& store = loaded.store;
    const auto tokens_size = static_cast<int64_t>(header_.tokens * header_.id_size);
    if (!check_ids(tokens_size, vocabulary)) return std::nullopt;
    store.lengths_.resize(header_.examples * header_.columns);
    store.lines_.resize(header_.examples);
    loaded.notes.resize(header_.notes);
    if (!read(writable_bytes_of(store.lengths_)) || !read(writable_bytes_of(store.lines_)) ||
        !read(loaded.notes) || digest_.value() != header_.digest) {
      return std::nullopt;
    }
    store.columns_ = columns;
    store.id_size_ = static_cast<int>(header_.id_size);
    store.tokens_ = static_cast<int64_t>(header_.tokens);
    if (!lay_out(store)) return std::nullopt;
    store.ids_begin_ = sizeof(Header);
    store.file_ = std::move(file_);
    return loaded;
  }

 private:
  // Checks, before anything is allocated, that the sizes in the header add up to the size of the
  // file.
  bool read_header(uint64_t key, int columns) {
    char bytes[sizeof(Header)];
    if (file_.read_at(0, bytes) < sizeof bytes) return false;
    std::memcpy(&header_, bytes, sizeof bytes);
    at_ = sizeof(Header);
    const auto size = static_cast<uint64_t>(file_.size());
    const bool sane = header_.magic == Header{}.magic && header_.key == key &&
                      header_.columns == static_cast<uint32_t>(columns) &&
                      (header_.id_size == 2 || header_.id_size == 4) && header_.tokens <= size &&
                      header_.examples <= size && header_.notes <= size;
    const uint64_t index_entry = (uint64_t{header_.columns} + 1) * sizeof(uint32_t);
    return sane && size == sizeof(Header) + header_.tokens * header_.id_size +
                               header_.examples * index_entry + header_.notes;
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

  // Sets the beginning of each example. Returns false if the lengths do not add up to all ids.
  static bool lay_out(TokenStore& store) {
    uint64_t begin = 0;
    for (int64_t example = 0; example < store.count(); ++example) {
      store.begins_.push_back(begin);
      for (int column = 0; column < store.columns_; ++column) {
        begin += static_cast<uint64_t>(store.length(example, column));
      }
    }
    return begin == static_cast<uint64_t>(store.tokens_);
  }

  File file_;
  Header header_;
  int64_t at_ = 0;
  ContentHash digest_;
};

std::optional<LoadedTokens> load_token_file(const std::string& path, uint64_t key, int columns,
                                            int32_t vocabulary) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return std::nullopt;
  return TokenFileReader(path).load(key, columns, vocabulary);
}

}  // namespace calque
