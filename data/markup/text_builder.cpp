#include "data/markup/text_builder.h"

#include <algorithm>
#include <utility>

namespace calque {
namespace {

constexpr std::string_view folded_spaces = " \t\n\r\f\v";
constexpr size_t most_open = 100;

// Where kept_begin or kept_end is; otherwise the end.
size_t find_kept_mark(std::string_view text, size_t at) {
  const std::string_view common = kept_begin.substr(0, 2);
  for (at = text.find(common, at); at != text.npos; at = text.find(common, at + 1)) {
    const std::string_view here = text.substr(at);
    if (here.starts_with(kept_begin) || here.starts_with(kept_end)) return at;
  }
  return text.size();
}

}  // namespace

void MarkedTextBuilder::add(std::string_view text, TextRange from) {
  const bool verbatim = text.size() == from.end - from.begin;
  size_t marker = find_kept_mark(text, 0);
  for (size_t at = 0; at < text.size();) {
    if (marker < at) marker = find_kept_mark(text, at);
    const bool space = folded_spaces.find(text[at]) != folded_spaces.npos;
    const std::string_view before = text.substr(0, marker);
    size_t end = std::min(space ? before.find_first_not_of(folded_spaces, at)
                                : before.find_first_of(folded_spaces, at),
                          before.size());
    const auto range = [&](size_t to) {
      return verbatim ? TextRange{from.begin + at, from.begin + to} : from;
    };
    if (end == at) {  // a file that has these characters keeps them
      end = at + kept_begin.size();
      keep(range(end));
    } else if (!space) {
      items_.push_back({Kind::text, std::string(text.substr(at, end - at)), range(end)});
      has_text_ = true;
    } else if (!items_.empty() && items_.back().kind == Kind::space) {
      items_.back().range.end = range(end).end;
    } else {
      items_.push_back({Kind::space, " ", range(end)});
    }
    at = end;
  }
}

void MarkedTextBuilder::add_line_end(TextRange from) {
  if (!items_.empty() && items_.back().kind == Kind::space) {
    items_.back().text = "\n";
    items_.back().range.end = from.end;
  } else {
    items_.push_back({Kind::space, "\n", from});
  }
}

void MarkedTextBuilder::keep(TextRange range) {
  items_.push_back({Kind::text, kept_part(kept_->size()), range});
  kept_->push_back(range);
  has_text_ = true;
}

void MarkedTextBuilder::open(std::string name, TextRange range) {
  items_.push_back({Kind::tag, "", range, TagRole::opening, std::move(name)});
}

void MarkedTextBuilder::close(std::string name, TextRange range, std::string instead) {
  items_.push_back({Kind::tag, "", range, TagRole::closing, std::move(name), std::move(instead)});
}

void MarkedTextBuilder::put(TextRange range, TagRole role) {
  items_.push_back({Kind::tag, "", range, role});
}

std::string MarkedTextBuilder::last_words() const {
  constexpr size_t enough = 40;
  std::string words;
  for (auto item = items_.rbegin(); item != items_.rend() && words.size() < enough; ++item) {
    words.insert(0, item->text);
  }
  return words;
}

// A closing tag belongs to the last open one of its name. Those that it leaves open, as in
// <b><i></b></i>, are tags at a place. What is open at the end or before a border stays open.
void MarkedTextBuilder::pair_tags() {
  std::vector<size_t> open;
  int32_t pairs = 0;
  for (size_t i = 0; i < items_.size(); ++i) {
    Item& item = items_[i];
    if (item.kind != Kind::tag) continue;
    if (item.role == TagRole::border) open.clear();
    if (item.role == TagRole::opening) {
      if (open.size() < most_open) {
        open.push_back(i);
      } else {
        item.role = TagRole::alone;
      }
    }
    if (item.role != TagRole::closing) continue;
    const auto found = std::find_if(open.rbegin(), open.rend(),
                                    [&](size_t k) { return items_[k].name == item.name; });
    if (found == open.rend()) {
      if (!open.empty()) item.role = TagRole::alone;
      continue;
    }
    const auto own = found.base() - 1;
    for (auto inner = own + 1; inner != open.end(); ++inner) items_[*inner].role = TagRole::alone;
    items_[*own].pair = item.pair = pairs++;
    open.erase(own, open.end());
  }
}

// Whether the item marks nothing of the text behind it, as white space and a tag at a place.
bool MarkedTextBuilder::needless_at_begin(size_t item) const {
  const Item& first = items_[item];
  if (first.kind != Kind::tag || first.role != TagRole::opening) return first.kind != Kind::text;
  return first.pair < 0 || items_[item + 1].pair == first.pair;
}

bool MarkedTextBuilder::needless_at_end(size_t item) const {
  const Item& last = items_[item];
  if (last.kind != Kind::tag || last.role != TagRole::closing) return last.kind != Kind::text;
  return last.pair < 0;
}

// The items from the first to the last that the text needs.
MarkedTextBuilder::Needed MarkedTextBuilder::needed() const {
  size_t begin = 0, end = items_.size();
  while (has_text_) {
    const Item &first = items_[begin], &last = items_[end - 1];
    if (needless_at_begin(begin)) {
      ++begin;
    } else if (needless_at_end(end - 1)) {
      --end;
    } else if (first.pair >= 0 && first.pair == last.pair) {  // around the whole text
      ++begin, --end;
    } else {
      break;
    }
  }
  return {begin, end};
}

PlacedText MarkedTextBuilder::take() {
  pair_tags();
  const auto [begin, end] = needed();
  PlacedText placed;
  if (has_text_) placed.range = {items_[begin].range.begin, items_[end - 1].range.end};
  for (size_t i = begin; i < end && has_text_; ++i) {
    Item& item = items_[i];
    if (item.kind == Kind::tag) {
      placed.text.tags.push_back(
          {placed.text.text.size(), item.role, item.pair, item.range, std::move(item.instead)});
    } else {
      placed.text.text += item.text;
    }
  }
  items_.clear();
  has_text_ = false;
  return placed;
}

}  // namespace calque
