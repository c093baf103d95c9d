// make_pages FOLDER: makes up runs and explanations, and writes the pages about them that the
// browser tests open.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "browser/made_up_explanation.h"
#include "browser/made_up_runs.h"
#include "train/report/pages/explain_page.h"
#include "train/report/pages/report_page.h"
#include "train/storage/durable_files.h"
#include "train/tasks/registry.h"

namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  calque::replace_text(calque::real_files(), file.string(), text);
}

void write_page(const fs::path& file, const std::vector<fs::path>& folders) {
  const std::vector<calque::ReportRun> runs = calque::read_runs(folders, calque::all_metrics());
  write(file, calque::report_page(runs));
}

void make_pages(const fs::path& folder) {
  using calque::tests::write_made_up_run;
  const fs::path plain = folder / "toy-en-de", faster = folder / "toy-lr-2e-3",
                 slower = folder / "toy-accumulate";
  write_made_up_run(plain, {});
  write_made_up_run(
      faster,
      {.final_loss = 1.6, .speed = 1.7, .warmup_steps = 400, .learning_rate = 2e-3, .seed = 2});
  write_made_up_run(slower,
                    {.steps = 6000, .final_loss = 1.5, .speed = 0.55, .seed = 3, .scores = false});
  const fs::path hostile = folder / "<img src=x onerror=window.broken=1>&\"'";
  write_made_up_run(hostile, {.steps = 2000, .hostile = true});
  const fs::path large = folder / "long", larger = folder / "longer";
  write_made_up_run(large,
                    {.steps = 1'000'000, .logged_every = 10, .validated_every = 10'000, .seed = 5});
  write_made_up_run(larger,
                    {.steps = 1'200'000, .logged_every = 8, .validated_every = 10'000, .seed = 6});
  calque::write_report(plain, calque::all_metrics());
  write_page(folder / "one.html", {plain});
  write_page(folder / "three.html", {plain, faster, slower});
  write_page(folder / "hostile.html", {hostile, plain});
  write_page(folder / "large.html", {large, larger});
  const fs::path young = folder / "young";
  write_made_up_run(young, {.steps = 50, .scores = false});
  write_page(folder / "young.html", {young});
  const fs::path text = folder / "toy-text";
  write_made_up_run(text, {.steps = 2000, .seed = 8, .text = true});
  write_page(folder / "text.html", {text});
  write_page(folder / "both-tasks.html", {plain, text});
  write(folder / "explain.html", calque::explain_page(calque::tests::made_up_explanation()));
  write(folder / "explain-text.html",
        calque::explain_page(calque::tests::made_up_text_explanation()));
  const calque::Explanation inspected = calque::tests::made_up_text_explanation();
  const calque::Inspection inspection = calque::tests::made_up_inspection(inspected);
  write(folder / "explain-inspected.html", calque::explain_page(inspected, &inspection));
  write(folder / "explain-empty.html", calque::explain_page({}));
  write(folder / "explain-hostile.html",
        calque::explain_page(calque::tests::hostile_explanation()));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: make_pages FOLDER\n", stderr);
    return 2;
  }
  try {
    make_pages(arguments[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
