// Configurations as flat lists, side by side.
#include "core/error.h"
#include "train/report/fixture.h"
#include "train/report/run_config.h"

using calque::ConfigRow;
using calque::FlatConfig;
using calque::tests::TemporaryRun;

TEST_CASE("a config is flattened in the order of the file, lists to one value") {
  const TemporaryRun folder;
  folder.write("config.yaml",
               "model:\n  d_model: 128\n  names: [a, b]\ndata:\n  empty:\n  odd key: 'it: is'\n");
  const FlatConfig wanted = {{"model.d_model", "128"},
                             {"model.names", "[a, b]"},
                             {"data.empty", "null"},
                             {"data.odd key", "it: is"}};
  CHECK(calque::read_flat_config(folder.folder() / "config.yaml") == wanted);
}

TEST_CASE("a config that refers to itself or is not YAML does not stop the report") {
  const TemporaryRun folder;
  folder.write("config.yaml", "a: &a\n  b: *a\n");
  CHECK_NOTHROW(calque::read_flat_config(folder.folder() / "config.yaml"));
  folder.write("config.yaml", "a: [1, 2\nb: }\n");
  CHECK_THROWS_AS(calque::read_flat_config(folder.folder() / "config.yaml"), calque::Error);
  const calque::ReportRun run = folder.run("{\"kind\":\"train\",\"step\":1,\"loss\":2}\n");
  REQUIRE(run.remarks.size() == 1);
  CHECK(run.remarks[0].find("config.yaml:") != std::string::npos);
}

TEST_CASE("keys differ when their values do or when one of the runs lacks them") {
  const FlatConfig a = {{"x", "1"}, {"y", "2"}, {"z", "3"}};
  const FlatConfig b = {{"x", "1"}, {"y", "5"}};
  const FlatConfig none;
  const std::vector<ConfigRow> rows = calque::compare_configs({&a, &b, &none});
  REQUIRE(rows.size() == 3);
  CHECK_FALSE(rows[0].differs);
  CHECK(rows[1].differs);
  CHECK(rows[2].differs);
  CHECK(rows[2].values == std::vector<std::string>{"3", "", ""});
}
