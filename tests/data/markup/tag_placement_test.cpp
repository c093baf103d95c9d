// Where the tags of a text stand in its translation.
#include "data/markup/tag_placement.h"

#include <doctest/doctest.h>

#include "core/random.h"
#include "data/markup/markup_file.h"
#include "data/markup/tag_placeholders.h"
#include "data/markup/text_words.h"
#include "data/placeholders/kept_text.h"

namespace calque {
namespace {

// An HTML text, and its translation with the tags.
std::string placed(const std::string& html, const std::string& translation,
                   const std::vector<WordLink>& links) {
  const MarkupFile file("<p>x " + html + " x</p>", MarkupKind::html, "x");
  MarkedText source = file.texts().at(0).text;
  source.text = source.text.substr(2, source.text.size() - 4);
  for (InlineTag& tag : source.tags) tag.at -= 2;
  return file.with(std::vector{with_placed_tags(source, translation, links)});
}

std::string paragraph(const std::string& text) { return "<p>" + text + "</p>"; }

TEST_CASE("a pair of tags is around the words that belong to its words") {
  CHECK(placed("the <b>red</b> house", "la maison rouge", {{0, 0}, {2, 1}, {1, 2}}) ==
        paragraph("la maison <b>rouge</b>"));
  CHECK(placed("<a>the <b>red</b> house</a>", "la maison rouge", {{0, 0}, {2, 1}, {1, 2}}) ==
        paragraph("<a>la maison <b>rouge</b></a>"));
  CHECK(placed("<i>one</i> and <b>two</b>!", "zwei und eins!", {{2, 0}, {1, 1}, {0, 2}}) ==
        paragraph("<b>zwei</b> und <i>eins</i>!"));
  CHECK(placed("<b>read this</b>.", "lies das.", {}) == paragraph("<b>lies das</b>."));
}

TEST_CASE("a pair whose words are apart is around most of them") {
  const std::vector<WordLink> links = {{0, 0}, {2, 1}, {3, 2}, {1, 3}};
  CHECK(placed("<b>turn off</b> the light", "schalte das Licht aus", links) ==
        paragraph("<b>schalte</b> das Licht aus"));
  CHECK(placed("<b>a b c</b> d", "A x B C D", {{0, 0}, {3, 1}, {1, 2}, {2, 3}, {3, 4}}) ==
        paragraph("<b>A x B C</b> D"));
}

TEST_CASE("tags at a place, and pairs without words, stand next to the same word") {
  CHECK(placed("one <img> two", "zwei eins", {{1, 0}, {0, 1}}) == paragraph("<img>zwei eins"));
  CHECK(placed("one<sup></sup> two three", "zwei eins drei", {{1, 0}, {0, 1}, {2, 2}}) ==
        paragraph("zwei eins<sup></sup> drei"));
  CHECK(placed("<b>of</b> two", "zwei", {{1, 0}}) == paragraph("<b>zwei</b>"));
  CHECK(placed("<b>of</b> <i>two</i>", "zwei", {{1, 0}}) == paragraph("<b></b><i>zwei</i>"));
}

TEST_CASE("a word with tags inside is divided if the translation has it too") {
  CHECK(placed("H<sub>2</sub>O is wet", "nass ist H2O", {}) ==
        paragraph("nass ist H<sub>2</sub>O"));
}

TEST_CASE("subtitles get parts in proportion to their length, at words") {
  const MarkupFile file(
      "1\n00:00:01,000 --> 00:00:02,000\n<i>when he came</i>\n\n2\n00:00:02,000 --> 00:00:03,000\n"
      "it was already dark\n",
      MarkupKind::srt, "x");
  REQUIRE(file.texts().size() == 1);
  const auto with = [&](const std::string& translation) {
    return file.with(std::vector{with_placed_tags(file.texts()[0].text, translation, {})});
  };
  CHECK(with("als er kam, war es schon dunkel") ==
        "1\n00:00:01,000 --> 00:00:02,000\n<i>als er kam,</i>\n\n2\n00:00:02,000 --> "
        "00:00:03,000\nwar es schon dunkel\n");
  CHECK(with("dunkel") ==
        "1\n00:00:01,000 --> 00:00:02,000\n<i>dunkel</i>\n\n2\n00:00:02,000 --> "
        "00:00:03,000\n\n");
}

TEST_CASE("every tag occurs once and pairs stay nested, whatever is linked") {
  Random random({.seed = 3});
  const auto below = [&](size_t limit) { return random.below(limit); };
  for (int round = 0; round < 2000; ++round) {
    std::string html = "x ";
    std::vector<std::string> open;
    for (size_t i = 0, count = 1 + below(12); i < count; ++i) {
      const size_t what = below(6);
      const std::string name(1, static_cast<char>("abisuq"[below(6)]));
      if (what == 0) html += "<" + name + ">", open.push_back(name);
      if (what == 1 && !open.empty()) html += "</" + open.back() + ">", open.pop_back();
      if (what == 2) html += "<img>";
      if (what == 3) html += "</" + name + ">";
      html += what == 4 ? "w." : what == 5 ? " w" : " ";
    }
    const MarkupFile file(html + " x", MarkupKind::html, "x");
    const MarkedText& source = file.texts().at(0).text;
    std::string translation;
    for (size_t i = 0, count = below(8); i < count; ++i) translation += below(4) == 0 ? ", " : "v ";
    const size_t words = text_words(source.text).size(), own = text_words(translation).size();
    std::vector<WordLink> links;
    for (size_t t = 0; t < own; ++t) {
      links.push_back({static_cast<int32_t>(below(words)), static_cast<int32_t>(t)});
    }
    const MarkedText result = with_placed_tags(source, translation, links);
    CHECK(result.tags.size() == source.tags.size());
    CHECK(result.text == translation);
    std::vector<int32_t> stack;
    size_t at = 0;
    for (const InlineTag& tag : result.tags) {
      CHECK(tag.at >= at);
      at = tag.at;
      CHECK(at <= translation.size());
      if (tag.pair < 0) continue;
      if (tag.role == TagRole::opening) {
        stack.push_back(tag.pair);
      } else {
        REQUIRE(!stack.empty());
        CHECK(stack.back() == tag.pair);
        stack.pop_back();
      }
    }
    CHECK(stack.empty());
  }
}

TEST_CASE("tags as placeholders keep their order") {
  const MarkedText source{"a b c", {{2, TagRole::opening, 0}, {3, TagRole::closing, 0}}};
  const std::string text = with_tag_placeholders(source);
  const KeptText kept(text, {.markup = true});
  CHECK(kept.masked() == "a X1 b X2 c");
  CHECK(without_tag_placeholders(kept.unmasked("A X1 B X2 C").value(), source) ==
        MarkedText{"A B C", {{2, TagRole::opening, 0}, {3, TagRole::closing, 0}}});
  CHECK_FALSE(kept.unmasked("A X2 B X1 C"));
}

}  // namespace
}  // namespace calque
