#include "data/words/vectors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "core/error.h"
#include "core/parse_number.h"
#include "data/files/packed_files.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

constexpr size_t longest_text = 1 << 20, longest_word = 1 << 16, buffer_size = 1 << 20;
constexpr int64_t largest_dimension = 65536;
constexpr std::string_view blanks = " \t\r";

// Reads a file through a buffer. The views are valid until the next call.
class Cursor {
 public:
  Cursor(const File& file, int64_t at) : file_(file), at_(at) {}

  struct Text {
    std::string_view text;
    bool ended;  // at `stop`, not at the end of the file or at the limit
  };
  // The next bytes up to `stop`, which is skipped, but at most `limit`.
  Text until(char stop, size_t limit) {
    for (size_t seen = 0;;) {
      const size_t available =
          std::min(fill(std::min(limit, std::max(2 * seen, size_t{4096}))), limit);
      const char* const from = buffer_.data() + next_;
      if (const void* found = std::memchr(from + seen, stop, available - seen)) {
        const auto size = static_cast<size_t>(static_cast<const char*>(found) - from);
        next_ += size + 1;
        return {{from, size}, true};
      }
      if (available == seen || available == limit) {
        next_ += available;
        return {{from, available}, false};
      }
      seen = available;
    }
  }

  // The next `count` bytes, or fewer at the end of the file.
  std::string_view bytes(size_t count) {
    const size_t available = std::min(fill(count), count);
    next_ += available;
    return {buffer_.data() + next_ - available, available};
  }

  void skip(char c) {
    if (fill(1) > 0 && buffer_[next_] == c) ++next_;
  }
  bool at_end() { return fill(1) == 0; }
  int64_t offset() const { return at_ - static_cast<int64_t>(end_ - next_); }

 private:
  // Returns the number of bytes in the buffer: `count` or more, unless the file ends.
  size_t fill(size_t count) {
    if (end_ - next_ >= count) return end_ - next_;
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(next_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= next_;
    next_ = 0;
    if (buffer_.size() < std::max(count, buffer_size)) buffer_.resize(std::max(count, buffer_size));
    const size_t got = file_.read_at(at_, std::span(buffer_).subspan(end_));
    at_ += static_cast<int64_t>(got);
    return end_ += got;
  }

  const File& file_;
  std::vector<char> buffer_;
  size_t next_ = 0, end_ = 0;
  int64_t at_;  // of the end of the buffer, in the file
};

std::string_view without_blanks_at_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

// Returns the last field of the text, and removes it with the blanks around it.
std::string_view take_last_field(std::string_view& text) {
  text = without_blanks_at_end(text);
  const size_t begin = text.find_last_of(blanks) + 1;  // 0 if there is none
  const std::string_view field = text.substr(begin);
  text = without_blanks_at_end(text.substr(0, begin));
  return field;
}

std::optional<float> finite_number(std::string_view field) {
  const auto number = parse_number<double>(field);
  if (!number || !std::isfinite(static_cast<float>(*number))) return std::nullopt;
  return static_cast<float>(*number);
}

// Fills `vector` from a line and returns the line's word; returns an empty word if the line has
// another form.
std::string_view word_and_vector(std::string_view line, std::span<float> vector) {
  for (size_t i = vector.size(); i > 0; --i) {
    const auto number = finite_number(take_last_field(line));
    if (!number) return {};
    vector[i - 1] = *number;
  }
  // The line has a number too many.
  if (std::string_view rest = line; finite_number(take_last_field(rest)) && !rest.empty())
    return {};
  return line;
}

// How many numbers the line has at its end; its first field is a word.
int64_t numbers_in(std::string_view line) {
  int64_t count = 0;
  while (finite_number(take_last_field(line)) && !line.empty()) ++count;
  return count;
}

// Whether the data after the header are binary. `start` is their beginning, `line` their first
// line.
bool looks_binary(std::string_view start, std::string_view line, int64_t dimension) {
  std::vector<float> vector(static_cast<size_t>(dimension));
  if (!word_and_vector(line, vector).empty()) return false;
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r';
  };
  if (std::ranges::any_of(start, is_control)) return true;
  // `start` may end within a character.
  return find_invalid_utf8(start.substr(0, start.find_last_of(" \n") + 1)).has_value();
}

}  // namespace

