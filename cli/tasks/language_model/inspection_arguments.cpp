#include "cli/tasks/language_model/inspection_arguments.h"

#include <fmt/format.h>

#include "cli/command_line.h"
#include "core/error.h"

namespace calque {
namespace {

// The values of an option, parsed.
template <class Value>
std::vector<Value> parsed(const char* option, Value (&parse)(const std::string&),
                          const std::vector<std::string>& texts) {
  std::vector<Value> values;
  for (const std::string& text : texts) {
    try {
      values.push_back(parse(text));
    } catch (const Error& error) {
      wrong_command_line(fmt::format("{}: {}", option, one_line(error.what())));
    }
  }
  return values;
}

}  // namespace

InspectionChoice inspection_choice(const ExplainArguments& arguments) {
  return {.against = arguments.against,
          .without = parsed("--without-heads", parse_head, arguments.without_heads),
          .steering = parsed("--steer", parse_steering, arguments.steer)};
}

}  // namespace calque
