// state.json: its fields, and the seal (a digest) at the end.
#include "train/storage/training_state.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "train/storage/strict_json.h"

namespace calque {
namespace {

using OrderedJson = nlohmann::ordered_json;

// Format 1 has no validation_owed. Formats 1 and 2 have the seeds and the mean square of the loss,
// which are ignored; they list retired scores among the best ones, and mark an average of
// checkpoints among the versions.
constexpr int64_t newest_format = 6;

// The seal has a constant length, so that it is found without parsing.
std::string seal_of(std::string_view body) {
  return ",\n  \"xxh64\": \"" + hexadecimal(content_hash(body)) + "\"\n}\n";
}

OrderedJson scores_to_json(const std::vector<Score>& scores) {
  OrderedJson list = OrderedJson::array();
  for (const Score& score : scores) {
    list.push_back({{"value", json_number(score.value)}, {"step", score.step}});
  }
  return list;
}

OrderedJson best_to_json(const std::map<std::string, std::vector<Score>>& best) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [metric, scores] : best) json[metric] = scores_to_json(scores);
  return json;
}

OrderedJson retired_to_json(const std::vector<RetiredScores>& retired) {
  OrderedJson json = OrderedJson::array();
  for (const RetiredScores& r : retired) {
    json.push_back(
        {{"metric", r.metric}, {"until", r.until}, {"scores", scores_to_json(r.scores)}});
  }
  return json;
}

OrderedJson to_json(const Fingerprint& file) {
  return {{"size", file.size}, {"xxh64", hexadecimal(file.digest)}};
}

OrderedJson to_json(const BaseWeights& base) {
  if (base.file.empty()) return OrderedJson::object();
  return {{"file", base.file}, {"contents", to_json(base.contents)}};
}

OrderedJson to_json(const TrainingState& state) {
  const Divergence& divergence = state.divergence;
  // Digests are texts, because many JSON readers keep only 53 bits of a number.
  OrderedJson checksums = OrderedJson::object();
  for (const auto& [name, file] : state.checksums) {
    checksums[name] = to_json(file);
  }
  return {
      {"format", newest_format},
      {"step", state.step},
      {"optimizer_step", state.optimizer_step},
      {"epoch", state.epoch},
      {"position", state.position},
      {"slices", state.slices},
      {"chunks", state.chunks},
      {"ema", state.ema},
      {"mean_of", state.mean_of},
      {"int8", state.int8},
      {"base", to_json(state.base)},
      {"validation_owed", state.validation_owed},
      {"goal_reached", state.goal_reached},
      {"best", best_to_json(state.best)},
      {"retired", retired_to_json(state.retired)},
      {"early_stopping",
       {{"validations", state.early_stopping.validations},
        {"without_gain", state.early_stopping.without_gain}}},
      {"divergence",
       {{"mean", json_number(divergence.mean)},
        {"steps", divergence.steps},
        {"steps_above", divergence.steps_above},
        {"bad_steps", divergence.bad_steps},
        {"skipped_steps", divergence.skipped_steps}}},
      {"since_log",
       {{"loss", json_number(state.since_log.loss)},
        {"nll", json_number(state.since_log.nll)},
        {"correct", state.since_log.correct},
        {"tokens", state.since_log.terms}}},
      {"seconds_trained", json_number(state.seconds_trained)},
      {"target_tokens", state.tokens},
      {"longest_input", state.longest_input},
      {"tokenizer_hash", state.tokenizer_hash},
      {"data_hash", state.data_hash},
      {"versions", state.versions},
      {"config", state.config},
      {"checksums", checksums},
  };
}

EarlyStopping read_early_stopping(JsonObject json) {
  EarlyStopping stopping;
  stopping.validations = json.integer("validations", 0);
  stopping.without_gain = json.integer("without_gain", 0);
  json.finish();
  return stopping;
}

Divergence read_divergence(JsonObject json, int64_t format) {
  Divergence divergence;
  divergence.mean = json.number("mean");
  if (format < 3) json.number("square");
  divergence.steps = json.integer("steps", 0);
  divergence.steps_above = json.integer("steps_above", 0);
  divergence.bad_steps = json.integer("bad_steps", 0);
  divergence.skipped_steps = json.integer("skipped_steps", 0);
  json.finish();
  return divergence;
}

LossSums read_sums(JsonObject json) {
  LossSums sums;
  sums.loss = json.number("loss");
  sums.nll = json.number("nll");
  sums.correct = json.integer("correct", 0);
  sums.terms = json.integer("tokens", 0);
  json.finish();
  return sums;
}

std::vector<Score> read_scores(std::vector<JsonObject> list) {
  std::vector<Score> scores;
  for (JsonObject& json : list) {
    scores.push_back({.value = json.number("value"), .step = json.integer("step", 0)});
    json.finish();
  }
  return scores;
}

std::vector<RetiredScores> read_retired(std::vector<JsonObject> list) {
  std::vector<RetiredScores> retired;
  for (JsonObject& json : list) {
    retired.push_back(
        {json.text("metric"), json.integer("until", 0), read_scores(json.objects("scores"))});
    json.finish();
  }
  return retired;
}

