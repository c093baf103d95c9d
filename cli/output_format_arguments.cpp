#include "cli/output_format_arguments.h"

#include "core/error.h"
#include "data/files/file.h"

namespace calque {
namespace {

constexpr int64_t largest_schema_file = 16 << 20;

}  // namespace

void add_output_format_options(CLI::App& command, OutputFormat& format) {
  using Kind = OutputFormat::Kind;
  CLI::Option* regex = command.add_option_function<std::string>(
      "--regex",
      [&format](const std::string& text) {
        format = {Kind::regex, text, "--regex"};
      },
      "Write only what matches this regular expression as a whole");
  regex->type_name("REGEX");
  CLI::Option* schema = command.add_option_function<std::string>(
      "--json-schema",
      [&format](const std::string& path) {
        format = {Kind::json_schema, "", path};
      },
      "Write only JSON that is valid for the JSON schema in this file");
  schema->type_name("FILE");
  CLI::Option* json = command.add_flag_callback(
      "--json",
      [&format] {
        format = {Kind::json_object, "", "--json"};
      },
      "Write only a JSON object");
  regex->excludes(schema)->excludes(json);
  schema->excludes(json);
}

OutputFormat with_schema_read(OutputFormat format) {
  if (format.kind == OutputFormat::Kind::json_schema) {
    format.text = read_file(format.name, largest_schema_file);
  }
  return format;
}

}  // namespace calque
