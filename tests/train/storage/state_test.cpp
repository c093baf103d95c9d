// state.json: every field is read back exactly, and other texts are refused.

#include <doctest/doctest.h>

#include <bit>
#include <cfenv>
#include <clocale>
#include <cmath>
#include <limits>

#include "data/files/content_hash.h"
#include "support/message_of.h"
#include "train/storage/training_state.h"

using namespace calque;

namespace {

// Every field except best["loss"] differs from its default, and numbers differ from each other.
TrainingState full_state() {
  TrainingState state;
  state.step = 1234567;
  state.optimizer_step = 1234560;
  state.epoch = 17;
  state.position = 421;
  state.slices = 16;
  state.longest_input = 48;
  state.chunks = 4;
  state.ema = true;
  state.int8 = true;
  state.base = {"/runs/base/model.safetensors", {.size = 99, .digest = 0xABC}};
  state.mean_of = 5;
  state.validation_owed = true;
  state.goal_reached = "exact>=0.97";
  state.best["bleu"] = {{.value = 41.3, .step = 1200000}, {.value = 41.25, .step = 1100000}};
  state.best["loss"] = {};
  state.retired = {{"chrf", 900000, {{.value = 60.5, .step = 800000}}}, {"chrf", 950000, {}}};
  state.early_stopping = {.validations = 31, .without_gain = 2};
  state.divergence = {
      .mean = 2.1, .steps = 1000, .steps_above = 3, .bad_steps = 1, .skipped_steps = 7};
  state.since_log = {.loss = 1234.5, .nll = 1200.25, .correct = 77, .terms = 900};
  state.seconds_trained = 86399.123456789;
  state.tokens = int64_t{1} << 60;
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

// Appends the last field, the digest of everything before it.
std::string with_digest(const std::string& body) {
  return body + fmt::format(",\n  \"xxh64\": \"{:016x}\"\n}}\n", content_hash(body));
}

// The text with one part replaced, and with a valid digest.
std::string with_replacement(const std::string& from, const std::string& to) {
  std::string text = format_state(full_state());
  const size_t seal = text.rfind(",\n  \"xxh64\"");
  std::string body = text.substr(0, seal);
  const size_t at = body.find(from);
  REQUIRE(at != body.npos);
  body.replace(at, from.size(), to);
  return with_digest(body);
}

void check_refused(const std::string& from, const std::string& to, const std::string& why) {
  const std::string message = refusal(with_replacement(from, to));
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

TEST_CASE("a state of the first format is read, and no validation is due") {
  const std::string text = with_digest(R"({
  "format": 1,
  "step": 1234,
  "optimizer_step": 1230,
  "epoch": 3,
  "position": 17,
  "ema": true,
  "best": {
    "bleu": [{"value": 41.5, "step": 1200}],
    "bleu until step 500": [{"value": 39.25, "step": 400}, {"value": 39, "step": 500}],
    "loss until step 70": []
  },
  "early_stopping": {"validations": 9, "without_gain": 2},
  "divergence": {
    "mean": 2.5, "square": 6.5, "steps": 100, "steps_above": 1, "bad_steps": 0, "skipped_steps": 3
  },
  "since_log": {"loss": 7.5, "nll": 7.25, "correct": 5, "tokens": 11},
  "seconds_trained": 12.25,
  "target_tokens": 1048576,
  "seeds": {"training": 18446744073709551615},
  "tokenizer_hash": "00ff",
  "data_hash": "ee01",
  "versions": {"calque": "0.1.0"},
  "config": "model:\n  d_model: 8\n",
  "checksums": {"model.safetensors": {"size": 123, "xxh64": "00000000000000ff"}})");
  TrainingState state;
  state.step = 1234;
  state.optimizer_step = 1230;
  state.epoch = 3;
  state.position = 17;
  state.ema = true;
  state.best["bleu"] = {{.value = 41.5, .step = 1200}};
  state.retired = {{"bleu", 500, {{.value = 39.25, .step = 400}, {.value = 39, .step = 500}}},
                   {"loss", 70, {}}};
  state.early_stopping = {.validations = 9, .without_gain = 2};
  state.divergence = {.mean = 2.5, .steps = 100, .steps_above = 1, .skipped_steps = 3};
  state.since_log = {.loss = 7.5, .nll = 7.25, .correct = 5, .terms = 11};
  state.seconds_trained = 12.25;
  state.tokens = 1048576;
  state.tokenizer_hash = "00ff";
  state.data_hash = "ee01";
  state.versions = {{"calque", "0.1.0"}};
  state.config = "model:\n  d_model: 8\n";
  state.checksums = {{"model.safetensors", {.size = 123, .digest = 0xFF}}};
  CHECK(parse_state(text, "state.json") == state);
}

TEST_CASE("a state of the second format is read, with the mark of an average among its versions") {
  const std::string text = with_digest(R"({
  "format": 2,
  "step": 600,
  "optimizer_step": 600,
  "epoch": 1,
  "position": 2,
  "ema": false,
  "validation_owed": true,
  "best": {},
  "early_stopping": {"validations": 0, "without_gain": 0},
  "divergence": {
    "mean": 0, "square": 0, "steps": 0, "steps_above": 0, "bad_steps": 0, "skipped_steps": 0
  },
  "since_log": {"loss": 0, "nll": 0, "correct": 0, "tokens": 0},
  "seconds_trained": 1,
  "target_tokens": 2,
  "seeds": {},
  "tokenizer_hash": "",
  "data_hash": "",
  "versions": {"calque": "0.2.0", "weights": "the mean of 3 checkpoints"},
  "config": "",
  "checksums": {})");
  TrainingState state;
  state.step = state.optimizer_step = 600;
  state.epoch = 1;
  state.position = 2;
  state.validation_owed = true;
  state.seconds_trained = 1;
  state.tokens = 2;
  state.mean_of = 1;  // the number of checkpoints is not known
  state.versions = {{"calque", "0.2.0"}};
  CHECK(parse_state(text, "state.json") == state);
}

TEST_CASE("doubles come back to the last bit, in any locale, and so do infinities and NaN") {
  using limits = std::numeric_limits<double>;
  // A thread that has trained flushes denormals, and the smallest double here is one.
  std::fenv_t before;
  std::fegetenv(&before);
  std::fesetenv(FE_DFL_ENV);
  for (const char* locale : {"C", "de_DE.UTF-8", "tr_TR.UTF-8"}) {
    std::setlocale(LC_ALL, locale);  // if the machine has it
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

TEST_CASE("a changed, added or missing byte of a state is detected") {
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

TEST_CASE("fields that are missing, unknown, repeated, or of another type are refused by name") {
  check_refused(R"("step": 1234567,)", "", "step is missing");
  check_refused(R"("step": 1234567,)", R"("step": 1, "steps": 2,)", "steps is not known");
  check_refused(R"("step": 1234567,)", R"("step": 1, "step": 2,)", "\"step\" occurs twice");
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
  check_refused(R"("chunks": 4)", R"("chunks": -4)", "chunks must be a whole number of at least 0");
  check_refused(R"("mean_of": 5,)", "", "mean_of is missing");
  check_refused(R"("until": 900000,)", "", "retired[0].until is missing");
  check_refused(R"("validation_owed": true,)", "", "validation_owed is missing");
  check_refused(R"("calque": "0.1.0")", R"("calque": 1)", "versions.calque must be a text");
  check_refused(R"("00000000000000ff")", R"("ff")", "checksums.model.safetensors.xxh64 must be");
  check_refused(R"("00000000000000ff")", R"("00000000000000FF")", "sixteen hexadecimal digits");
  check_refused(R"("mean": 2.1,)", "", "divergence.mean is missing");
  check_refused(R"("mean": 2.1,)", R"("mean": 21e400,)", "a number in it is too large");
  check_refused(R"("slices": 16)", R"("slices": 0)", "slices must be a whole number of at least 1");
  check_refused(R"("format": 6)", R"("format": 7)", "written by a newer calque");
}

TEST_CASE("a state that is not JSON, not an object, or nested too deeply is refused") {
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

TEST_CASE("a config that is not UTF-8 is an error when it is saved") {
  TrainingState state;
  state.config = "\xFF";
  CHECK_THROWS_AS(format_state(state), Error);
}
