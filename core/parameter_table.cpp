#include "core/parameter_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

namespace calque {
namespace {

bool is_number(std::string_view part) {
  return !part.empty() &&
         std::ranges::all_of(part, [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('.', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// The module of a parameter: its path without the parameter's own name, cut off after the first
// part that follows the last number.
std::vector<std::string_view> module_of(std::string_view name) {
  std::vector<std::string_view> parts = parts_of(name);
  if (parts.size() > 1) parts.pop_back();
  const auto number = std::ranges::find_if(parts.rbegin(), parts.rend(), is_number);
  const auto below = static_cast<size_t>(number - parts.rbegin());
  if (number != parts.rend() && below > 1) parts.resize(parts.size() - below + 1);
  return parts;
}

struct Module {
  std::string path, pattern;  // layers.0.norm, layers.*.norm
  int64_t size = 0;
};

std::vector<Module> modules_of(const Parameters& parameters) {
  std::vector<Module> modules;
  for (const Parameters::Entry& entry : parameters.entries()) {
    const std::vector<std::string_view> parts = module_of(entry.name);
    std::string path = fmt::format("{}", fmt::join(parts, "."));
    auto found = std::ranges::find(modules, path, &Module::path);
    if (found == modules.end()) {
      std::vector<std::string_view> pattern = parts;
      std::ranges::replace_if(pattern, is_number, std::string_view("*"));
      modules.push_back({std::move(path), fmt::format("{}", fmt::join(pattern, "."))});
      found = modules.end() - 1;
    }
    found->size += entry.shape.elements();
  }
  return modules;
}

struct Line {
  std::string pattern;
  int64_t size, copies;
};

std::vector<Line> lines_of(const std::vector<Module>& modules) {
  std::vector<Line> lines;
  for (const Module& module : modules) {
    const auto found = std::ranges::find_if(lines, [&](const Line& line) {
      return line.pattern == module.pattern && line.size == module.size;
    });
    if (found == lines.end()) {
      lines.push_back({module.pattern, module.size, 1});
    } else {
      ++found->copies;
    }
  }
  return lines;
}

std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = std::ssize(digits) - 3; at > 0; at -= 3) digits.insert(at, 1, ',');
  return digits;
}

}  // namespace

std::string parameter_table(const Parameters& parameters) {
  const std::vector<Line> lines = lines_of(modules_of(parameters));
  const int64_t total = parameters.count();
  std::string text;
  const auto add = [&](std::string_view name, std::string_view factors, int64_t size) {
    const double share =
        total > 0 ? 100 * static_cast<double>(size) / static_cast<double>(total) : 100;
    text += fmt::format("{:<36}{:>18}{:>16}{:>8.1f}%\n", name, factors, grouped(size), share);
  };
  for (const Line& line : lines) {
    const std::string factors =
        line.copies > 1 ? fmt::format("{} x {}", line.copies, grouped(line.size)) : "";
    add(line.pattern, factors, line.copies * line.size);
  }
  add("total", "", total);
  return text;
}

}  // namespace calque
