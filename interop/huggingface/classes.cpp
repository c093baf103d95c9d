// The labels of classifiers.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/error.h"
#include "data/text/utf8.h"
#include "interop/huggingface/parts.h"
#include "interop/parameters/filling_walk.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

constexpr const char* labels_key = "id2label";

void check_labels(const ForeignJson& config, const std::vector<std::string>& labels) {
  if (labels.size() < 2) {
    config.refuse(labels_key, "has one class; a classifier of calque has two or more");
  }
  for (const std::string& name : labels) {
    const bool plain = name.find_first_of(std::string_view("\t\n\r\0", 4)) == name.npos;
    if (name.empty() || !plain || find_invalid_utf8(name)) {
      config.refuse(labels_key,
                    fmt::format("has the label '{}', which calque cannot hold", printable(name)));
    }
  }
}

// The labels in the order of the class numbers.
std::vector<std::string> read_labels(const ForeignJson& config) {
  std::vector<std::string> labels;
  if (!config.has(labels_key)) {
    const int64_t count = config.integer("num_labels", 1, 1 << 20, 2);
    for (int64_t i = 0; i < count; ++i) labels.push_back(fmt::format("LABEL_{}", i));
  } else {
    const nlohmann::json& names = config.json()[labels_key];
    if (!names.is_object()) config.refuse(labels_key, "must be an object");
    const ForeignJson numbered(names, config.path() + ": " + labels_key);
    for (size_t i = 0; i < names.size(); ++i) labels.push_back(numbered.text(std::to_string(i)));
  }
  check_labels(config, labels);
  return labels;
}

// Appends the class number to each label that several classes have.
void tell_apart(std::vector<std::string>& labels) {
  std::map<std::string, int> counts;
  for (const std::string& label : labels) ++counts[label];
  for (size_t i = 0; i < labels.size(); ++i) {
    if (counts[labels[i]] > 1) labels[i] += fmt::format(" ({})", i);
  }
}

}  // namespace

void describe_classes(const std::vector<std::string>& labels, nlohmann::ordered_json& config) {
  for (size_t i = 0; i < labels.size(); ++i) {
    config["id2label"][std::to_string(i)] = labels[i];
    config["label2id"][labels[i]] = i;
  }
}

std::vector<std::string> take_sorted_labels(const ForeignJson& config, int64_t d_model,
                                            ForeignTensors& tensors) {
  std::vector<std::string> labels = read_labels(config);
  tell_apart(labels);
  const auto count = std::ssize(labels);
  VocabularyRows order(labels.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::ranges::sort(order, {}, [&](int64_t row) { return labels[static_cast<size_t>(row)]; });
  for (const auto& [name, shape] :
       {std::pair<const char*, Shape>{"classifier.weight", {count, d_model}},
        {"classifier.bias", {count}}}) {
    const Tensor sorted = Tensor::zeros(shape);
    copy_rows(tensors.take(name, shape), order, sorted);
    tensors.add(name, sorted);
  }
  std::ranges::sort(labels);
  if (const auto twice = std::ranges::adjacent_find(labels); twice != labels.end()) {
    config.refuse(labels_key, fmt::format("has the label '{}' twice", printable(*twice)));
  }
  return labels;
}

}  // namespace calque
