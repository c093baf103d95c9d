#include "data/files/content_hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "data/files/file.h"

namespace calque {
namespace {

constexpr uint64_t prime1 = 0x9E3779B185EBCA87, prime2 = 0xC2B2AE3D27D4EB4F,
                   prime3 = 0x165667B19E3779F9, prime4 = 0x85EBCA77C2B2AE63,
                   prime5 = 0x27D4EB2F165667C5;

static_assert(std::endian::native == std::endian::little, "the hash reads little-endian words");

template <class Word>
Word word_at(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

uint64_t round(uint64_t lane, uint64_t word) {
  return std::rotl(lane + word * prime2, 31) * prime1;
}

void add_stripe(std::array<uint64_t, 4>& lanes, const char* from) {
  for (size_t i = 0; i < 4; ++i) lanes[i] = round(lanes[i], word_at<uint64_t>(from + 8 * i));
}

uint64_t merge_lanes(const std::array<uint64_t, 4>& lanes) {
  uint64_t hash = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
                  std::rotl(lanes[3], 18);
  for (const uint64_t lane : lanes) hash = (hash ^ round(0, lane)) * prime1 + prime4;
  return hash;
}

}  // namespace

ContentHash& ContentHash::add(std::string_view bytes) {
  const size_t held = length_ % 32;
  length_ += bytes.size();
  if (held > 0) {
    const size_t more = std::min(32 - held, bytes.size());
    std::memcpy(pending_.data() + held, bytes.data(), more);
    if (held + more < 32) return *this;
    add_stripe(lanes_, pending_.data());
    bytes.remove_prefix(more);
  }
  for (; bytes.size() >= 32; bytes.remove_prefix(32)) add_stripe(lanes_, bytes.data());
  if (!bytes.empty()) std::memcpy(pending_.data(), bytes.data(), bytes.size());
  return *this;
}

uint64_t ContentHash::value() const {
  uint64_t hash = length_ >= 32 ? merge_lanes(lanes_) : prime5;
  hash += length_;
  const char* at = pending_.data();
  const char* const end = at + length_ % 32;
  for (; end - at >= 8; at += 8) {
    hash = std::rotl(hash ^ round(0, word_at<uint64_t>(at)), 27) * prime1 + prime4;
  }
  if (end - at >= 4) {
    hash = std::rotl(hash ^ word_at<uint32_t>(at) * prime1, 23) * prime2 + prime3;
    at += 4;
  }
  for (; at < end; ++at) {
    hash = std::rotl(hash ^ static_cast<unsigned char>(*at) * prime5, 11) * prime1;
  }
  hash = (hash ^ hash >> 33) * prime2;
  hash = (hash ^ hash >> 29) * prime3;
  return hash ^ hash >> 32;
}

void add_file(const std::string& path, ContentHash& hash) {
  const File file = File::open(path);
  std::vector<char> buffer(1 << 20);
  int64_t at = 0;
  while (const size_t got = file.read_at(at, buffer)) {
    hash.add({buffer.data(), got});
    at += static_cast<int64_t>(got);
  }
  hash.add(at);
}

std::string hexadecimal(uint64_t hash) { return fmt::format("{:016x}", hash); }

}  // namespace calque
