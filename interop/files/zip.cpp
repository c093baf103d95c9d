#include "interop/files/zip.h"

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <set>

#include "core/error.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

constexpr uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50,
                   end64_mark = 0x06064b50, end64_place_mark = 0x07064b50;
constexpr size_t local_size = 30, central_size = 46, end_size = 22, end64_size = 56,
                 end64_place_size = 20;
constexpr uint32_t most32 = std::numeric_limits<uint32_t>::max();
constexpr uint16_t most16 = std::numeric_limits<uint16_t>::max();

template <class... Numbers>
void append_numbers(std::string& out, Numbers... numbers) {
  (out.append(reinterpret_cast<const char*>(&numbers), sizeof(numbers)), ...);
}

uint32_t zip_checksum(std::string_view bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// What the local and the central header of a file share: version 2.0, stored, 1 January 1980.
void append_description(std::string& out, uint32_t crc, uint32_t size, std::string_view name) {
  append_numbers(out, uint16_t{20}, uint16_t{0}, uint16_t{0}, uint16_t{0}, uint16_t{0x21}, crc,
                 size, size, static_cast<uint16_t>(name.size()), uint16_t{0});
}

struct ZipDirectory {
  uint64_t files = 0, size = 0, offset = 0;
};

// An entry of the directory.
struct ListedFile {
  std::string name;
  uint32_t crc = 0;
  uint64_t size = 0, offset = 0;  // of the file, and of its local header
};

class ZipReader {
 public:
  ZipReader(std::string_view bytes, const std::string& place) : bytes_(bytes), place_(place) {}

  std::vector<ZipFile> files() const {
    const ZipDirectory directory = find_directory();
    std::string_view rest = part(directory.offset, directory.size);
    std::vector<ZipFile> files;
    std::set<std::string> names;
    uint64_t total = 0;  // limited, as the checksums of overlapping files could take any time
    for (uint64_t i = 0; i < directory.files; ++i) {
      const ListedFile listed = next_listed(rest);
      if (!names.insert(listed.name).second) refuse(printable(listed.name) + " is there twice");
      if (listed.size > bytes_.size() - total) refuse_archive();
      total += listed.size;
      files.push_back({listed.name, contents(listed)});
    }
    return files;
  }

 private:
  [[noreturn]] void refuse(std::string_view why) const { fail("{}: {}", place_, why); }
  [[noreturn]] void refuse_archive() const { refuse("is not a whole zip archive"); }

  std::string_view part(uint64_t offset, uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) refuse_archive();
    return bytes_.substr(offset, size);
  }
  template <class Number>
  static Number number(std::string_view header, size_t at) {
    Number value;
    std::memcpy(&value, header.data() + at, sizeof(value));
    return value;
  }

  // The end record stores the length of the comment that follows it.
  size_t find_end() const {
    if (bytes_.size() < end_size) refuse_archive();
    const size_t last = bytes_.size() - end_size, first = last > most16 ? last - most16 : 0;
    for (size_t at = last + 1; at-- > first;) {
      const std::string_view end = bytes_.substr(at, end_size);
      if (number<uint32_t>(end, 0) == end_mark && number<uint16_t>(end, 20) == last - at) return at;
    }
    refuse_archive();
  }

  ZipDirectory find_directory() const {
    const size_t at = find_end();
    const std::string_view end = part(at, end_size);
    ZipDirectory found{number<uint16_t>(end, 10), number<uint32_t>(end, 12),
                       number<uint32_t>(end, 16)};
    if (found.files == most16 || found.size == most32 || found.offset == most32) {
      if (at < end64_place_size) refuse_archive();
      const std::string_view pointer = part(at - end64_place_size, end64_place_size);
      if (number<uint32_t>(pointer, 0) != end64_place_mark) return found;
      const std::string_view end64 = part(number<uint64_t>(pointer, 8), end64_size);
      if (number<uint32_t>(end64, 0) != end64_mark) refuse_archive();
      found = {number<uint64_t>(end64, 32), number<uint64_t>(end64, 40),
               number<uint64_t>(end64, 48)};
    }
    return found;
  }

  static std::string_view take(std::string_view& rest, size_t size) {
    const std::string_view taken = rest.substr(0, size);
    rest.remove_prefix(taken.size());
    return taken;
  }

  ListedFile next_listed(std::string_view& rest) const {
    const std::string_view header = take(rest, central_size);
    if (header.size() < central_size || number<uint32_t>(header, 0) != central_mark) {
      refuse_archive();
    }
    const auto name_size = number<uint16_t>(header, 28), extra_size = number<uint16_t>(header, 30),
               comment_size = number<uint16_t>(header, 32);
    if (rest.size() < size_t{name_size} + extra_size + comment_size) refuse_archive();
    ListedFile listed{.name = std::string(take(rest, name_size)),
                      .crc = number<uint32_t>(header, 16),
                      .size = number<uint32_t>(header, 24),
                      .offset = number<uint32_t>(header, 42)};
    const std::string_view extra = take(rest, extra_size);
    take(rest, comment_size);
    uint64_t stored = number<uint32_t>(header, 20);
    read_zip64(extra, listed, stored);
    const bool encrypted = (number<uint16_t>(header, 8) & 1) != 0;
    if (encrypted || number<uint16_t>(header, 10) != 0 || stored != listed.size) {
      refuse(printable(listed.name) + " is compressed or encrypted; calque reads stored files");
    }
    return listed;
  }

  // The extra field 1 holds the size, the stored size and the offset, each only if it does not fit
  // 32 bits.
  void read_zip64(std::string_view extra, ListedFile& listed, uint64_t& stored) const {
    while (extra.size() >= 4) {
      const auto kind = number<uint16_t>(extra, 0), size = number<uint16_t>(extra, 2);
      extra.remove_prefix(4);
      if (size > extra.size()) refuse_archive();
      std::string_view field = take(extra, size);
      if (kind != 1) continue;
      for (uint64_t* value : {&listed.size, &stored, &listed.offset}) {
        if (*value != most32) continue;
        if (field.size() < 8) refuse_archive();
        *value = number<uint64_t>(take(field, 8), 0);
      }
    }
  }

  // Only the lengths of the name and the extra field are read from the local header, as the sizes
  // may be stored after the file's bytes instead.
  std::string_view contents(const ListedFile& listed) const {
    const std::string_view header = part(listed.offset, local_size);
    if (number<uint32_t>(header, 0) != local_mark) refuse_archive();
    const uint64_t before =
        local_size + uint64_t{number<uint16_t>(header, 26)} + number<uint16_t>(header, 28);
    part(listed.offset, before);  // so that the sum below does not overflow
    const std::string_view bytes = part(listed.offset + before, listed.size);
    if (zip_checksum(bytes) != listed.crc) refuse(printable(listed.name) + " is damaged");
    return bytes;
  }

  std::string_view bytes_;
  const std::string& place_;
};

}  // namespace

