// Steps that are not finite, with a task of one weight whose loss is infinite at chosen steps.

#include <doctest/doctest.h>

#include <limits>
#include <set>

#include "core/ops.h"
#include "train/storage/checkpoints.h"
#include "train/tasks/fixture.h"

namespace calque {
namespace {

struct OneWeight final : Task {
  explicit OneWeight(std::set<int64_t> bad) : bad_works(std::move(bad)) {
    weight = all.add("weight", {1}, Role::weight, constant(1));
    all.allocate();
  }

  struct LinearLoss final : Work {
    LinearLoss(const Tensor& w, real f) : weight(w), factor(f) {}
    SummedLoss forward() const override { return {sum(affine(weight, factor, 0)), 1, 0, 1}; }
    WorkSize size() const override { return {1, 1}; }
    Works split(int64_t) const override {
      Works works;
      works.push_back(std::make_unique<LinearLoss>(weight, factor));
      return works;
    }
    std::string where() const override { return "the numbers"; }
    Tensor weight;
    real factor;
  };

  struct Stream final : WorkStream {
    Stream(const OneWeight& t, StreamPosition from) : task(t), taken(from.position) {}
    std::unique_ptr<Work> next() override {
      const bool bad = task.bad_works.contains(taken++);
      return std::make_unique<LinearLoss>(task.weight,
                                          bad ? std::numeric_limits<real>::infinity() : real(1));
    }
    StreamPosition position() const override { return {0, taken}; }
    double epochs() const override { return 0; }
    double wait_seconds() const override { return 0; }
    bool same_data(int64_t, int64_t) const override { return true; }
    std::vector<EpochSize> epoch_sizes() const override { return {{0, 100, 100}}; }
    std::unique_ptr<Work> largest() const override {
      return std::make_unique<LinearLoss>(task.weight, real(1));
    }
    const OneWeight& task;
    int64_t taken;
  };

  Parameters& parameters() override { return all; }
  std::span<const MetricInfo> metrics() const override {
    static const std::vector<MetricInfo> known = {{"loss", "loss", "loss", "Loss", "", ""}};
    return known;
  }
  std::string measured_by(const MetricInfo&, const Config&) const override { return ""; }
  std::string tokenizer_hash() const override { return ""; }
  std::string data_hash() const override { return ""; }
  std::string data_description() const override { return "numbers"; }
  std::unique_ptr<WorkStream> training(StreamPosition from, int64_t) override {
    return std::make_unique<Stream>(*this, from);
  }
  bool validates() const override { return true; }
  std::optional<Scores> validate(Communicator&, const std::function<bool()>&) override {
    return Scores{};
  }

  std::set<int64_t> bad_works;
  Parameters all;
  Tensor weight;
};

// Trains with a rate that falls linearly from 1 to 0 at update 4, so that every update has a
// different rate.
TrainResult run_with(const TemporaryFolder& folder, const std::set<int64_t>& bad,
                     const std::vector<std::string>& more = {}) {
  std::vector<std::string> settings = {
      "training.optimizer=sgd", "training.momentum=0",      "training.label_smoothing=0",
      "training.until=4u",      "training.schedule=linear", "training.learning_rate=1",
      "logging.every=1",        "training.warmup_steps=0",  "training.divergence_factor=0",
      "data.validation=[]"};
  settings.insert(settings.end(), more.begin(), more.end());
  const std::string brief = "data: {train: {toy: copy}}\nlogging: {report: false}\n";
  return train(parse_config(brief, "c.yaml", settings).config, {folder.path("run")},
               Loudness::quiet,
               [&](const Config&, const RunFolder&, const TaskStart&) -> std::unique_ptr<Task> {
                 return std::make_unique<OneWeight>(bad);
               });
}

std::vector<double> rates(const TemporaryFolder& folder) {
  std::vector<double> found;
  for (const auto& record : metrics_of(folder, "run", "train")) found.push_back(record["lr"]);
  return found;
}

}  // namespace

TEST_CASE("a skipped step counts neither for the schedule nor for a limit in updates") {
  const TemporaryFolder plain, skipping;
  CHECK(run_with(plain, {}).step == 4);
  const TrainResult result = run_with(skipping, {1, 2});
  CHECK(result.ending == Ending::finished);
  CHECK(result.step == 6);  // four updates and two skipped steps
  CHECK(rates(plain).size() == 4);
  CHECK(rates(skipping) == rates(plain));
}

TEST_CASE("a skipped step does not count for the intervals of validations and checkpoints") {
  const auto steps_of = [](const std::set<int64_t>& bad) {
    const TemporaryFolder folder;
    run_with(folder, bad,
             {"training.validate_every=2u", "training.save_every=2u", "training.keep_last=9"});
    std::vector<int64_t> validated;
    for (const auto& record : metrics_of(folder, "run", "valid")) {
      validated.push_back(record["step"]);
    }
    std::vector<int64_t> saved = Checkpoints(real_files(), folder.path("run")).steps();
    std::ranges::reverse(saved);
    return std::pair(validated, saved);
  };
  using Steps = std::vector<int64_t>;
  CHECK(steps_of({}) == std::pair(Steps{2, 4}, Steps{0, 2, 4}));
  CHECK(steps_of({1, 2}) == std::pair(Steps{4, 6}, Steps{0, 4, 6}));
  CHECK(steps_of({2, 4}) == std::pair(Steps{2, 6}, Steps{0, 2, 6}));
}

TEST_CASE("the message about a skipped step names each example once") {
  const TemporaryFolder folder;
  run_with(folder, {0}, {"training.accumulation=2"});
  const std::string log = folder.read("run/train.log");
  const size_t first = log.find("the numbers");
  REQUIRE(first != std::string::npos);
  CHECK(log.substr(0, log.find('\n', first)).find("the numbers", first + 1) == std::string::npos);
}

}  // namespace calque
