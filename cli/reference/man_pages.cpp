// A line of roff that begins with a dot is a request, so every line of text begins with \& where it
// could be one.
#include "cli/reference/man_pages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <sstream>
#include <string_view>

#include "data/text/utf8.h"

namespace calque {
namespace {

std::string escaped(std::string_view text) {
  std::string roff;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    switch (c) {
      case '\\':
        roff += "\\e";
        break;
      case '-':
        roff += "\\-";
        break;
      case '\'':
        roff += "\\(aq";
        break;
      case '`':
        roff += "\\(ga";
        break;
      case '^':
        roff += "\\(ha";
        break;
      case '~':
        roff += "\\(ti";
        break;
      default:
        if (c < 128) {
          roff += static_cast<char>(c);
        } else {
          roff += fmt::format("\\[u{:04X}]", static_cast<uint32_t>(c));
        }
    }
  }
  return roff.starts_with('.') ? "\\&" + roff : roff;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string page_name(const Command& command) {
  std::string name = command.name;
  for (char& c : name) c = c == ' ' ? '-' : c;
  return name;
}

// [OPTIONS] RUN [PROMPT]
std::string usage(const Command& command) {
  std::string text = bold(command.name) + " [" + italic("OPTIONS") + "]";
  for (const CommandArgument& argument : command.arguments) {
    std::string word = italic(argument.names.front()) + (argument.repeated ? "..." : "");
    text += argument.required ? " " + word : " [" + word + "]";
  }
  if (!command.commands.empty()) text += " " + italic("COMMAND");
  return text + "\n";
}

std::string remarks(const CommandArgument& argument) {
  std::string text;
  const auto add = [&](const std::string& remark) {
    text += text.empty() ? remark : "; " + remark;
  };
  if (!argument.choices.empty()) add(fmt::format("one of {}", fmt::join(argument.choices, ", ")));
  if (!argument.default_value.empty()) add("default: " + argument.default_value);
  if (!argument.needs.empty()) add(fmt::format("needs {}", fmt::join(argument.needs, ", ")));
  if (!argument.excludes.empty()) {
    add(fmt::format("not with {}", fmt::join(argument.excludes, ", ")));
  }
  return text.empty() ? "" : " (" + text + ")";
}

std::string described(const CommandArgument& argument) {
  std::string head;
  if (argument.names.front().starts_with('-')) {
    for (const std::string& name : argument.names) head += (head.empty() ? "" : ", ") + bold(name);
    if (!argument.value.empty()) head += " " + italic(argument.value);
  } else {
    head = italic(argument.names.front());
  }
  return ".TP\n" + head + "\n" + escaped(argument.meaning + remarks(argument)) + "\n";
}

std::string list(const std::string& title, const std::vector<CommandArgument>& arguments) {
  std::string text;
  for (const CommandArgument& argument : arguments) text += described(argument);
  return text.empty() ? "" : title + "\n" + text;
}

// Lines from "Example:" on are commands; lines that begin with a space are a table.
std::string footer(const Command& command, const std::string& section) {
  std::string notes, examples;
  std::istringstream lines(command.footer);
  for (std::string line; std::getline(lines, line);) {
    const bool first = line.starts_with("Example");
    if (first) line = line.substr(std::min(line.find(':') + 1, line.size()));
    if (first || !examples.empty()) {
      examples += escaped(line.substr(std::min(line.find_first_not_of(' '), line.size()))) + "\n";
    } else if (line.starts_with(' ')) {
      notes += ".nf\n" + escaped(line) + "\n.fi\n";
    } else {
      notes += escaped(line) + "\n";
    }
  }
  if (!notes.empty()) notes = section + " NOTES\n" + notes;
  if (!examples.empty()) examples = section + " EXAMPLES\n.nf\n" + examples + ".fi\n";
  return notes + examples;
}

std::string description(const Command& command) {
  std::string text =
      list(".SH ARGUMENTS", command.arguments) + list(".SH OPTIONS", command.options);
  if (command.commands.empty()) return text;
  text += ".SH COMMANDS\n";
  for (const Command& each : command.commands) {
    text += fmt::format(".SS {}\n{}.PP\n{}.\n", each.word(), usage(each), escaped(each.summary));
    for (const auto* arguments : {&each.arguments, &each.options}) {
      for (const CommandArgument& argument : *arguments) text += described(argument);
    }
    text += footer(each, ".PP\n.B");
  }
  return text;
}

std::string head(const Command& command, const std::string& version) {
  std::string upper = page_name(command);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(
      ".TH {} 1 \"\" \"calque {}\" \"calque\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}",
      escaped(upper), version, escaped(page_name(command)), escaped(command.summary),
      usage(command));
}

constexpr std::string_view exit_status =
    ".SH EXIT STATUS\n"
    "0 for success, 1 for an error, 2 for a wrong command line, and 128 + N if signal N has\n"
    "stopped a training. An error is one line on standard error.\n";

std::string overview(const Command& calque, const std::string& version) {
  std::string text = head(calque, version) + ".SH COMMANDS\n";
  for (const Command& command : calque.commands) {
    text += ".TP\n" + bold(command.word()) + "\n" + escaped(command.summary) + "\n";
  }
  text += list(".SH OPTIONS", calque.options);
  text += exit_status;
  text +=
      ".SH ENVIRONMENT\n"
      ".TP\n\\fBCALQUE_ISA\\fR\n"
      "The instruction set, such as avx2, instead of the highest that the processor has\n"
      ".TP\n\\fBOMP_NUM_THREADS\\fR\nThe number of threads, unless \\-\\-threads is given\n";
  text += footer(calque, ".SH") + ".SH SEE ALSO\n";
  std::string others;
  for (const Command& command : calque.commands) {
    others +=
        fmt::format("{}.BR {} (1)", others.empty() ? "" : " ,\n", escaped(page_name(command)));
  }
  return text + others + "\n";
}

}  // namespace

std::vector<ManPage> man_pages(const Command& calque, const std::string& version) {
  std::vector<ManPage> pages = {{"calque", overview(calque, version)}};
  for (const Command& command : calque.commands) {
    pages.push_back({page_name(command), head(command, version) + description(command) +
                                             std::string(exit_status) + footer(command, ".SH") +
                                             ".SH SEE ALSO\n.BR calque (1)\n"});
  }
  return pages;
}

}  // namespace calque
