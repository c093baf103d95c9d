// The fields of a request, from JSON, a form or a query, and invalid fields.
#include "serve/fields.h"

#include <doctest/doctest.h>

#include "serve/http/error.h"

namespace calque {
namespace {

Fields json(const std::string& body) {
  return Fields({.method = "POST", .content_type = "application/json", .body = body});
}

Fields form(const std::string& body) {
  return Fields({.method = "POST",
                 .content_type = "application/x-www-form-urlencoded; charset=utf-8",
                 .body = body});
}

// "400 why" if the call is refused.
template <class Do>
std::string refusal(Do&& what) {
  try {
    what();
  } catch (const HttpError& error) {
    return std::to_string(error.status) + " " + error.what();
  }
  return "nothing";
}

TEST_CASE("JSON, forms and queries have the same fields") {
  const Fields query({.method = "GET", .query = "q=a%20b+c&alternatives=2&q2=%C3%BC"});
  for (const Fields& fields :
       {json(R"({"q": "a b c", "alternatives": 2, "q2": "ü", "none": null})"),
        form("q=a+b%20c&alternatives=2&q2=%c3%bc"), query}) {
    CHECK(fields.text("q") == "a b c");
    CHECK(fields.texts("q2") == std::vector<std::string>{"ü"});
    CHECK(fields.whole_or("alternatives", 0, 0, 9) == 2);
    CHECK_FALSE(fields.has("none"));
    CHECK(fields.text_or("none", "x") == "x");
  }
  CHECK(form("q=a&q=b").texts("q") == std::vector<std::string>{"a", "b"});
  CHECK(json(R"({"q": ["a", "b"]})").is_list("q"));
  CHECK(form_decoded("%4") == "%4");
  CHECK(form_decoded("%zz%") == "%zz%");
  CHECK(json(R"({"t": 0.5, "f": true})").number_or("t", 1, 0, 1) == 0.5);
  CHECK(json(R"({"t": 0.5, "f": true})").flag_or("f", false));
}

TEST_CASE("an invalid body and an unknown content type are refused") {
  CHECK(refusal([] { json("{"); }).starts_with("400 the body is not JSON"));
  CHECK(refusal([] { json("[1]"); }) == "400 the body must be a JSON object");
  CHECK(refusal([] { json("{\"q\":" + std::string(100'000, '[')); }) ==
        "400 the JSON is nested deeper than 32 levels");
  CHECK(refusal([] {
          Fields({.method = "POST", .content_type = "image/png", .body = "x"});
        }).starts_with("415 "));
}

TEST_CASE("an absent, mistyped or out-of-range field is refused by name") {
  const Fields fields =
      json(R"({"q": 5, "list": ["a", 1], "n": 1e9, "big": 18446744073709551615})");
  CHECK(refusal([&] { fields.text("absent"); }) == "400 missing absent parameter");
  CHECK(refusal([&] { fields.text("q"); }) == "400 q: must be a text");
  CHECK(refusal([&] { fields.texts("list"); }) == "400 list: must be a text or a list of texts");
  CHECK(refusal([&] { fields.whole_or("q", 0, 6, 9); }) == "400 q: is 5; it must be 6 to 9");
  CHECK(refusal([&] { fields.whole_or("n", 0, 0, 9); }) == "400 n: must be a whole number");
  CHECK(refusal([&] { fields.whole_or("big", 0, 0, 9); }) == "400 big: must be a whole number");
  CHECK(refusal([&] { fields.flag_or("q", false); }) == "400 q: must be true or false");
  CHECK(refusal([] { form("n=4x").whole_or("n", 0, 0, 9); }) == "400 n: must be a number");
  CHECK(refusal([] { form("q=%ff").text("q"); }).starts_with("400 q: "));
}

}  // namespace
}  // namespace calque
