#include "data/markup/xliff.h"

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "data/formats/xml.h"
#include "data/markup/html_tags.h"
#include "data/markup/xliff_source.h"

namespace calque {
namespace {

bool is_unit(std::string_view name) { return name == "trans-unit" || name == "segment"; }
// Elements with a source and a target that are suggestions.
bool is_suggestion(std::string_view name) { return name == "alt-trans" || name == "match"; }

bool needs_translation(std::string_view state) {
  static constexpr std::string_view states[] = {"new", "needs-translation", "initial"};
  return is_one_of(states, state);
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == text.npos; }

struct Element {
  TextRange range, content;
};

struct Unit {
  std::optional<Element> source, target;
  size_t behind_source = 0;  // or behind seg-source
  bool wanted = true;        // not translate="no"
  bool initial = false;      // by a state of the segment or the target
  std::optional<TextRange> segment_state;
  std::string target_attributes;  // without a state
};

class XliffTexts {
 public:
  explicit XliffTexts(std::string_view bytes) : bytes_(bytes) {}

  Markup read() {
    for (size_t at = bytes_.find('<'); at < bytes_.size(); at = bytes_.find('<', at)) {
      if (const size_t end = behind_opaque(bytes_, at); end > at) {
        at = end;
        continue;
      }
      const auto tag = html_tag_at(bytes_, at);
      at = tag ? tag->range.end : at + 1;
      if (tag && tag->kind == HtmlTag::Kind::opening) open(*tag);
      if (tag && tag->kind == HtmlTag::Kind::closing) close(*tag);
    }
    return std::move(found_);
  }

  bool is_xliff() const { return is_xliff_; }

 private:
  std::string_view value(const HtmlTag& tag, std::string_view name) const {
    return attribute_of(bytes_, tag, name);
  }

  void open(const HtmlTag& tag) {
    const std::string_view name = without_prefix(tag.name);
    if (open_.empty()) is_xliff_ = name == "xliff";
    const bool wanted = open_.empty() || open_.back().wanted;
    const std::string_view translate = value(tag, "translate");
    if (name == "target" && unit_ && suggestions_ == 0 && in_unit()) read_target(tag);
    open_.push_back({tag, translate.empty() ? wanted : translate == "yes"});
    if (name == "xliff") is_version_2_ = value(tag, "version").starts_with('2');
    if (name == "xliff" || name == "file") read_languages(tag);
    if (is_suggestion(name)) ++suggestions_;
    if (is_unit(name) && suggestions_ == 0) begin_unit(tag);
    if (tag.closes_itself) close(tag);
  }

  void close(const HtmlTag& tag) {
    if (open_.empty()) return;
    const HtmlTag begin = open_.back().tag;
    open_.pop_back();
    const std::string_view name = without_prefix(tag.name);
    if (is_suggestion(name)) --suggestions_;
    if (!unit_ || suggestions_ > 0) return;
    if (is_unit(name)) return end_unit();
    if (!in_unit()) return;
    const Element element{{begin.range.begin, tag.range.end},
                          {begin.range.end, std::max(begin.range.end, tag.range.begin)}};
    if (name == "source") unit_->source = element;
    if (name == "source" || name == "seg-source") unit_->behind_source = tag.range.end;
    if (name == "target") unit_->target = element;
  }

  // Whether the innermost open element is a unit.
  bool in_unit() const { return !open_.empty() && is_unit(without_prefix(open_.back().tag.name)); }

  // The codes of the source and of the target language; the latter is added if it is missing.
  void read_languages(const HtmlTag& tag) {
    std::optional<TextRange> source, target;
    for (const HtmlAttribute& each : attributes_of(bytes_, tag)) {
      if (each.name == "srclang" || each.name == "source-language") source = each.value;
      if (each.name == "trglang" || each.name == "target-language") target = each.value;
    }
    if (!source) return;
    found_.source_languages.push_back(*source);
    if (target) return found_.target_languages.push_back(*target);
    const size_t behind = source->end + 1;  // the quote
    found_.edits.push_back({{behind, behind},
                            is_version_2_ ? " trgLang=\"" : " target-language=\"",
                            MarkupEdit::Language::with,
                            "\""});
  }

