#include "module/core/tapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/threads/parallel.h"
#include "module/core/computing.h"
#include "module/core/inputs.h"
#include "module/core/owner.h"

namespace calque::python {
namespace {

thread_local std::vector<std::shared_ptr<TapeScope>> scopes;  // the innermost last
thread_local std::shared_ptr<TapeScope> last;                 // for draw() after the with block

void remove_closed() {
  if (std::ranges::none_of(scopes, [](const auto& scope) { return scope->closed.load(); })) return;
  std::vector<std::shared_ptr<TapeScope>> gone;  // ends last: its closures may call Python
  for (auto& scope : std::exchange(scopes, {})) {
    if (scope->closed) {
      scope->tape.reset();
      scope->nothing.reset();
    }
    (scope->closed ? gone : scopes).push_back(std::move(scope));
  }
}

py::list listed_nodes(const Trace& trace) {
  const auto id = [](const void* gradient) { return reinterpret_cast<uintptr_t>(gradient); };
  py::list nodes;
  for (const Trace::Node& node : trace.nodes()) {
    py::list inputs;
    for (const auto& input : node.inputs) {
      inputs.append(py::make_tuple(id(input.gradient), shape_tuple(input.shape)));
    }
    py::dict entry;
    entry["op"] = node.op;
    entry["id"] = id(node.gradient);
    entry["shape"] = shape_tuple(node.shape);
    entry["inputs"] = inputs;
    entry["forward"] = node.forward;
    entry["backward"] = node.backward;
    nodes.append(entry);
  }
  return nodes;
}

// Names of ops must outlive every tape and profile.
const char* lasting(const std::string& name) {
  static auto* const names = new std::set<std::string>;
  return names->insert(name).first->c_str();
}

void add_to(const Gradient& dx, const Tensor& x) {
  const Sink sink = dx.open();
  parallel_for(x.size(), 65536, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      sink.data[i] = sink.add ? sink.data[i] + x.data()[i] : x.data()[i];
    }
  });
}

// Calls the backward function of an op and checks what it returns.
std::vector<Tensor> call_backward(const char* op, PyObject* backward, const Tensor& dy,
                                  const std::vector<Shape>& shapes) {
  const py::list returned = py::reinterpret_borrow<py::object>(backward)(dy);
  std::vector<Tensor> gradients;
  for (const py::handle item : returned) {
    gradients.push_back(item.is_none() ? Tensor() : to_tensor(item));
  }
  require(gradients.size() == shapes.size(), "{}: backward() returns {} gradients for {} inputs",
          op, gradients.size(), shapes.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    require(!gradients[i] || gradients[i].shape() == shapes[i],
            "{}: backward() returns a gradient of shape {} for an input of shape {}", op,
            gradients[i].shape(), shapes[i]);
  }
  return gradients;
}

}  // namespace

void run_backward(const Tensor& y, const py::object& seed) {
  begin_op();
  if (seed.is_none() || is_number(seed)) {
    const real scale = seed.is_none() ? real(1) : seed.cast<real>();
    const HoldingGradients held;
    return backward(y, scale);
  }
  const Tensor dy = to_tensor(seed);
  const HoldingGradients held;
  backward(y, dy);
}

void begin_op() {
  if (scopes.empty()) return;
  remove_closed();
  if (!scopes.empty()) scopes.back()->trace.begin();
}

void ScopeHandle::enter() {
  require(!scope_, "{}: each `with` needs a new one", records_ ? "Tape" : "no_grad");
  remove_closed();
  scope_ = std::make_shared<TapeScope>();
  if (records_) {
    scope_->tape.emplace(randomness_, check_, &scope_->trace);
    last = scope_;
  } else {
    scope_->nothing.emplace();
  }
  scopes.push_back(scope_);
}

void ScopeHandle::close() {
  if (!scope_ || scope_->closed.exchange(true)) return;
  if (scope_->thread == std::this_thread::get_id()) remove_closed();
}

