// The update rules, schedules and averages of optim/ for Python.

#include <pybind11/stl.h>

#include "module/core/options.h"
#include "module/core/parameters.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "optim/weight_average.h"

namespace calque::python {
namespace {

struct SharedOptimizer {
  SharedParameters store;
  Optimizer optimizer;
};

void require_values(const SharedParameters& store, const char* what) {
  require(store->allocated(),
          "{} needs parameters with values; call parameters.initialise(seed) first", what);
}

SharedOptimizer make(const SharedParameters& store, const OptimizerSettings& settings,
                     double clip_norm) {
  require_values(store, "an optimiser");
  const FlushedDenormals flushed;
  return {store, Optimizer(*store, settings, clip_norm)};
}

UpdateReport update(SharedOptimizer& self, double learning_rate, double gradient_scale) {
  const HoldingGradients held;
  return self.optimizer.update(*self.store, learning_rate, gradient_scale);
}

// Views of the state, which keep its owner alive.
template <class Owner>
py::dict views_of(const std::vector<StateWindow>& windows, const std::shared_ptr<Owner>& owner) {
  py::dict state;
  for (const StateWindow& window : windows) {
    const Tensor values = sharing({std::ssize(window.values)}, window.values.data(), owner);
    state[py::str(window.name)] = as_array(py::cast(values));
  }
  return state;
}

// The rule's settings are keyword arguments of its class.
template <class Settings>
struct Ruled : SharedOptimizer {};

template <class Settings>
void bind_rule(py::module_& module, const char* name) {
  py::class_<Ruled<Settings>, SharedOptimizer, std::shared_ptr<Ruled<Settings>>>(module, name)
      .def(py::init([name](const SharedParameters& store, double clip_norm,
                           const py::kwargs& keywords) {
             return std::make_shared<Ruled<Settings>>(
                 Ruled<Settings>{make(store, options_from<Settings>(name, keywords), clip_norm)});
           }),
           py::arg("parameters"), py::kw_only(), py::arg("clip_norm") = 0);
}

template <class Rule>
void bind_schedule(py::module_& module, const char* name) {
  py::class_<Rule>(module, name)
      .def(py::init([name](const py::kwargs& keywords) {
        const auto rule = options_from<Rule>(name, keywords);
        check(Schedule(rule));
        return rule;
      }))
      .def(
          "__call__",
          [](const Rule& self, int64_t step, double share_done) {
            require(step >= 1, "a schedule counts steps from 1, not {}", step);
            return learning_rate(Schedule(self), step, share_done);
          },
          py::arg("step"), py::arg("share_done") = 0)
      .def("__repr__", [name](const Rule& self) {
        const py::dict keywords = keywords_of<Rule>(self);
        return fmt::format("{}(**{})", name, py::repr(keywords).template cast<std::string>());
      });
}

// In a `with` block the parameters have the averaged weights.
struct SharedAverage {
  SharedParameters store;
  WeightAverage average;
  bool in_use = false;

  void follow(int64_t step) {
    require(!in_use, "WeightAverage.follow: the parameters have the averaged weights");
    const HoldingGradients held;
    average.follow(*store, step);
  }
  void use(bool on) {
    require(in_use != on, "WeightAverage: the parameters have the averaged weights already");
    const HoldingGradients held;
    average.swap(*store);
    in_use = on;
  }
};

void bind_weight_average(py::module_& module) {
  using Shared = std::shared_ptr<SharedAverage>;
  py::class_<SharedAverage, Shared>(module, "WeightAverage")
      .def(py::init([](const SharedParameters& store, const py::kwargs& keywords) {
             require_values(store, "WeightAverage");
             const auto settings = options_from<WeightAverageSettings>("WeightAverage", keywords);
             return std::make_shared<SharedAverage>(
                 SharedAverage{store, WeightAverage(*store, settings)});
           }),
           py::arg("parameters"))
      .def("follow", &SharedAverage::follow, py::arg("step"))
      .def("__enter__",
           [](const Shared& self) {
             self->use(true);
             return self;
           })
      .def("__exit__", [](const Shared& self, const py::args&) { self->use(false); })
      .def_property_readonly(
          "state", [](const Shared& self) { return views_of(self->average.state(), self); });
}

}  // namespace

void bind_optimisers(py::module_& module) {
  py::class_<UpdateReport>(module, "UpdateReport")
      .def_readonly("gradient_norm", &UpdateReport::gradient_norm)
      .def_readonly("clip_factor", &UpdateReport::clip_factor)
      .def_readonly("finite", &UpdateReport::finite);
  py::class_<SharedOptimizer, std::shared_ptr<SharedOptimizer>>(module, "Optimizer")
      .def("update", &update, py::arg("learning_rate"), py::arg("gradient_scale") = 1)
      .def_property_readonly("steps",
                             [](const SharedOptimizer& self) { return self.optimizer.steps(); })
      .def(
          "resume_at",
          [](SharedOptimizer& self, int64_t steps) { self.optimizer.resume_at(steps); },
          py::arg("steps"))
      .def_property_readonly("state", [](const std::shared_ptr<SharedOptimizer>& self) {
        return views_of(self->optimizer.state(), self);
      });
  bind_weight_average(module);
  bind_rule<AdamSettings>(module, "Adam");
  bind_rule<SgdSettings>(module, "Sgd");
  bind_rule<AdafactorSettings>(module, "Adafactor");
  bind_rule<MuonSettings>(module, "Muon");
  bind_schedule<Noam>(module, "Noam");
  bind_schedule<InverseSqrt>(module, "InverseSqrt");
  bind_schedule<CosineDecay>(module, "CosineDecay");
  bind_schedule<LinearDecay>(module, "LinearDecay");
  bind_schedule<Constant>(module, "Constant");
  bind_schedule<WholeRun>(module, "WholeRun");
}

}  // namespace calque::python
