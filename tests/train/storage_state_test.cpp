// state.json: everything comes back exactly, and nothing else is accepted.

#include <doctest/doctest.h>

#include <bit>
#include <cfenv>
#include <clocale>
#include <cmath>
#include <limits>

#include "data/content_hash.h"
#include "support/message_of.h"
#include "train/storage/training_state.h"

using namespace calque;

namespace {

// Every field differs from its default, and from every other.
TrainingState full_state() {
  TrainingState state;
  state.step = 1234567;
  state.optimizer_step = 1234560;
  state.epoch = 17;
  state.position = 421;
  state.ema = true;
  state.validation_owed = true;
  state.best["bleu"] = {{.value = 41.3, .step = 1200000}, {.value = 41.25, .step = 1100000}};
  state.best["loss"] = {};
  state.early_stopping = {.validations = 31, .without_gain = 2};
  state.divergence = {.mean = 2.1,
                      .square = 4.9,
                      .steps = 1000,
                      .steps_above = 3,
                      .bad_steps = 1,
                      .skipped_steps = 7};
  state.since_log = {.loss = 1234.5, .nll = 1200.25, .correct = 77, .tokens = 900};
  state.seconds_trained = 86399.123456789;
  state.target_tokens = int64_t{1} << 60;
  state.seeds = {{"training", ~uint64_t{0}}, {"data", 42}};
  state.config = "training:\n  until: 8000u  # \"Grüße\" \\ \t\x01 \xE2\x80\xA8\n";
  state.tokenizer_hash = "00ff";
  state.data_hash = "ee01";
  state.versions = {{"calque", "0.1.0"}, {"openblas", "0.3.21"}};
  state.checksums = {{"model.safetensors", {.size = 123, .digest = 0x00000000000000FF}}};
  return state;
}

std::string refusal(const std::string& text) {
  return message_of([&] { parse_state(text, "state.json"); });
}

// The text with one part replaced, and sealed again: what a forger would write.
std::string forged(const std::string& from, const std::string& to) {
  std::string text = format_state(full_state());
  const size_t seal = text.rfind(",\n  \"xxh64\"");
  std::string body = text.substr(0, seal);
  const size_t at = body.find(from);
  REQUIRE(at != body.npos);
  body.replace(at, from.size(), to);
  return body + fmt::format(",\n  \"xxh64\": \"{:016x}\"\n}}\n", content_hash(body));
}

void check_refused(const std::string& from, const std::string& to, const std::string& why) {
  const std::string message = refusal(forged(from, to));
  CAPTURE(message);
  CHECK(message.starts_with("state.json: "));
  CHECK(message.find(why) != message.npos);
}

}  // namespace

TEST_CASE("a training state comes back with every field") {
  const TrainingState state = full_state();
  CHECK(parse_state(format_state(state), "state.json") == state);
  CHECK(parse_state(format_state({}), "state.json") == TrainingState());
  CHECK(!(state == TrainingState()));
}

TEST_CASE("a state of the first format owes no validation") {
  TrainingState state = full_state();
  const std::string older = forged("\"validation_owed\": true,\n", "");
  check_refused("\"validation_owed\": true,\n", "", "validation_owed is missing");
  std::string text = older.substr(0, older.rfind(",\n  \"xxh64\""));
  text.replace(text.find("\"format\": 2"), 11, "\"format\": 1");
  text += fmt::format(",\n  \"xxh64\": \"{:016x}\"\n}}\n", content_hash(text));
  state.validation_owed = false;
  CHECK(parse_state(text, "state.json") == state);
}

TEST_CASE("doubles come back to the last bit, in any locale, and so do infinities and NaN") {
  using limits = std::numeric_limits<double>;
  // A thread that has trained flushes denormals, and the smallest double here is one.
  std::fenv_t before;
  std::fegetenv(&before);
  std::fesetenv(FE_DFL_ENV);
  for (const char* locale : {"C", "de_DE.UTF-8", "tr_TR.UTF-8"}) {
    std::setlocale(LC_ALL, locale);  // where the machine has it
    for (const double value :
         {0.1, -0.0, 1.0, 1e300, 1e-300, limits::denorm_min(), limits::max(), -limits::min(),
          0.1 + 0.2, 1.0 / 3, 123456789012345680.0, limits::infinity(), -limits::infinity()}) {
      TrainingState state;
      state.divergence.mean = value;
      const double back = parse_state(format_state(state), "state.json").divergence.mean;
      CHECK(std::bit_cast<uint64_t>(back) == std::bit_cast<uint64_t>(value));
    }
    TrainingState state;
    state.seconds_trained = limits::quiet_NaN();
    CHECK(std::isnan(parse_state(format_state(state), "state.json").seconds_trained));
  }
  std::setlocale(LC_ALL, "C");
  std::fesetenv(&before);
}

