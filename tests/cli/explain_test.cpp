// calque explain. Tests of train/report and tests/browser check the content of its pages.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/trained.h"

namespace calque {
namespace {

CommandResult explain(const std::string& options) {
  return run("cd " + trained().file("") + " && calque explain " + trained().run + " " + options);
}

TEST_CASE("explain writes one self-contained page to the given file") {
  const CommandResult usual = explain("'a b c' && cat explain.html");
  CHECK(usual.status == 0);
  CHECK(usual.out.find("</html>") != std::string::npos);
  for (const char* foreign : {"src=\"http", "href=\"http", "@import"}) {
    CAPTURE(foreign);
    CHECK(usual.out.find(foreign) == std::string::npos);
  }
  const CommandResult named = explain("'a b c' --beam 3 --out page.html && cat page.html");
  CHECK(named.out.find("</html>") != std::string::npos);
}

TEST_CASE("explain writes an SVG figure with --svg, and all weights and steps with --json") {
  const CommandResult picture = explain("'a b' --svg");
  CHECK(picture.status == 0);
  CHECK(picture.out.find("<svg") != std::string::npos);
  const CommandResult numbers = explain("'a b' --json --beam 2");
  REQUIRE(numbers.status == 0);
  auto json = nlohmann::json::parse(numbers.out, nullptr, false);
  REQUIRE(json.is_object());
  const size_t source = json["source_tokens"].size(), target = json["target_tokens"].size();
  CHECK(source >= 2);
  CHECK(json["steps"].size() == target);
  const auto check_heads = [&](const char* attention, size_t queries, size_t keys) {
    CAPTURE(attention);
    CHECK(json[attention].size() == 8);  // 2 layers of 4 heads
    for (auto& head : json[attention]) {
      CHECK(head["weights"].size() == queries);
      for (const auto& row : head["weights"]) CHECK(row.size() == keys);
    }
  };
  check_heads("encoder_self", source, source);
  check_heads("decoder_self", target, target);
  check_heads("cross", target, source);
  for (const char* part : {"positions", "neighbours", "beam"}) CHECK_FALSE(json[part].empty());
}

TEST_CASE(
    "explain refuses empty or invalid text, two output formats, and a path that is not a run") {
  CHECK(explain("' '").err == "calque: there is nothing to explain in an empty sentence\n");
  CHECK(explain("$'a\\377'").status == 1);
  CHECK(explain("'a b' --svg --json").err.find("--svg excludes --json") != std::string::npos);
  CHECK(explain("'a b' --out /nosuch/page.html").status == 1);
  CHECK(run("calque explain /nosuch 'a b'").err == "calque: /nosuch: there is no such run\n");
  CHECK(run("calque explain").status == 2);
}

}  // namespace
}  // namespace calque
