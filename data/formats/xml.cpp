#include "data/formats/xml.h"

#include <expat.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <vector>

#include "core/error.h"

namespace calque {
namespace {

constexpr int deepest = 200;
constexpr int64_t longest_text = 1 << 20;

struct Reading {
  XML_Parser parser;
  const std::string& name;
  const XmlEvents& events;
  int depth = 0;
  int64_t text = 0;  // bytes since the last tag
  std::exception_ptr thrown = nullptr;

  int64_t line() const { return static_cast<int64_t>(XML_GetCurrentLineNumber(parser)); }

  // No exception may pass through expat.
  template <class Act>
  void guarded(Act act) {
    if (thrown) return;
    try {
      act();
    } catch (...) {
      thrown = std::current_exception();
      XML_StopParser(parser, XML_FALSE);
    }
  }
};

Reading& reading_of(void* data) { return *static_cast<Reading*>(data); }

std::string_view local_name(std::string_view name) {
  if (name == "xml:lang" || name == "xml:space") return name;
  const size_t colon = name.find(':');
  return colon == name.npos ? name : name.substr(colon + 1);
}

void on_start(void* data, const XML_Char* name, const XML_Char** attributes) {
  Reading& reading = reading_of(data);
  reading.guarded([&] {
    if (++reading.depth > deepest) {
      fail("{}:{}: elements are nested deeper than {}; correct the file", reading.name,
           reading.line(), deepest);
    }
    reading.text = 0;
    XmlAttributes all;
    for (; *attributes; attributes += 2) all.emplace(local_name(attributes[0]), attributes[1]);
    reading.events.start(local_name(name), all, reading.line());
  });
}

void on_end(void* data, const XML_Char* name) {
  Reading& reading = reading_of(data);
  reading.guarded([&] {
    --reading.depth;
    reading.text = 0;
    reading.events.end(local_name(name));
  });
}

void on_text(void* data, const XML_Char* text, int length) {
  Reading& reading = reading_of(data);
  reading.guarded([&] {
    reading.text += length;
    if (reading.text > longest_text) {
      fail("{}:{}: a text of more than {} bytes; divide it", reading.name, reading.line(),
           longest_text);
    }
    reading.events.text({text, static_cast<size_t>(length)});
  });
}

void on_entity(void* data, const XML_Char* name, int, const XML_Char*, int, const XML_Char*,
               const XML_Char*, const XML_Char*, const XML_Char*) {
  Reading& reading = reading_of(data);
  reading.guarded([&] {
    fail("{}:{}: declares the entity {}; write its text instead", reading.name, reading.line(),
         std::string(name).substr(0, 50));
  });
}

class XmlReader {
 public:
  XmlReader(const std::string& name, const XmlEvents& events)
      : parser_(XML_ParserCreate(nullptr), XML_ParserFree) {
    if (!parser_) throw std::bad_alloc();
    reading_ =
        std::make_unique<Reading>(Reading{.parser = parser_.get(), .name = name, .events = events});
    XML_SetUserData(parser_.get(), reading_.get());
    XML_SetElementHandler(parser_.get(), on_start, on_end);
    XML_SetCharacterDataHandler(parser_.get(), on_text);
    XML_SetEntityDeclHandler(parser_.get(), on_entity);
  }

  void read(std::string_view part, bool last) {
    if (XML_Parse(parser_.get(), part.data(), static_cast<int>(part.size()), last) ==
        XML_STATUS_OK) {
      return;
    }
    if (reading_->thrown) std::rethrow_exception(reading_->thrown);
    fail("{}:{}: is not well-formed XML: {}; correct the file", reading_->name, reading_->line(),
         XML_ErrorString(XML_GetErrorCode(parser_.get())));
  }

 private:
  std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser_;
  std::unique_ptr<Reading> reading_;
};

constexpr size_t bytes_at_once = 1 << 16;

}  // namespace

void read_xml(const File& file, const std::string& name, const XmlEvents& events) {
  XmlReader reader(name, events);
  std::vector<char> buffer(bytes_at_once);
  bool last = false;
  for (int64_t at = 0; !last;) {
    const size_t got = file.read_at(at, buffer);
    at += static_cast<int64_t>(got);
    last = got < buffer.size();
    reader.read({buffer.data(), got}, last);
  }
}

void read_xml(std::string_view bytes, const std::string& name, const XmlEvents& events) {
  XmlReader reader(name, events);
  for (bool last = false; !last; bytes.remove_prefix(std::min(bytes.size(), bytes_at_once))) {
    last = bytes.size() <= bytes_at_once;
    reader.read(bytes.substr(0, bytes_at_once), last);
  }
}

}  // namespace calque
