#pragma once
// Definitions of links in Markdown: "[label]: address "title"".

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace calque {

// The labels of a file's definitions, as link_label() writes them, ascending.
using LinkLabels = std::vector<std::string>;

// What two labels that mean the same have in common: letters in lower case, single spaces.
std::string link_label(std::string_view text);

struct LinkDefinition {
  std::string label;  // as link_label() writes it
  size_t end;         // behind its last line
};

// The definition that begins at `at`, the begin of a line of a paragraph whose lines end in \n.
std::optional<LinkDefinition> link_definition(std::string_view paragraph, size_t at);

}  // namespace calque
