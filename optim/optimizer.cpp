#include "optim/optimizer.h"

#include <cmath>
#include <limits>

#include "optim/gradient_norm.h"

namespace calque {
namespace {

void check(const WeightDecay& decay) {
  if (!(decay.rate >= 0 && std::isfinite(decay.rate))) {
    fail("weight decay is {}; it must be 0 or a positive number", decay.rate);
  }
}

double checked_norm(double clip_norm) {
  if (!(clip_norm >= 0 && std::isfinite(clip_norm))) {
    fail("clip_norm is {}; it must be a positive number, or 0 for no clipping", clip_norm);
  }
  return clip_norm;
}

}  // namespace

bool Optimizer::works_by_element(const OptimizerSettings& settings) {
  return std::holds_alternative<AdamSettings>(settings) ||
         std::holds_alternative<SgdSettings>(settings);
}

Optimizer::Rule Optimizer::rule_of(const Parameters& parameters, const OptimizerSettings& settings,
                                   const FlatRanges& ranges) {
  std::visit([](const auto& s) { check(s.decay); }, settings);
  if (const auto* adam = std::get_if<AdamSettings>(&settings)) {
    return Adam(parameters, *adam, ranges);
  }
  if (const auto* sgd = std::get_if<SgdSettings>(&settings)) return Sgd(parameters, *sgd, ranges);
  if (const auto* muon = std::get_if<MuonSettings>(&settings)) {
    return Muon(parameters, *muon, ranges);
  }
  require(ranges == whole_range(parameters), "Optimizer: Adafactor updates all parameters");
  return Adafactor(parameters, std::get<AdafactorSettings>(settings));
}

Optimizer::Optimizer(const Parameters& parameters, const OptimizerSettings& settings,
                     double clip_norm)
    : Optimizer(parameters, settings, clip_norm, whole_range(parameters)) {}

Optimizer::Optimizer(const Parameters& parameters, const OptimizerSettings& settings,
                     double clip_norm, const FlatRanges& ranges)
    : rule_(rule_of(parameters, settings, ranges)),
      clip_norm_(checked_norm(clip_norm)),
      flat_size_(parameters.flat_size()) {}

std::vector<FlatRanges> Optimizer::divide(const Parameters& parameters,
                                          const OptimizerSettings& settings,
                                          std::span<const FlatRange> shares) {
  if (std::holds_alternative<MuonSettings>(settings)) return Muon::divide(parameters, shares);
  std::vector<FlatRanges> divided;
  for (const FlatRange& share : shares) {
    divided.push_back(works_by_element(settings) ? FlatRanges{share} : whole_range(parameters));
  }
  return divided;
}

UpdateReport Optimizer::update(Parameters& parameters, double learning_rate,
                               double gradient_scale) {
  const double norm = gradient_norm(parameters);
  std::vector<const real*> gradients;
  for (const Parameters::Entry& entry : parameters.entries()) {
    gradients.push_back(entry.frozen() ? nullptr : entry.tensor.gradient().span().data());
  }
  return apply(parameters, gradients, norm, learning_rate, gradient_scale);
}

UpdateReport Optimizer::update(Parameters& parameters, std::span<const real> gradient, double norm,
                               double learning_rate, double gradient_scale) {
  require(std::ssize(gradient) >= parameters.flat_size(),
          "Optimizer: a gradient of {} numbers for {} of the parameters", gradient.size(),
          parameters.flat_size());
  std::vector<const real*> gradients;
  for (const Parameters::Entry& entry : parameters.entries()) {
    gradients.push_back(gradient.data() + entry.offset);
  }
  return apply(parameters, gradients, norm, learning_rate, gradient_scale);
}

UpdateReport Optimizer::apply(Parameters& parameters, std::span<const real* const> gradients,
                              double norm, double learning_rate, double gradient_scale) {
  require(parameters.flat_size() == flat_size_,
          "Optimizer: made for {} numbers, but the parameters have {}", flat_size_,
          parameters.flat_size());
  require(learning_rate >= 0 && std::isfinite(learning_rate), "Optimizer: the learning rate is {}",
          learning_rate);
  require(gradient_scale > 0 && std::isfinite(gradient_scale),
          "Optimizer: the gradient scale is {}", gradient_scale);
  norm *= gradient_scale;
  const double clip = clip_factor(norm, clip_norm_);
  static const double largest = std::sqrt(double(std::numeric_limits<real>::max()));
  if (!(norm * clip < largest)) return {norm, clip, false};

  const FlatUpdate update{.values = parameters.values(),
                          .gradients = gradients,
                          .gradient_factor = gradient_scale * clip,
                          .learning_rate = learning_rate,
                          .step = steps_ + 1};
  std::visit([&](auto& rule) { rule.apply(update); }, rule_);
  ++steps_;
  return {norm, clip, true};
}

std::vector<StateWindow> Optimizer::state() {
  return std::visit([](auto& rule) { return rule.state(); }, rule_);
}

void Optimizer::resume_at(int64_t steps) {
  require(steps >= 0, "Optimizer: resume_at({})", steps);
  steps_ = steps;
}

}  // namespace calque
