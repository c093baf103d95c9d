#pragma once
// Manual pages in the format of man(7): calque.1, and a page for each command, such as
// calque-train.1. A command with commands of its own describes them on its page.

#include <string>
#include <vector>

#include "cli/reference/command_table.h"

namespace calque {

struct ManPage {
  std::string name;  // without .1
  std::string text;
};

std::vector<ManPage> man_pages(const Command& calque, const std::string& version);

}  // namespace calque