std::vector<ZipFile> parse_zip(std::string_view archive, const std::string& place) {
  return ZipReader(archive, place).files();
}

void ZipWriter::add(std::string_view name, std::string_view bytes) {
  const uint64_t size = archive_.size() + directory_.size() + bytes.size() + 2 * name.size() + 1000;
  if (size > most32 || files_ + 1 == most16 || name.size() > most16) {
    fail("{}: the model has more than the 4 GB that a zip archive holds; use safetensors", place_);
  }
  const uint32_t crc = zip_checksum(bytes);
  const auto offset = static_cast<uint32_t>(archive_.size()),
             length = static_cast<uint32_t>(bytes.size());
  append_numbers(archive_, local_mark);
  append_description(archive_, crc, length, name);
  archive_.append(name).append(bytes);
  append_numbers(directory_, central_mark, uint16_t{20});
  append_description(directory_, crc, length, name);
  append_numbers(directory_, uint16_t{0}, uint16_t{0}, uint16_t{0}, uint32_t{0}, offset);
  directory_ += name;
  ++files_;
}

std::string ZipWriter::finish() {
  const auto offset = static_cast<uint32_t>(archive_.size()),
             size = static_cast<uint32_t>(directory_.size());
  archive_ += directory_;
  append_numbers(archive_, end_mark, uint16_t{0}, uint16_t{0}, files_, files_, size, offset,
                 uint16_t{0});
  return std::move(archive_);
}

}  // namespace calque
