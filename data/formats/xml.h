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

// The value of an attribute; empty if it is missing.
inline std::string value_of(const XmlAttributes& attributes, std::string_view name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? "" : found->second;
}

// `line` is that of the tag.
struct XmlEvents {
  std::function<void(std::string_view name, const XmlAttributes& attributes, int64_t line)> start;
  std::function<void(std::string_view name)> end;
  std::function<void(std::string_view text)> text;  // UTF-8, in parts
};

// The events of a reader with functions of these names. The reader must outlive them.
template <class Reader>
XmlEvents events_of(Reader& reader) {
  return {.start = [&](auto name, const auto& attributes,
                       int64_t line) { reader.start(name, attributes, line); },
          .end = [&](auto name) { reader.end(name); },
          .text = [&](auto text) { reader.text(text); }};
}

// Whether an element of TMX or XLIFF has a code of another format as its text.
inline bool is_code(std::string_view name) {
  return name == "bpt" || name == "ept" || name == "it" || name == "ph" || name == "ut";
}

// Throws an Error that names the line; also passes on what the events throw. `name` is the file's.
void read_xml(const File& file, const std::string& name, const XmlEvents& events);
void read_xml(std::string_view bytes, const std::string& name, const XmlEvents& events);

}  // namespace calque
