// Reading metrics.jsonl of running, killed and unusual runs.
#include <cmath>
#include <vector>

#include "core/error.h"
#include "train/report/fixture.h"

using calque::Error;
using calque::ReportRun;
using calque::tests::TemporaryRun;

namespace {

std::vector<double> column(const calque::MetricsTable& table, const char* name) {
  const std::vector<double>* found = table.find(name);
  REQUIRE(found != nullptr);
  return *found;
}

}  // namespace

TEST_CASE("training and validation records become columns of their own") {
  const TemporaryRun folder;
  const ReportRun run = folder.run(
      R"({"kind":"train","step":100,"epoch":0.5,"loss":3.5,"lr":0.001,"tokens":4000,"timing":{"seconds":10,"tokens_per_s":400}})"
      "\n"
      R"({"kind":"valid","step":100,"epoch":0.5,"loss":3.25,"bleu":12,"samples":[{"source":"a","reference":"b","output":"c"}],"timing":{"seconds":2}})"
      "\n"
      R"({"kind":"event","step":101,"text":"step skipped"})"
      "\n");
  CHECK(run.name == "run");
  CHECK(run.train.step == std::vector<double>{100});
  CHECK(column(run.train, "loss") == std::vector<double>{3.5});
  CHECK(column(run.train, "tokens_per_s") == std::vector<double>{400});
  CHECK(run.train.find("seconds") == nullptr);
  CHECK(column(run.valid, "bleu") == std::vector<double>{12});
  REQUIRE(run.samples.size() == 1);
  CHECK(run.samples[0].samples[0].output == "c");
  REQUIRE(run.events.size() == 1);
  CHECK(run.events[0].text == "step skipped");
  CHECK(run.remarks.empty());
}

TEST_CASE("an unfinished last line is ignored silently, other invalid lines with a remark") {
  const TemporaryRun folder;
  const ReportRun run = folder.run(
      "{\"kind\":\"train\",\"step\":1,\"loss\":2}\n"
      "rubbish\n"
      "\xff\xfe{\n"
      "[1,2]\n"
      "{\"kind\":\"train\",\"loss\":2}\n"
      "\n"
      "{\"kind\":\"telemetry\",\"step\":1}\n"
      "{\"kind\":\"train\",\"step\":2,\"loss\":1}\n"
      "{\"kind\":\"train\",\"step\":3,\"lo");
  CHECK(run.train.rows() == 2);
  REQUIRE(run.remarks.size() == 1);
  CHECK(run.remarks[0].find("metrics.jsonl:2: not a metrics record; 4 such lines skipped") !=
        std::string::npos);
}

TEST_CASE("values that are absent, of another type or not finite are gaps") {
  const TemporaryRun folder;
  const ReportRun run = folder.run(
      "{\"kind\":\"train\",\"step\":1,\"loss\":2,\"timing\":7}\n"
      "{\"kind\":\"train\",\"step\":2,\"loss\":null}\n"
      "{\"kind\":\"train\",\"step\":3,\"loss\":\"nan\"}\n"
      "{\"kind\":\"train\",\"step\":4,\"loss\":1e999}\n"
      "{\"kind\":\"train\",\"step\":5,\"loss\":1,\"lr\":0.5}\n");
  const std::vector<double> loss = column(run.train, "loss");
  CHECK(run.train.rows() == loss.size());
  CHECK(loss.front() == 2);
  CHECK(std::isnan(loss[1]));
  CHECK(std::isnan(loss[2]));
  CHECK(loss.back() == 1);
  CHECK(std::isnan(column(run.train, "lr").front()));
}

TEST_CASE("steps that a resumed run repeats count once, by their last record") {
  const TemporaryRun folder;
  const ReportRun run = folder.run(
      "{\"kind\":\"train\",\"step\":10,\"loss\":5}\n{\"kind\":\"train\",\"step\":20,\"loss\":4}\n"
      "{\"kind\":\"event\",\"step\":20,\"text\":\"x\"}\n{\"kind\":\"train\",\"step\":30,\"loss\":3}"
      "\n"
      "{\"kind\":\"train\",\"step\":20,\"loss\":4.5}\n{\"kind\":\"event\",\"step\":20,\"text\":"
      "\"x\"}\n"
      "{\"kind\":\"train\",\"step\":30,\"loss\":3.5}\n");
  CHECK(run.train.step == std::vector<double>{10, 20, 30});
  CHECK(column(run.train, "loss") == std::vector<double>{5, 4.5, 3.5});
  CHECK(run.events.size() == 1);
}