WordVectorFile::WordVectorFile(const std::string& path) : path_(path), file_(open_unpacked(path)) {
  if (Cursor(file_, 0).bytes(3) == "\xEF\xBB\xBF") begin_ = 3;
  Cursor cursor(file_, begin_);
  if (cursor.at_end()) fail("{}: the file is empty", path_);
  std::string_view line = cursor.until('\n', longest_text).text;
  std::string_view rest = line;
  const auto second = parse_number<int64_t>(take_last_field(rest));
  const auto first = parse_number<int64_t>(rest);
  if (!first || !second) {
    dimension_ = numbers_in(line);
    if (dimension_ > 0 && dimension_ <= largest_dimension) return;
    fail("{}:1: must be a word and its numbers, or the numbers of words and dimensions", path_);
  }
  words_ = *first;
  dimension_ = *second;
  begin_ = cursor.offset();
  if (words_ < 1 || dimension_ < 1 || dimension_ > largest_dimension) {
    fail("{}:1: {} vectors of {} numbers; there must be 1 vector or more, of 1 to {} numbers",
         path_, words_, dimension_, largest_dimension);
  }
  const std::string start(cursor.bytes(8192));
  const std::string begin_of_vectors(Cursor(file_, begin_).until('\n', longest_text).text);
  binary_ = looks_binary(start, begin_of_vectors, dimension_);
}

void WordVectorFile::read(const Visit& visit) const {
  binary_ ? read_binary(visit) : read_text(visit);
}

void WordVectorFile::read_text(const Visit& visit) const {
  Cursor cursor(file_, begin_);
  std::vector<float> vector(static_cast<size_t>(dimension_));
  int64_t number = words_ < 0 ? 1 : 2;
  int64_t count = 0;
  for (; !cursor.at_end(); ++number, ++count) {
    if (count == words_) fail("{}:{}: follows the {} vectors of line 1", path_, number, words_);
    const Cursor::Text line = cursor.until('\n', longest_text);
    if (line.text.size() == longest_text) {
      fail("{}:{}: longer than {} bytes", path_, number, longest_text);
    }
    const std::string_view word = word_and_vector(line.text, vector);
    if (word.empty()) {
      fail("{}:{}: must be a word and {} finite numbers", path_, number, dimension_);
    }
    visit(word, vector);
  }
  if (count < words_) {
    fail("{}: truncated: ends after {} of the {} vectors of line 1", path_, count, words_);
  }
}

void WordVectorFile::read_binary(const Visit& visit) const {
  Cursor cursor(file_, begin_);
  std::vector<float> vector(static_cast<size_t>(dimension_));
  const size_t bytes = vector.size() * sizeof(float);
  for (int64_t i = 1; i <= words_; ++i) {
    cursor.skip('\n');
    const Cursor::Text found = cursor.until(' ', longest_word);
    if (!found.ended || found.text.empty()) {
      fail("{}: vector {} of {}: {}", path_, i, words_,
           cursor.at_end() ? "the file is truncated" : "no word and space before it");
    }
    const std::string word(found.text);
    const std::string_view raw = cursor.bytes(bytes);
    if (raw.size() < bytes) {
      fail("{}: vector {} of {}, '{}': the file is truncated", path_, i, words_, word);
    }
    std::memcpy(vector.data(), raw.data(), bytes);
    if (!std::ranges::all_of(vector, [](float v) { return std::isfinite(v); })) {
      fail("{}: vector {} of {}, '{}': a number is not finite", path_, i, words_, word);
    }
    visit(word, vector);
  }
  cursor.skip('\n');
  if (!cursor.at_end()) fail("{}: bytes follow the {} vectors of line 1", path_, words_);
}

}  // namespace calque
