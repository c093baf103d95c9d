#include "data/markup/subtitles.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/error.h"
#include "data/markup/html_references.h"
#include "data/markup/html_tags.h"
#include "data/markup/text_builder.h"
#include "data/text/regex.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

constexpr double longest_pause = 3;  // seconds between two subtitles of one sentence
constexpr size_t most_together = 8;  // subtitles

struct Subtitle {
  double begin = 0, end = 0;  // seconds
  std::vector<TextRange> lines;
};

struct Time {
  double seconds;
  size_t end;  // in the line
};

// "01:02:03,456", "01:02:03.456" or "02:03.456".
std::optional<Time> time_in(std::string_view line, size_t at) {
  static const Regex time(R"((?:[0-9]{1,9}:)?[0-9]{1,2}:[0-9]{1,2}[,.][0-9]{1,3}(?![0-9]))");
  const auto match = time.find(line, at);
  if (!match) return std::nullopt;
  double whole = 0, part = 0, digits = 1;
  bool fraction = false;
  double seconds = 0;
  for (const char c : line.substr(match->begin, match->end - match->begin)) {
    if (c == ':') {
      seconds = (seconds + whole) * 60, whole = 0;
    } else if (c == ',' || c == '.') {
      fraction = true;
    } else if (fraction) {
      part = part * 10 + (c - '0'), digits *= 10;
    } else {
      whole = whole * 10 + (c - '0');
    }
  }
  return Time{seconds + whole + part / digits, match->end};
}

// "00:00:01,000 --> 00:00:02,000", and what may follow.
std::optional<Subtitle> times_of(std::string_view line) {
  const size_t arrow = line.find("-->");
  if (arrow == line.npos) return std::nullopt;
  const auto begin = time_in(line.substr(0, arrow), 0), end = time_in(line, arrow + 3);
  if (!begin || !end) return std::nullopt;
  return Subtitle{begin->seconds, end->seconds, {}};
}

std::vector<Subtitle> subtitles_of(std::string_view file) {
  std::vector<Subtitle> all;
  bool within = false;
  for (size_t at = 0; at < file.size();) {
    const size_t feed = std::min(file.find('\n', at), file.size());
    TextRange line{at, feed};
    if (line.end > at && file[line.end - 1] == '\r') --line.end;
    const std::string_view text = line.of(file);
    at = feed + 1;
    if (text.find_first_not_of(" \t") == text.npos) {
      within = false;
    } else if (auto times = times_of(text)) {
      all.push_back(*std::move(times));
      within = true;
    } else if (within) {
      all.back().lines.push_back(line);
    }
  }
  return all;
}

// Whether a line is the speech of another person: "- Yes."
bool begins_speech(std::string_view line) {
  static const Regex dash(
      R"(^(?:<[^<>]{1,100}>|\{[^{}]{1,100}\})*\s*(?:[-\x{2010}-\x{2015}\x{2212}]|>>))");
  return dash.find(line).has_value();
}

