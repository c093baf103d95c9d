#include "module/core/parameters.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "core/parameter_table.h"
#include "nn/initial.h"

namespace calque::python {
namespace {

constexpr Named<Role> roles[] = {
    {"weight", Role::weight},          {"bias", Role::bias},         {"gain", Role::gain},
    {"embedding", Role::embedding},    {"position", Role::position}, {"output", Role::output},
    {"output_bias", Role::output_bias}};

const Parameters::Entry& entry_of(const Parameters& parameters, const std::string& name) {
  const Parameters::Entry* entry = parameters.find(name);
  if (!entry) throw py::key_error(name);
  return *entry;
}

py::object view_of(const Tensor& x) { return as_array(py::cast(with_values(x))); }

template <class Item>
py::list listed(const Parameters& parameters, Item&& item) {
  py::list list;
  for (const Parameters::Entry& entry : parameters.entries()) list.append(item(entry));
  return list;
}

// An Initial, a number for all elements, or an array with the values.
Initial to_initial(const py::object& given, const Shape& shape) {
  if (py::isinstance<Initial>(given)) return given.cast<const Initial&>();
  if (is_number(given)) return constant(given.cast<real>());
  const Tensor values = to_tensor(given, Copy::always);
  require(values.shape() == shape, "parameter: initial values of shape {} for shape {}",
          values.shape(), shape);
  return [values](const Stream&, const Shape&, std::span<real> to) {
    std::ranges::copy(values.span(), to.begin());
  };
}

void bind_initial(py::module_& module) {
  py::class_<Initial>(module, "Initial");
  module.def(
      "normal", [](real deviation) { return normal(deviation); }, py::arg("deviation"));
  module.def(
      "uniform", [](real limit) { return uniform(limit); }, py::arg("limit"));
  module.def(
      "constant", [](real value) { return constant(value); }, py::arg("value"));
  module.def("xavier_uniform", &xavier_uniform, py::arg("inputs"), py::arg("outputs"));
}

void bind_path(py::module_& module) {
  py::class_<SharedPath>(module, "Path")
      .def(py::init([](const SharedParameters& store) {
             return SharedPath{store, Path(*store)};
           }),
           py::arg("parameters"))
      .def("__truediv__",
           [](const SharedPath& self, const py::object& part) {
             return SharedPath{self.store, self.path / py::str(part).cast<std::string>()};
           })
      .def_property_readonly("name", [](const SharedPath& self) { return self.path.name(); })
      .def("__repr__",
           [](const SharedPath& self) { return fmt::format("Path('{}')", self.path.name()); })
      .def(
          "parameter",
          [](const SharedPath& self, const std::string& name, const Shape& shape,
             const py::object& initial, const py::object& role) {
            return self.path.parameter(name, shape, to_choice<Role>(roles, role),
                                       to_initial(initial, shape));
          },
          py::arg("name"), py::arg("shape"), py::kw_only(), py::arg("initial") = 0,
          py::arg("role") = "weight");
}

void initialise(Parameters& parameters, uint64_t seed) {
  const Computing computing;
  if (!parameters.allocated()) parameters.allocate();
  parameters.initialise(seed);
}

void clear_gradients(Parameters& parameters) {
  const HoldingGradients held;
  parameters.clear_gradients();
}

}  // namespace

SharedPath to_path(const py::object& at) {
  if (py::isinstance<Parameters>(at)) {
    const auto store = at.cast<SharedParameters>();
    return {store, Path(*store)};
  }
  if (!py::isinstance<SharedPath>(at)) {
    throw py::type_error("a module is built at a Path, such as parameters / \"encoder\"");
  }
  return at.cast<SharedPath>();
}

void bind_parameters(py::module_& module) {
  bind_initial(module);
  py::class_<Parameters, SharedParameters> type(module, "Parameters");
  bind_path(module);
  type.def(py::init<>())
      .def("__truediv__",
           [](const SharedParameters& self, const py::object& part) {
             return SharedPath{self, Path(*self) / py::str(part).cast<std::string>()};
           })
      .def("initialise", &initialise, py::arg("seed") = 1)
      .def("freeze", &Parameters::freeze, py::arg("name"))
      .def("clear_gradients", &clear_gradients)
      .def(
          "tensor",
          [](const Parameters& self, const std::string& name) {
            return entry_of(self, name).tensor;
          },
          py::arg("name"))
      .def_property_readonly("count", &Parameters::count)
      .def("__len__", [](const Parameters& self) { return self.entries().size(); })
      .def("__contains__", [](const Parameters& self,
                              const std::string& name) { return self.find(name) != nullptr; })
      .def("__getitem__",
           [](const Parameters& self, const std::string& name) {
             return view_of(entry_of(self, name).tensor);
           })
      .def("__iter__", [](const py::object& self) { return py::iter(self.attr("keys")()); })
      .def("keys",
           [](const Parameters& self) { return listed(self, [](auto& e) { return e.name; }); })
      .def("values",
           [](const Parameters& self) {
             return listed(self, [](auto& e) { return view_of(e.tensor); });
           })
      .def("items",
           [](const Parameters& self) {
             return listed(self, [](auto& e) { return py::make_tuple(e.name, view_of(e.tensor)); });
           })
      .def("__repr__", &parameter_table);
}

}  // namespace calque::python