  void begin_unit(const HtmlTag& tag) {
    unit_.emplace();
    unit_->wanted = open_.back().wanted && value(tag, "approved") != "yes";
    for (const HtmlAttribute& each : attributes_of(bytes_, tag)) {
      if (each.name != "state") continue;
      unit_->segment_state = each.value;
      unit_->initial = needs_translation(each.value.of(bytes_));
    }
  }

  void read_target(const HtmlTag& tag) {
    for (const HtmlAttribute& each : attributes_of(bytes_, tag)) {
      if (each.name == "state") {
        if (needs_translation(each.value.of(bytes_))) unit_->initial = true;
      } else if (each.quote != 0 && each.name != "state-qualifier") {
        const size_t begin = bytes_.find_last_of(" \t\r\n", each.value.begin);
        unit_->target_attributes +=
            " " + std::string(bytes_.substr(begin + 1, each.value.end - begin));
      }
    }
  }

  void end_unit() {
    const Unit unit = *std::exchange(unit_, std::nullopt);
    if (!unit.source || !unit.wanted) return;
    const bool is_empty = !unit.target || is_blank(unit.target->content.of(bytes_));
    if (!is_empty && !unit.initial) return;
    PlacedText placed = xliff_source(bytes_, unit.source->content, found_.kept);
    if (!has_words(placed.text.text)) return;
    // White space and codes at the ends of the source are no part of the text.
    const TextRange before{unit.source->content.begin, placed.range.begin};
    const TextRange after{placed.range.end, unit.source->content.end};
    MarkupText text{.text = std::move(placed.text), .range = {}, .form = TextForm::html};
    text.before =
        fmt::format("{}<{}{}>{}", unit.target ? "" : line_before(unit.source->range.begin),
                    target_tag(unit), target_state(unit), before.of(bytes_));
    text.after = fmt::format("{}</{}>", after.of(bytes_), prefix_of(unit) + "target");
    text.range =
        unit.target ? unit.target->range : TextRange{unit.behind_source, unit.behind_source};
    found_.texts.push_back(std::move(text));
    if (unit.segment_state && needs_translation(unit.segment_state->of(bytes_))) {
      found_.edits.push_back({*unit.segment_state, "translated"});
    }
  }

  // The prefix of the source's namespace with its colon, if it has one.
  std::string prefix_of(const Unit& unit) const {
    const std::string name = html_tag_at(bytes_, unit.source->range.begin)->name;
    return name.substr(0, name.size() - without_prefix(name).size());
  }
  std::string target_tag(const Unit& unit) const {
    return prefix_of(unit) + "target" + unit.target_attributes;
  }
  std::string_view target_state(const Unit&) const {
    return is_version_2_ ? "" : " state=\"needs-review-translation\"";
  }

  // The line end and the indentation of an element that begins a line.
  std::string_view line_before(size_t at) const {
    const size_t end = at == 0 ? bytes_.npos : bytes_.find_last_not_of(" \t\r\n", at - 1);
    return end == bytes_.npos ? "" : bytes_.substr(end + 1, at - end - 1);
  }

  struct Open {
    HtmlTag tag;
    bool wanted;
  };

  std::string_view bytes_;
  Markup found_;
  std::vector<Open> open_;
  std::optional<Unit> unit_;
  int suggestions_ = 0;
  bool is_xliff_ = false, is_version_2_ = false;
};

struct NoEvents {
  void start(std::string_view, const XmlAttributes&, int64_t) {}
  void end(std::string_view) {}
  void text(std::string_view) {}
};

}  // namespace

Markup read_xliff_texts(std::string_view bytes, const std::string& name) {
  NoEvents none;
  read_xml(bytes, name, events_of(none));  // what follows relies on well-formed XML
  XliffTexts reader(bytes);
  Markup markup = reader.read();
  if (!reader.is_xliff()) fail("{}: not XLIFF: its first element is another", name);
  std::ranges::sort(markup.edits, {}, [](const MarkupEdit& each) { return each.range.begin; });
  return markup;
}

}  // namespace calque