TEST_CASE("the clocks of a validation are interpolated from the training records") {
  const TemporaryRun folder;
  const ReportRun run = folder.run(
      R"({"kind":"train","step":100,"epoch":1,"loss":1,"tokens":1000,"timing":{"seconds":10}})"
      "\n"
      R"({"kind":"valid","step":150,"loss":1,"timing":{"seconds":2}})"
      "\n"
      R"({"kind":"train","step":200,"epoch":2,"loss":1,"tokens":2000,"timing":{"seconds":20}})"
      "\n"
      R"({"kind":"valid","step":250,"loss":1})"
      "\n"
      R"({"kind":"valid","step":260,"epoch":9,"loss":1})");
  CHECK(run.valid.epoch == std::vector<double>{1.5, 2.5, 9});
  CHECK(run.valid.tokens == std::vector<double>{1500, 2500, 2600});
  CHECK(run.valid.seconds == std::vector<double>{15, 25, 26});
}

TEST_CASE("a clock that restarts when a run is resumed continues from its last value") {
  const TemporaryRun folder;
  const ReportRun run = folder.run(R"({"kind":"train","step":1,"loss":1,"timing":{"seconds":10}})"
                                   "\n"
                                   R"({"kind":"train","step":2,"loss":1,"timing":{"seconds":4}})"
                                   "\n"
                                   R"({"kind":"train","step":3,"loss":1,"timing":{"seconds":6}})"
                                   "\n");
  CHECK(run.train.seconds == std::vector<double>{10, 14, 16});
}

TEST_CASE("a record with 5000 values is limited to 64 columns") {
  const TemporaryRun folder;
  std::string record = "{\"kind\":\"train\",\"step\":1";
  for (int i = 0; i < 5000; ++i) record += ",\"x" + std::to_string(i) + "\":1";
  const ReportRun run = folder.run(record + "}\n");
  CHECK(run.train.columns.size() == 64);
  CHECK(run.remarks.size() == 1);
}

TEST_CASE("a path that is not a run is refused with the reason") {
  const TemporaryRun folder;
  CHECK_THROWS_WITH_AS(calque::read_run(folder.folder() / "none", calque::all_metrics()),
                       doctest::Contains("no such run folder or metrics.jsonl"), Error);
  CHECK_THROWS_WITH_AS(calque::read_run(folder.folder(), calque::all_metrics()),
                       doctest::Contains("no metrics.jsonl in this folder"), Error);
  folder.write("metrics.jsonl", "");
  CHECK_THROWS_WITH_AS(calque::read_run(folder.folder(), calque::all_metrics()),
                       doctest::Contains("has no training or validation record"), Error);
}

TEST_CASE("a run may be named by its metrics.jsonl, by any path to its folder, or with a slash") {
  const TemporaryRun folder("toy");
  folder.write("metrics.jsonl", "{\"kind\":\"train\",\"step\":1,\"loss\":2}\n");
  for (const auto& path : {folder.folder(), folder.folder() / "", folder.folder() / "metrics.jsonl",
                           folder.folder() / "." / ".." / "toy"}) {
    CHECK(calque::read_run(path, calque::all_metrics()).name == "toy");
  }
}

TEST_CASE("runs of the same name get different names") {
  const TemporaryRun a("first/toy"), b("second/toy");
  for (const auto* run : {&a, &b})
    run->write("metrics.jsonl", "{\"kind\":\"train\",\"step\":1,\"loss\":2}\n");
  const std::vector<std::filesystem::path> paths = {a.folder(), b.folder()};
  const std::vector<ReportRun> runs = calque::read_runs(paths, calque::all_metrics());
  CHECK(runs[0].name == "first/toy");
  CHECK(runs[1].name == "second/toy");
  const std::vector<std::filesystem::path> same = {a.folder(), a.folder()};
  const std::vector<ReportRun> twice = calque::read_runs(same, calque::all_metrics());
  CHECK(twice[0].name != twice[1].name);
}
