#pragma once
// XML as a stream of events, by expat. Entity declarations, elements nested deeper than 200 and
// texts of more than a megabyte are refused; external files are never read. Names are without their
// prefix, except xml:lang and xml:space.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "data/files/file.h"

namespace calque {

using XmlAttributes = std::map<std::string, std::string, std::less<>>;

// `line` is that of the tag or of the text's end.
struct XmlEvents {
  std::function<void(std::string_view name, const XmlAttributes& attributes, int64_t line)> start;
  std::function<void(std::string_view name, int64_t line)> end;
  std::function<void(std::string_view text)> text;  // UTF-8, in parts
};

// Whether an element of TMX or XLIFF has a code of another format as its text.
inline bool is_code(std::string_view name) {
  return name == "bpt" || name == "ept" || name == "it" || name == "ph" || name == "ut";
}

// Throws an Error that names the line; also passes on what the events throw. `name` is the file's.
void read_xml(const File& file, const std::string& name, const XmlEvents& events);

}  // namespace calque
