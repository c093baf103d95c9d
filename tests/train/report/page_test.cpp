// The page as text: its data, and that no inserted text becomes markup. tests/browser opens the
// page in a browser.
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "train/report/figures/thinning.h"
#include "train/report/fixture.h"
#include "train/report/page_text.h"
#include "train/report/pages/report_data.h"
#include "train/report/pages/report_page.h"

using calque::tests::TemporaryRun;
using Json = nlohmann::json;

namespace {

constexpr const char* hostile =
    "</script><script>alert(1)</script>\xE2\x80\xA8 \" ' & {{data}} \x01";

}  // namespace

TEST_CASE("text inside the page's data stays data, whatever it holds") {
  const std::string quoted = calque::json_quoted(hostile);
  CHECK(quoted.find_first_of("<>&") == std::string::npos);
  CHECK(Json::parse(quoted).get<std::string>() == hostile);
  for (const char c : quoted) CHECK(static_cast<unsigned char>(c) < 0x80);
  CHECK(calque::json_quoted("\xff") == "\"\\ufffd\"");
}

TEST_CASE("text inside markup is escaped, and bytes that are not UTF-8 are replaced") {
  CHECK(calque::html_escaped("<a href=\"x\">'&") == "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
  CHECK(calque::html_escaped("a\x01\xff") == "a\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(calque::html_escaped("\xC3\xA4") == "\xC3\xA4");
}

TEST_CASE("a template is filled once, and inserted text is never read as a template") {
  CHECK(calque::filled("a{{x}}b{{y}}", {{"x", "{{y}}"}, {"y", "2"}}) == "a{{y}}b2");
  CHECK_THROWS_AS(calque::filled("{{z}}", {{"x", ""}}), calque::Misuse);
}

TEST_CASE("numbers are written in few digits, and as null if they are not finite") {
  std::string out;
  for (const double value : {0.1, 1234567.0, 1e-9}) out += ' ' + calque::json_number(value, 6);
  CHECK(out == " 0.1 1.23457e+06 1e-09");
  CHECK(calque::json_number(std::nan(""), 6) == "null");
}

TEST_CASE("the data holds every run, its columns, samples once, and its configuration") {
  const TemporaryRun folder;
  folder.write("config.yaml", "model:\n  d_model: 8\n");
  const calque::ReportRun run = folder.run(
      R"({"kind":"valid","step":1,"loss":2,"samples":[{"source":"s","reference":"r","output":"o1"}]})"
      "\n"
      R"({"kind":"valid","step":2,"loss":null,"samples":[{"source":"s","reference":"r","output":"o2"}]})"
      "\n");
  const Json data = Json::parse(calque::report_data({&run, 1}));
  CHECK(data["runs"][0]["valid"]["columns"]["loss"] == Json::parse("[2,null]"));
  CHECK(data["runs"][0]["samples"]["sentences"] == Json::parse(R"([["s","r"]])"));
  CHECK(data["runs"][0]["samples"]["steps"][1]["outputs"] == Json::parse(R"([[0,"o2"]])"));
  CHECK(data["config"][0]["key"] == "model.d_model");
  CHECK(data["panels"][0]["title"] == "Loss");
}

TEST_CASE(
    "the data holds the tables of the last validation that has some, whatever is wrong in them") {
  const TemporaryRun folder;
  const calque::ReportRun run = folder.run(
      R"({"kind":"valid","step":1,"tables":[{"title":"old","columns":["a"],"rows":[["1"]]}]})"
      "\n"
      R"({"kind":"valid","step":2,"tables":[{"title":"<t>","columns":["","x"],"rows":[["y","3"],[4]]},7,{"columns":1,"rows":{"a":2}}]})"
      "\n"
      R"({"kind":"valid","step":3,"loss":1})"
      "\n");
  const Json tables = Json::parse(calque::report_data({&run, 1}))["runs"][0]["tables"];
  REQUIRE(tables.size() == 2);
  CHECK(tables[0]["title"] == "<t>");
  CHECK(tables[0]["columns"] == Json::parse(R"(["","x"])"));
  CHECK(tables[0]["rows"] == Json::parse(R"([["y","3"],[""]])"));
  CHECK(tables[1]["columns"].empty());
}

TEST_CASE("a column of an unknown metric gets a panel of its own") {
  const TemporaryRun folder;
  const calque::ReportRun run =
      folder.run("{\"kind\":\"train\",\"step\":1,\"novelty\":2,\"nll\":1,\"ppl\":2.7}\n");
  const Json data = Json::parse(calque::report_data({&run, 1}));
  REQUIRE(data["panels"].size() == 2);
  CHECK(data["panels"][0]["column"] == "ppl");
  CHECK(data["panels"][1]["title"] == "novelty");
}

TEST_CASE("thinning keeps the ends and every extreme") {
  std::vector<double> flat(10'000, 1.0), other(10'000, 0.0);
  flat[4321] = 9;
  flat[77] = std::nan("");
  other[9000] = -5;
  const std::vector<const std::vector<double>*> columns = {&flat, &other};
  const std::vector<size_t> rows = calque::rows_with_extremes(flat.size(), columns, 600);
  CHECK(rows.size() <= 600);
  CHECK(std::is_sorted(rows.begin(), rows.end()));
  for (const size_t row : {size_t{0}, size_t{4321}, size_t{9000}, size_t{9999}}) {
    CHECK(std::binary_search(rows.begin(), rows.end(), row));
  }
  CHECK(calque::rows_with_extremes(5, columns, 600).size() == 5);
}

TEST_CASE("a long run is thinned in the page, which has the original number of records") {
  const TemporaryRun folder;
  std::string metrics;
  for (int step = 1; step <= 3000; ++step) {
    metrics += "{\"kind\":\"train\",\"step\":" + std::to_string(step) +
               ",\"loss\":" + std::to_string(step == 1500 ? 99 : step % 7) + "}\n";
  }
  const calque::ReportRun run = folder.run(metrics);
  const Json train = Json::parse(calque::report_data({&run, 1}, 400))["runs"][0]["train"];
  CHECK(train["recorded"] == 3000);
  CHECK(train["step"].size() <= 400);
  CHECK(std::find(train["columns"]["loss"].begin(), train["columns"]["loss"].end(), 99) !=
        train["columns"]["loss"].end());
}

TEST_CASE("the page loads nothing from outside, and escapes hostile text") {
  const TemporaryRun folder("<b>&name");
  Json record = {{"kind", "valid"}, {"step", 1}, {"loss", 2}, {hostile, 3}};
  record["samples"] =
      Json::array({{{"source", hostile}, {"reference", hostile}, {"output", hostile}}});
  const calque::ReportRun run = folder.run(record.dump() + "\n");
  const std::string page = calque::report_page({&run, 1});
  CHECK(page.find("<title>&lt;b&gt;&amp;name - calque</title>") != std::string::npos);
  CHECK(page.find("alert(1)</script>") == std::string::npos);
  for (const char* outside : {"https://", "src=", "url(h", "@import", "fetch(", "XMLHttpRequest"}) {
    CAPTURE(outside);
    CHECK(page.find(outside) == std::string::npos);
  }
  CHECK(page.find("default-src 'none'") != std::string::npos);
}

TEST_CASE("the report of a run replaces the one before completely, and leaves no other file") {
  const TemporaryRun folder;
  folder.write("metrics.jsonl", "{\"kind\":\"train\",\"step\":1,\"loss\":2}\n");
  folder.write("report.html", "old");
  calque::write_report(folder.folder(), calque::all_metrics());
  CHECK(folder.read("report.html").ends_with("</html>\n"));
  for (const auto& entry : std::filesystem::directory_iterator(folder.folder())) {
    const std::string name = entry.path().filename().string();
    CHECK((name == "report.html" || name == "metrics.jsonl"));
  }
}
