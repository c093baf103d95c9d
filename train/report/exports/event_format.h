#pragma once
// The bytes of a TensorBoard event file: protobuf messages Event (wall_time = 1, step = 2,
// file_version = 3, summary = 5, session_log = 7), each framed as a TFRecord:
//
//   uint64 length | uint32 masked_crc(length) | bytes | uint32 masked_crc(bytes)     little-endian

#include <cstdint>
#include <string>
#include <string_view>

namespace calque {

uint32_t crc32c(std::string_view bytes);  // Castagnoli's polynomial, as in iSCSI
uint32_t masked_crc32c(std::string_view bytes);

std::string framed_record(std::string_view bytes);

struct EventTime {
  double wall_time = 0;  // seconds since 1970
  int64_t step = 0;
};

std::string version_event(EventTime at);  // the first event of a file
// Marks the step at which a run starts or resumes: TensorBoard ignores this and later steps of
// older files.
std::string start_event(EventTime at);
std::string scalar_event(EventTime at, std::string_view tag, float value);
std::string text_event(EventTime at, std::string_view tag, std::string_view text);  // Markdown

}  // namespace calque
