#pragma once
// Builds marked texts from left to right, and finds which closing tag belongs to which opening one.

#include <string>
#include <string_view>
#include <vector>

#include "data/markup/marked_text.h"

namespace calque {

// A marked text of a file, and the part of the file that it stands for.
struct PlacedText {
  MarkedText text;
  TextRange range;
};

class MarkedTextBuilder {
 public:
  // The kept parts of the whole file, which this text adds to.
  explicit MarkedTextBuilder(std::vector<TextRange>& kept) : kept_(&kept) {}

  // Adds a part of the file, or what it stands for. A run of white space becomes one space.
  void add(std::string_view text, TextRange from);
  // Adds a line end that ends a sentence.
  void add_line_end(TextRange from);
  void keep(TextRange range);
  // Tags with the same name belong together. At most 100 may be open at a time: the others are tags
  // at a place.
  void open(std::string name, TextRange range);
  void close(std::string name, TextRange range, std::string instead = {});
  void put(TextRange range, TagRole role = TagRole::alone);

  bool has_text() const { return has_text_; }
  std::string last_words() const;  // of the text so far

  // The text since the last call. White space at its ends is left out, and so are tags there that
  // do not mark a part of the text.
  PlacedText take();

 private:
  enum class Kind { text, space, tag };
  struct Item {
    Kind kind;
    std::string text;
    TextRange range;
    TagRole role = TagRole::alone;
    std::string name = {}, instead = {};
    int32_t pair = -1;
  };
  void pair_tags();
  bool needless_at_begin(size_t item) const;
  bool needless_at_end(size_t item) const;
  struct Needed {
    size_t begin, end;
  };
  Needed needed() const;

  std::vector<TextRange>* kept_;
  std::vector<Item> items_;
  bool has_text_ = false;
};

}  // namespace calque