void ScopeHandle::exit() {
  const bool elsewhere = scope_ && scope_->thread != std::this_thread::get_id();
  close();
  require(!elsewhere, "{}: it ends on another thread than it began on",
          records_ ? "Tape" : "no_grad");
}

const TapeScope& ScopeHandle::on_this_thread() const {
  require(scope_ != nullptr, "Tape: it is used before its `with`");
  require(scope_->thread == std::this_thread::get_id(), "Tape: it belongs to another thread");
  return *scope_;
}

int64_t ScopeHandle::recorded() const {
  const TapeScope& scope = on_this_thread();
  return scope.tape ? scope.tape->recorded() : 0;
}

py::list ScopeHandle::nodes() const { return listed_nodes(on_this_thread().trace); }

py::list nodes_of(const Tensor& x) {
  const auto has = [&](const TapeScope& scope) {
    return std::ranges::any_of(scope.trace.nodes(), [&](const Trace::Node& node) {
      return node.gradient == x.gradient().identity();
    });
  };
  require(x.gradient().identity(), "draw: the tensor of shape {} was not recorded on a tape",
          x.shape());
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    if (has(**scope)) return listed_nodes((*scope)->trace);
  }
  require(
      last && has(*last),
      "draw: the tape of the tensor of shape {} is not the last one of this thread; draw inside "
      "its `with`",
      x.shape());
  return listed_nodes(last->trace);
}

Tensor record_python_op(const std::string& name, const Tensor& y, const std::vector<Tensor>& inputs,
                        py::object backward) {
  const char* const op = lasting(name);
  std::vector<const Tensor*> pointers;
  std::vector<Gradient> gradients;
  std::vector<Shape> shapes;
  int64_t numbers = y.size();
  for (const Tensor& x : inputs) {
    pointers.push_back(&x);
    gradients.push_back(x.gradient());
    shapes.push_back(x.shape());
    numbers += x.size();
  }
  if (!recording(pointers)) return y;
  return attach(op, y, numbers,
                [op, gradients, shapes, shape = y.shape(),
                 function = owned(std::move(backward))](Gradient& dy) {
                  const py::gil_scoped_acquire held;
                  const Tensor copy = Tensor::of(shape, dy.span());
                  const auto computed = call_backward(op, function.get(), copy, shapes);
                  for (size_t i = 0; i < computed.size(); ++i) {
                    if (computed[i] && gradients[i]) add_to(gradients[i], computed[i]);
                  }
                });
}

void bind_tapes(py::module_& module) {
  const auto bind = [](auto& type) {
    type.def("__enter__", [](py::object self) {
      self.cast<ScopeHandle&>().enter();
      return self;
    });
    type.def("__exit__", [](ScopeHandle& self, const py::args&) { self.exit(); });
  };
  struct TapeHandle : ScopeHandle {
    TapeHandle(uint64_t seed, uint32_t step, uint32_t part, bool check)
        : ScopeHandle(true, {seed, step, part}, check ? Tape::Check::finite : Tape::Check::none) {}
  };
  struct NoGradHandle : ScopeHandle {
    NoGradHandle() : ScopeHandle(false, {}, Tape::Check::none) {}
  };
  py::class_<ScopeHandle> scope(module, "_Scope");
  bind(scope);
  py::class_<TapeHandle, ScopeHandle>(module, "Tape")
      .def(py::init<uint64_t, uint32_t, uint32_t, bool>(), py::kw_only(), py::arg("seed") = 0,
           py::arg("step") = 0, py::arg("part") = 0, py::arg("check") = false)
      .def("__len__", &ScopeHandle::recorded)
      .def_property_readonly("nodes", &ScopeHandle::nodes);
  py::class_<NoGradHandle, ScopeHandle>(module, "no_grad").def(py::init<>());
  module.def("backward", &run_backward, py::arg("y"), py::arg("seed") = py::none());
  module.def("nodes_of", [](const Tensor& x) { return nodes_of(x); });
  module.def("record_op", &record_python_op);
  module.def("identity",
             [](const Tensor& x) { return reinterpret_cast<uintptr_t>(x.gradient().identity()); });
}

}  // namespace calque::python
