#include "module/core/bind.h"

#include <fmt/format.h>
#include <pthread.h>
#include <pybind11/stl.h>

#include "core/segments.h"
#include "core/threads/parallel.h"
#include "module/core/inputs.h"
#include "module/core/ops.h"
#include "module/core/parameters.h"
#include "module/core/tapes.h"

namespace calque::python {
namespace {

void bind_segments(py::module_& module) {
  py::class_<Segments>(module, "Segments")
      .def(py::init([](const Ids& lengths) { return Segments::of_lengths(lengths); }),
           py::arg("lengths"))
      .def_property_readonly("lengths",
                             [](const Segments& self) {
                               std::vector<int32_t> lengths;
                               for (int64_t i = 0; i < self.count(); ++i) {
                                 lengths.push_back(self.length(i));
                               }
                               return lengths;
                             })
      .def_property_readonly("offsets", &Segments::offsets)
      .def_property_readonly("tokens", &Segments::tokens)
      .def("__len__", &Segments::count)
      .def("__repr__", [](const py::object& self) {
        return fmt::format("Segments({})", py::str(self.attr("lengths")).cast<std::string>());
      });
}

void bind_loss(py::module_& module) {
  py::class_<TokenLoss>(module, "TokenLoss")
      .def_readonly("loss", &TokenLoss::loss)
      .def_readonly("nll", &TokenLoss::nll)
      .def_readonly("correct", &TokenLoss::correct)
      .def_readonly("tokens", &TokenLoss::tokens)
      .def("__repr__", [](const TokenLoss& self) {
        return fmt::format("TokenLoss(nll={}, correct={}, tokens={})", self.nll, self.correct,
                           self.tokens);
      });
}

bool is_child = false;

// The threads of OpenMP do not exist in the child of a fork(), and it cannot start new ones.
void become_child() {
  is_child = true;
  set_threads(1);
  HoldingGradients::forget_in_child();
}

void set_threads_here(int count) {
  require(!is_child || count == 1,
          "set_threads: the child of a fork computes on one thread; start processes with "
          "multiprocessing's method 'spawn'");
  set_threads(count);
}

}  // namespace

void bind_core(py::module_& module) {
  module.def("threads", &threads, "The number of threads that ops use.");
  module.def("set_threads", &set_threads_here, py::arg("count"));
  pthread_atfork(nullptr, nullptr, &become_child);
  py::module_ core = module.def_submodule("core");
  core.attr("no_token") = no_token;
  bind_tensor(core);
  bind_segments(core);
  bind_loss(core);
  bind_tapes(core);
  bind_ops(core);
  bind_parameters(core);
  bind_layers(core);
  bind_models(core);
  bind_optimisers(core);
  for (const auto& [name, value] : py::cast<py::dict>(core.attr("__dict__"))) {
    if (PyType_Check(value.ptr())) py::setattr(value, "__module__", py::str("calque.core"));
  }
}

}  // namespace calque::python
