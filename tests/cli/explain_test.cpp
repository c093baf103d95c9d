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

TEST_CASE("explain writes an SVG figure with --svg and a JSON object with --json") {
  const CommandResult picture = explain("'a b' --svg");
  CHECK(picture.status == 0);
  CHECK(picture.out.find("<svg") != std::string::npos);
  const CommandResult numbers = explain("'a b' --json --beam 2");
  REQUIRE(numbers.status == 0);
  const auto json = nlohmann::json::parse(numbers.out, nullptr, false);
  CHECK(json.is_object());
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