// Whether the text before the end of a subtitle ends a sentence, so that the next begins another.
bool ends_sentence(std::string_view text) {
  static const Regex end(
      R"([.!?\x{2026}\x{3002}\x{FF01}\x{FF1F}\x{266A}\x{266B}:;)\]][\s"'\x{201C}\x{201D}\x{2019}\x{BB}\x{AB}]*$)");
  constexpr size_t read = 40;
  size_t at = text.size() > read ? text.size() - read : 0;
  while (is_inside_character(text, at)) ++at;
  return end.find(text.substr(at)).has_value();
}

class SubtitleReader {
 public:
  SubtitleReader(std::string_view file, TextForm form)
      : file_(file), form_(form), builder_(found_.kept) {}

  Markup read(const std::vector<Subtitle>& subtitles) {
    const Subtitle* last = nullptr;
    size_t together = 0;
    for (const Subtitle& each : subtitles) {
      if (each.lines.empty()) continue;
      if (!last || together == most_together || !goes_on(*last, each)) {
        end_text();
        together = 0;
      } else {
        builder_.add(" ", {last->lines.back().end, last->lines.back().end});
        builder_.put({last->lines.back().end, each.lines.front().begin}, TagRole::border);
      }
      add(each);
      last = &each;
      ++together;
    }
    end_text();
    return std::move(found_);
  }

 private:
  bool goes_on(const Subtitle& before, const Subtitle& after) const {
    const double pause = after.begin - before.end;
    const std::string_view next = after.lines.front().of(file_);
    constexpr std::string_view openings = "[(";
    return pause < longest_pause && pause > -longest_pause &&
           !ends_sentence(builder_.last_words()) && builder_.has_text() && !begins_speech(next) &&
           openings.find(next[0]) == openings.npos && !next.starts_with("\u266A");
  }

  void add(const Subtitle& subtitle) {
    for (size_t i = 0; i < subtitle.lines.size(); ++i) {
      const TextRange line = subtitle.lines[i];
      longest_ = std::max(longest_, static_cast<size_t>(count_code_points(line.of(file_))));
      if (i > 0) {
        const TextRange between{subtitle.lines[i - 1].end, line.begin};
        if (begins_speech(line.of(file_))) {
          builder_.add_line_end(between);
        } else {
          builder_.add(" ", between);
        }
      }
      add_line(line);
    }
  }

  void add_line(TextRange line) {
    const std::string_view file = file_.substr(0, line.end);
    ClosedTags tags;
    bool first = true;
    for (size_t at = line.begin; at < line.end;) {
      const size_t begin = at;
      if (const size_t end = end_of_mark(file, at, first); end > at) {
        at = end;
        builder_.put({begin, at});
      } else if (const auto tag = tags.at(file, at)) {
        at = tag->range.end;
        add_tag(*tag);
      } else {
        first = false;
        const auto [character, size] = form_ == TextForm::vtt && file[at] == '&'
                                           ? decoded_reference(file.substr(at))
                                           : std::pair(std::string(), size_t{0});
        if (size > 0) {
          at += size;
          builder_.add(character, {begin, at});
        } else {
          at = std::min(file.find_first_of("<&{", at + 1), line.end);
          builder_.add(file.substr(begin, at - begin), {begin, at});
        }
      }
    }
  }

  // "{\an8}", a time within a WebVTT subtitle, or "- " before the first word of a line.
  static size_t end_of_mark(std::string_view file, size_t at, bool first) {
    static const Regex code(R"(\G(?:\{\\[^{}]{1,200}\}|<[0-9:.]{1,20}>))");
    static const Regex dash(R"(\G(?:[-\x{2010}-\x{2015}\x{2212}](?![0-9])|>>)\s*+)");
    auto match = file[at] == '{' || file[at] == '<' ? code.find(file, at) : std::nullopt;
    if (!match && first) match = dash.find(file, at);
    return match ? match->end : at;
  }

  // "<c.yellow>" and "</c>" belong together.
  void add_tag(const HtmlTag& tag) {
    const std::string name = tag.name.substr(0, tag.name.find('.'));
    if (tag.kind == HtmlTag::Kind::opening && !tag.closes_itself) {
      builder_.open(name, tag.range);
    } else if (tag.kind == HtmlTag::Kind::closing) {
      builder_.close(name, tag.range);
    } else {
      builder_.put(tag.range);
    }
  }

  void end_text() {
    PlacedText placed = builder_.take();
    const size_t width = std::exchange(longest_, 0);
    if (!has_words(placed.text.text)) return;
    found_.texts.push_back({std::move(placed.text), placed.range, form_, width});
  }

  std::string_view file_;
  TextForm form_;
  Markup found_;
  MarkedTextBuilder builder_;
  size_t longest_ = 0;  // line, in characters
};

}  // namespace

Markup read_subtitles(std::string_view file, TextForm form, const std::string& name) {
  if (form == TextForm::vtt && !file.starts_with("WEBVTT")) {
    fail("{}:1: WebVTT begins with WEBVTT", name);
  }
  const std::vector<Subtitle> subtitles = subtitles_of(file);
  const bool blank = file.find_first_not_of(" \t\r\n") == file.npos;
  if (form == TextForm::srt && subtitles.empty() && !blank) {
    fail("{}:1: no subtitle: no line such as 00:00:01,000 --> 00:00:02,500", name);
  }
  return SubtitleReader(file, form).read(subtitles);
}

}  // namespace calque
