// Only regular files are replaced by renaming: a rename would turn a device or a pipe into a file.
#include "cli/result_file.h"

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "cli/command_line.h"
#include "cli/output.h"
#include "core/error.h"
#include "data/files/gzip.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

namespace fs = std::filesystem;

void write_into(const std::string& file, std::string_view text) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) fail("{}: cannot be written{}", file, reason_given());
}

}  // namespace

void write_result(const std::string& file, std::string_view text) {
  if (file == "-") {
    write_output(text);
    return;
  }
  std::string gzip;
  if (is_gzip_name(file)) text = gzip = gzip_of(text);
  std::error_code ignored;
  const fs::file_status status = fs::status(file, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    write_into(file, text);
  } else {
    const fs::path target = fs::exists(status) ? fs::canonical(file) : fs::path(file);
    replace_text(real_files(), target.string(), text);
  }
  note("wrote {}\n", one_line(file));
}

}  // namespace calque