TEST_CASE("any byte of a state that is changed, added or missing is noticed") {
  const std::string text = format_state(full_state());
  for (size_t at = 0; at < text.size(); ++at) {
    for (const char flip : {'\x01', '\x20', '\x80'}) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      CHECK(refusal(damaged).starts_with("state.json: damaged"));
    }
    CHECK(refusal(text.substr(0, at)).starts_with("state.json: damaged"));
  }
  CHECK(!refusal(text + "\n").empty());
  CHECK(!refusal(text + text).empty());
}

TEST_CASE("what is missing, unknown, there twice, or of another type is refused by its name") {
  check_refused(R"("step": 1234567,)", "", "step is missing");
  check_refused(R"("step": 1234567,)", R"("step": 1, "steps": 2,)", "steps is not known");
  check_refused(R"("step": 1234567,)", R"("step": 1, "step": 2,)", "\"step\" is there twice");
  check_refused(R"("step": 1234567,)", R"("step": -1,)",
                "step must be a whole number of at least 0");
  check_refused(R"("step": 1234567,)", R"("step": 1.0,)", "step must be a whole number");
  check_refused(R"("step": 1234567,)", R"("step": "1",)", "step must be a whole number");
  check_refused(R"("step": 1234567,)", R"("step": 9223372036854775808,)", "step must be a whole");
  check_refused(R"("ema": true)", R"("ema": 1)", "ema must be true or false");
  check_refused(R"("value": 41.3)", R"("value": null)", "best.bleu[0].value must be a number");
  check_refused(R"("value": 41.3)", R"("value": "nope")", "best.bleu[0].value must be a number");
  check_refused(R"("value": 41.3)", R"("x": 0, "value": 41.3)", "best.bleu[0].x is not known");
  check_refused(R"("loss": [])", R"("loss": {})", "best.loss must be a list");
  check_refused(R"("loss": [])", R"("loss": [1])", "best.loss[0]. must be an object");
  check_refused(R"("data": 42)", R"("data": -42)", "seeds.data must be a whole number from 0");
  check_refused(R"("calque": "0.1.0")", R"("calque": 1)", "versions.calque must be a text");
  check_refused(R"("00000000000000ff")", R"("ff")", "checksums.model.safetensors.xxh64 must be");
  check_refused(R"("00000000000000ff")", R"("00000000000000FF")", "sixteen hexadecimal digits");
  check_refused(R"("mean": 2.1,)", "", "divergence.mean is missing");
  check_refused(R"("mean": 2.1,)", R"("mean": 21e400,)", "a number in it is too large");
  check_refused(R"("format": 2)", R"("format": 3)", "written by a newer calque");
}

TEST_CASE("a state that is no JSON, or no object, or nested too deeply, is refused") {
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  check_refused(R"("ema": true)", R"("ema": )" + deep, "nested too deeply");
  check_refused(R"("ema": true)", R"("ema": tru)", "not valid JSON at byte");
  check_refused(R"("ema": true)", std::string("\"ema\": true\0", 12), "zero byte");
  check_refused("Grüße",
                "Gr\xFC\xDF"
                "e",
                "not valid JSON");
}

TEST_CASE("a state that would be too long to be read is not written") {
  TrainingState state = full_state();
  state.config.assign(largest_state - 10'000, 'a');
  CHECK(parse_state(format_state(state), "state.json") == state);
  state.config.assign(largest_state, 'a');
  CHECK(message_of([&] { format_state(state); }).starts_with("state.json: would have "));
}

TEST_CASE("a config that is not UTF-8 cannot be saved, and that is said") {
  TrainingState state;
  state.config = "\xFF";
  CHECK_THROWS_AS(format_state(state), Error);
}
