// Word-level distillation: the loss of a teacher, and runs that have one.
#include "train/tasks/translation/word_distillation.h"

#include <doctest/doctest.h>

#include "data/temporary_folder.h"
#include "support/message_of.h"
#include "train/tasks/translation/training.h"
#include "train/trainer_fixture.h"

namespace calque {
namespace {

using Settings = std::vector<std::string>;

// Two runs without dropout and with the same tokenizers, trained once.
struct TrainedRuns {
  TemporaryFolder folder;
  TrainedRuns() {
    calque::run(folder, {"model.dropout=0"}, "teacher");
    calque::run(folder, {"model.dropout=0", "training.seed=2", "training.until=2u"}, "other");
  }
  std::string path(const std::string& name) const { return folder.path(name); }
};

const TrainedRuns& trained() {
  static const TrainedRuns runs;
  return runs;
}

double value(const SummedLoss& loss) { return double(*loss.loss.data()); }

TEST_CASE("a model is no worse than its own teacher, and another one is") {
  const TranslationRun run = open_translation_run({trained().path("teacher")});
  const TranslationRun other = open_translation_run({trained().path("other")});
  const std::vector<Example> pairs = {{{3, 4, 5}, {5, 4, 3}}, {{6}, {6}}};
  const auto loss_of = [&](const TranslationRun& student, const std::string& share) {
    const Config with = config(
        {"training.teacher=" + trained().path("teacher"), "training.teacher_share=" + share});
    return value(WordTeacher(with, run.tokenizers).loss(student.model(), pairs, 0.1));
  };
  for (const TranslationRun* student : {&run, &other}) {
    const double plain = value(pair_loss(student->model(), pairs, 0.1, Mode::evaluate));
    const double divergence = loss_of(*student, "1");
    CHECK(loss_of(*student, "0.25") == doctest::Approx(0.75 * plain + 0.25 * divergence));
    if (student == &run) {
      CHECK(divergence == doctest::Approx(0).epsilon(1e-3));
    } else {
      CHECK(divergence > 0.5);
    }
  }
}

TEST_CASE("a run learns from a teacher, resumes to the same bits, and needs the same vocabulary") {
  const TemporaryFolder folder;
  const Settings settings = {"training.teacher=" + trained().path("teacher"),
                             "training.teacher_share=0.9", "training.until=6u",
                             "training.save_every=3u"};
  run(folder, settings, "whole");
  run(folder, {"training.until=6u", "training.save_every=3u"}, "plain");
  CHECK(tensors(folder, "whole 000006") != tensors(folder, "plain 000006"));
  Settings first = settings;
  first[2] = "training.until=3u";
  run(folder, first, "stopped");
  run(folder, settings, "stopped");
  CHECK(tensors(folder, "whole 000006") == tensors(folder, "stopped 000006"));
  Settings other = settings;
  other.emplace_back("data.train={toy: reverse, pairs: 400, longest: 6, symbols: 7}");
  CHECK(message_of([&] { run(folder, other, "vocabulary"); }).find("another vocabulary") !=
        std::string::npos);
  CHECK(message_of([&] {
          run(folder, {"training.teacher=nowhere"}, "none");
        }).starts_with("training.teacher: nowhere"));
}

}  // namespace
}  // namespace calque
