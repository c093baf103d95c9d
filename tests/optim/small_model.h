#pragma once
// Some named parameters whose values and gradients a test can set.

#include <map>
#include <string>
#include <vector>

#include "core/parameters.h"

namespace calque {

using NamedValues = std::map<std::string, std::vector<double>>;

struct SmallModel {
  Parameters parameters;

  struct Part {
    std::string name;
    Shape shape;
    Role role = Role::weight;
  };
  explicit SmallModel(const std::vector<Part>& parts) {
    for (const auto& [name, shape, role] : parts) parameters.add(name, shape, role, constant(0));
    parameters.allocate();
  }

  void set_values(const NamedValues& values) {
    for (const auto& [name, numbers] : values) write(numbers, entry(name).values().data());
  }
  void set_gradients(const NamedValues& gradients) {
    parameters.clear_gradients();
    for (const auto& [name, numbers] : gradients) {
      write(numbers, entry(name).tensor.gradient().open().data);
    }
  }
  // Random numbers. The gradients of different steps differ.
  void set_random_values() {
    for (const auto& one : parameters.entries()) fill({.seed = 1}, one, one.values(), 1);
  }
  void set_random_gradients(uint32_t step, real size = 1) {
    for (const auto& one : parameters.entries()) {
      const std::span gradient(one.tensor.gradient().open().data, one.values().size());
      fill({.seed = 2, .step = step}, one, gradient, size);
    }
  }

  const Parameters::Entry& entry(const std::string& name) const {
    const Parameters::Entry* found = parameters.find(name);
    require(found, "SmallModel: no parameter {}", name);
    return *found;
  }
  double value(const std::string& name, size_t i = 0) const { return entry(name).values()[i]; }
  std::vector<real> flat() const {
    const auto values = parameters.values();
    return {values.begin(), values.end()};
  }

 private:
  static void write(const std::vector<double>& numbers, real* to) {
    for (size_t i = 0; i < numbers.size(); ++i) to[i] = static_cast<real>(numbers[i]);
  }
  static void fill(Stream stream, const Parameters::Entry& one, std::span<real> numbers,
                   real deviation) {
    stream.use = static_cast<uint32_t>(hash_text(one.name));
    fill_normal(stream, 0, deviation, numbers);
  }
};

// Parameters that end within a SIMD vector and within a slice; one has several slices.
inline SmallModel model_of_many_slices() {
  return SmallModel({{"embedding.weight", {700, 131}, Role::embedding},
                     {"layers.0.weight", {33, 517}},
                     {"layers.0.bias", {517}, Role::bias},
                     {"layers.0.norm.gain", {131}, Role::gain},
                     {"layers.1.weight", {131, 1}}});
}

}  // namespace calque