// Formats 1 and 2 name retired scores "bleu until step 500".
void retire_by_name(TrainingState& state) {
  constexpr std::string_view mark = " until step ";
  for (auto at = state.best.begin(); at != state.best.end();) {
    const size_t place = at->first.find(mark);
    if (place == std::string::npos) {
      ++at;
      continue;
    }
    int64_t until = 0;
    const char* end = at->first.data() + at->first.size();
    std::from_chars(at->first.data() + place + mark.size(), end, until);
    state.retired.push_back({at->first.substr(0, place), until, std::move(at->second)});
    at = state.best.erase(at);
  }
}

Fingerprint read_fingerprint(JsonObject json) {
  const uint64_t size = json.bits("size");
  const std::string text = json.text("xxh64");
  uint64_t digest = 0;
  std::from_chars(text.data(), text.data() + text.size(), digest, 16);
  if (text != hexadecimal(digest)) json.refuse("xxh64", "must be sixteen hexadecimal digits");
  json.finish();
  return {.size = size, .digest = digest};
}

BaseWeights read_base(JsonObject json) {
  if (json.names().empty()) return {};
  BaseWeights base{json.text("file"), read_fingerprint(json.object("contents"))};
  json.finish();
  return base;
}

// The results of read(object, name) for every name in an object.
template <class Read>
auto read_map(JsonObject json, Read&& read) {
  std::map<std::string, decltype(read(json, std::string()))> map;
  for (const std::string& name : json.names()) map.emplace(name, read(json, name));
  return map;
}

int64_t read_format(JsonObject& json, const std::string& path) {
  const int64_t format = json.integer("format", 1);
  if (format > newest_format) {
    throw Mismatch(fmt::format(
        "{}: written by a newer calque (format {}, this one reads up to {}); use the newer "
        "one",
        path, format, newest_format));
  }
  return format;
}

TrainingState from_json(JsonObject json, const std::string& path) {
  using Object = JsonObject;
  using Name = std::string;
  TrainingState state;
  const int64_t format = read_format(json, path);
  state.step = json.integer("step", 0);
  state.optimizer_step = json.integer("optimizer_step", 0);
  state.epoch = json.integer("epoch", 0);
  state.position = json.integer("position", 0);
  state.slices = format > 3 ? json.integer("slices", 1) : 1;
  state.chunks = format > 2 ? json.integer("chunks", 0) : 0;
  state.ema = json.flag("ema");
  if (format > 2) state.mean_of = json.integer("mean_of", 0);
  if (format > 4) state.int8 = json.flag("int8");
  if (format > 5) state.base = read_base(json.object("base"));
  if (format > 1) state.validation_owed = json.flag("validation_owed");
  if (format > 2) state.goal_reached = json.text("goal_reached");
  state.best = read_map(json.object("best"), [](Object& scores, const Name& metric) {
    return read_scores(scores.objects(metric));
  });
  if (format > 2) {
    state.retired = read_retired(json.objects("retired"));
  } else {
    retire_by_name(state);
  }
  state.early_stopping = read_early_stopping(json.object("early_stopping"));
  state.divergence = read_divergence(json.object("divergence"), format);
  state.since_log = read_sums(json.object("since_log"));
  state.seconds_trained = json.number("seconds_trained");
  state.tokens = json.integer("target_tokens", 0);
  if (format > 4) state.longest_input = json.integer("longest_input", 0);
  if (format < 3) {
    read_map(json.object("seeds"), [](Object& seeds, const Name& use) { return seeds.bits(use); });
  }
  state.tokenizer_hash = json.text("tokenizer_hash");
  state.data_hash = json.text("data_hash");
  state.versions = read_map(json.object("versions"),
                            [](Object& versions, const Name& part) { return versions.text(part); });
  state.config = json.text("config");
  state.checksums = read_map(json.object("checksums"), [](Object& files, const Name& name) {
    return read_fingerprint(files.object(name));
  });
  if (format < 3 && state.versions.erase("weights") > 0) state.mean_of = 1;
  json.finish();
  return state;
}

}  // namespace

std::string format_state(const TrainingState& state) {
  std::string text;
  try {
    text = to_json(state).dump(2);
  } catch (const OrderedJson::type_error&) {
    fail("state.json: a text in the training state is not valid UTF-8, most likely in the config");
  }
  text.resize(text.size() - 2);  // without the line break and the closing brace
  text += seal_of(text);
  if (text.size() > largest_state) {
    fail("state.json: would have {} bytes, more than the limit of {}", text.size(), largest_state);
  }
  return text;
}

TrainingState parse_state(std::string_view text, const std::string& path) {
  static const size_t seal_size = seal_of("").size();
  const size_t body_size = text.size() < seal_size ? 0 : text.size() - seal_size;
  const std::string_view body = text.substr(0, body_size);
  if (text.substr(body_size) != seal_of(body)) {
    fail("{}: damaged: its contents do not match the digest in its last line", path);
  }
  const nlohmann::json document = parse_json(std::string(body) + "\n}", path);
  return from_json({document, path}, path);
}

}  // namespace calque
