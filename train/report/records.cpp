#include "train/report/records.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace calque {
namespace {

using OrderedJson = nlohmann::ordered_json;

// Text that is not UTF-8, such as an incomplete character, must not stop a run.
std::string dumped(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

OrderedJson record_json(const char* kind, int64_t step, double epoch) {
  return {{"kind", kind}, {"step", step}, {"epoch", epoch}};
}

}  // namespace

MeanLoss mean_of(const LossSums& sums) {
  const auto terms = static_cast<double>(std::max<int64_t>(1, sums.terms));
  return {sums.loss / terms, sums.nll / terms, std::exp(sums.nll / terms),
          static_cast<double>(sums.correct) / terms};
}

std::string json_line(const TrainRecord& r) {
  OrderedJson json = record_json("train", r.step, r.epoch);
  json["loss"] = r.mean.loss;
  json["nll"] = r.mean.nll;
  json["ppl"] = r.mean.perplexity;
  json["accuracy"] = r.mean.accuracy;
  json["lr"] = r.learning_rate;
  json["grad_norm"] = r.gradient_norm;
  json["tokens"] = r.tokens;
  json["timing"] = {{"seconds", r.seconds},
                    {"tokens_per_s", r.tokens_per_second},
                    {"gflop_per_s", r.gflop_per_second},
                    {"memory_mb", r.memory_mb},
                    {"wait_share", r.wait_share}};
  if (r.exchange_share) json["timing"]["exchange_share"] = *r.exchange_share;
  if (r.exchange_mb) json["timing"]["exchange_mb"] = *r.exchange_mb;
  return dumped(json);
}

std::string json_line(const ValidRecord& r) {
  OrderedJson json = record_json("valid", r.step, r.epoch);
  for (const auto& [column, value] : r.values) json[column] = value;
  for (const Sample& sample : r.samples) {
    json["samples"].push_back(
        {{"source", sample.input}, {"reference", sample.reference}, {"output", sample.output}});
  }
  for (const ResultTable& table : r.tables) {
    json["tables"].push_back(
        {{"title", table.title}, {"columns", table.columns}, {"rows", table.rows}});
  }
  json["timing"] = {{"seconds", r.seconds}};
  return dumped(json);
}

std::string prediction_json(int64_t step, std::span<const Prediction> predictions) {
  OrderedJson json = {{"kind", "prediction"}, {"step", step}};
  for (const Prediction& p : predictions) json["end"][p.column] = {p.value, p.low, p.high};
  return dumped(json);
}

std::string finding_json(int64_t step, const std::string& fault, const std::string& text) {
  return dumped({{"kind", "finding"}, {"step", step}, {"fault", fault}, {"text", text}});
}

std::string event_json(int64_t step, const std::string& text) {
  return dumped({{"kind", "event"}, {"step", step}, {"text", text}});
}

}  // namespace calque
