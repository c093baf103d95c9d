#include "data/markup/tag_placeholders.h"

#include "core/error.h"

namespace calque {
namespace {

std::string placeholder(size_t tag) {
  return std::string(kept_begin) + "t" + std::to_string(tag) + std::string(kept_end);
}

}  // namespace

std::string with_tag_placeholders(const MarkedText& text) {
  std::string all;
  size_t at = 0;
  for (size_t i = 0; i < text.tags.size(); ++i) {
    all.append(text.text, at, text.tags[i].at - at).append(placeholder(i));
    at = text.tags[i].at;
  }
  return all.append(text.text, at);
}

MarkedText without_tag_placeholders(std::string_view translation, const MarkedText& source) {
  MarkedText marked;
  size_t at = 0;
  for (size_t i = 0; i < source.tags.size(); ++i) {
    const std::string own = placeholder(i);
    const size_t found = translation.find(own, at);
    require(found != translation.npos, "tag {} of {} is not in its place", i, source.tags.size());
    marked.text += translation.substr(at, found - at);
    marked.tags.push_back(source.tags[i]);
    marked.tags.back().at = marked.text.size();
    at = found + own.size();
  }
  marked.text += translation.substr(at);
  return marked;
}

}  // namespace calque
