// The table and the trace of a profile.
#include "train/step/profile_report.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/ops.h"

using namespace calque;

namespace {

void step() {
  const Phase whole("step");
  const Tensor x = variable(Tensor::full({32, 32}, 1));
  const Tape tape;
  Tensor y;
  {
    const Phase phase("forward");
    y = sum(matmul(x, x));
  }
  const Phase phase("backward");
  backward(y);
}

std::string line_of(const std::string& text, const std::string& begin) {
  const size_t at = text.find("\n" + begin);
  return at == text.npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
}

}  // namespace

TEST_CASE("the table has a line for each op and pass, a total, and the time outside the steps") {
  Profile profile;
  {
    const Profiling on(profile);
    for (int i = 0; i < 2; ++i) step();
    const Phase phase("validation");
  }
  const std::string table = profile_table(profile, {.flops = 1e12, .bytes = 1e11});
  CAPTURE(table);
  for (const char* begin :
       {"matmul                    forward", "matmul                    backward",
        "sum                       forward", "between ops               forward",
        "between ops               backward", "update", "a step", "besides: validation"}) {
    CHECK_MESSAGE(!line_of(table, begin).empty(), begin);
  }
  CHECK(line_of(table, "a step").find("100.0%") != std::string::npos);
  CHECK(line_of(table, "2 steps").find("1000 GFLOP/s") != std::string::npos);
}

TEST_CASE("the share of an op's limit is that of its FLOPs or its bytes, whichever is larger") {
  Profile profile;
  {
    const Profiling on(profile);
    step();
  }
  const Profile::Sum sum = profile.sum_of("matmul", Profile::Kind::forward);
  const auto share = [&](const MachineLimits& limits) {
    const std::string line = line_of(profile_table(profile, limits), "matmul                    f");
    return std::stod(line.substr(line.rfind(' ')));
  };
  CHECK(share({.flops = sum.work.flops / sum.seconds * 4, .bytes = 1e18}) == 25);
  CHECK(share({.flops = 1e18, .bytes = sum.work.bytes / sum.seconds * 2}) == 50);
}

TEST_CASE("without a step there is no table") {
  CHECK(profile_table(Profile(), {.flops = 1, .bytes = 1}).empty());
}

TEST_CASE(
    "the trace is JSON that Chrome reads: complete events of ops and phases, in microseconds") {
  Profile profile;
  {
    const Profiling on(profile);
    step();
  }
  const auto trace = nlohmann::json::parse(chrome_trace(profile));
  size_t ops = 0, phases = 0;
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "M") continue;
    CHECK(event["ph"] == "X");
    CHECK(event["dur"].get<double>() >= 0);
    CHECK(event["ts"].get<double>() >= 0);
    ++(event["cat"] == "phase" ? phases : ops);
  }
  CHECK(ops == 4);
  CHECK(phases == 3);
}
