#include "data/formats/pair_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace calque {
namespace {

constexpr size_t at_once = 1 << 20;

constexpr std::string_view memory_head =
    R"(<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4">
<header creationtool="calque" creationtoolversion="1" segtype="sentence" o-tmf="calque" adminlang="en" srclang="{}" datatype="plaintext"/>
<body>
)";
constexpr std::string_view memory_end = "</body>\n</tmx>\n";

// Without tabs, which end a field.
std::string field(std::string_view text) {
  std::string out(text);
  std::ranges::replace(out, '\t', ' ');
  return out;
}

// XML has no control characters but tabs, and neither U+FFFE nor U+FFFF.
std::string segment(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF")) {
      out += ' ';
      i += 2;
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += static_cast<unsigned char>(c) < ' ' && c != '\t' ? ' ' : c;
    }
  }
  return out;
}

bool is_table(const std::string& path) { return path.ends_with(".tsv"); }
bool is_memory(const std::string& path) { return path.ends_with(".tmx"); }

}  // namespace

std::vector<std::string> PairTarget::paths() const {
  if (is_table(to) || is_memory(to)) return {to};
  return {to + suffixes[0], to + suffixes[1]};
}

PairWriter::PairWriter(const PairTarget& target)
    : kind_(is_table(target.to)    ? Kind::table
            : is_memory(target.to) ? Kind::memory
                                   : Kind::lines),
      languages_(target.languages) {
  if (kind_ == Kind::memory && (languages_.source.empty() || languages_.target.empty())) {
    fail("{}: a translation memory needs the languages of its texts", target.to);
  }
  for (const std::string& path : target.paths()) files_.emplace_back(path);
  if (kind_ == Kind::memory) append(0, fmt::format(memory_head, segment(languages_.source)));
}

void PairWriter::add(std::string_view source, std::string_view target) {
  switch (kind_) {
    case Kind::lines:
      append(0, fmt::format("{}\n", source));
      append(1, fmt::format("{}\n", target));
      break;
    case Kind::table:
      append(0, fmt::format("{}\t{}\n", field(source), field(target)));
      break;
    case Kind::memory: {
      const auto variant = [](const std::string& language, std::string_view text) {
        return fmt::format("<tuv xml:lang=\"{}\"><seg>{}</seg></tuv>", segment(language),
                           segment(text));
      };
      append(0, fmt::format("<tu>{}{}</tu>\n", variant(languages_.source, source),
                            variant(languages_.target, target)));
      break;
    }
  }
}

void PairWriter::append(size_t file, std::string_view text) {
  std::string& waiting = waiting_[file];
  waiting += text;
  if (waiting.size() < at_once) return;
  files_[file].append(waiting);
  waiting.clear();
}

void PairWriter::finish() {
  if (kind_ == Kind::memory) append(0, memory_end);
  for (size_t i = 0; i < files_.size(); ++i) files_[i].append(waiting_[i]);
  for (NewFile& file : files_) file.finish();
}

}  // namespace calque
