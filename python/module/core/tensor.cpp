// calque.core.Tensor: the class, and how other libraries read it.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <cmath>
#include <memory>

#include "core/ops.h"
#include "module/core/computing.h"
#include "module/core/dlpack.h"
#include "module/core/inputs.h"
#include "module/core/ops.h"
#include "module/core/tapes.h"

namespace calque::python {
namespace {

// The buffer protocol without pybind11's, which ends the process if a tensor has no values yet.
struct Axes {
  std::array<Py_ssize_t, Shape::most_axes> sizes{}, strides{};
};

void fill_view(PyObject* self, Py_buffer* view, int flags) {
  const auto& x = with_values(py::handle(self).cast<const Tensor&>());
  static char format[] = {sizeof(real) == 4 ? 'f' : 'd', 0};
  auto axes = std::make_unique<Axes>();
  Py_ssize_t stride = sizeof(real);
  for (int i = x.shape().axes() - 1; i >= 0; --i) {
    axes->sizes[i] = x.shape()[i];
    axes->strides[i] = stride;
    stride *= x.shape()[i];
  }
  view->buf = x.data();
  view->len = x.size() * static_cast<Py_ssize_t>(sizeof(real));
  view->itemsize = sizeof(real);
  view->readonly = 0;
  view->format = flags & PyBUF_FORMAT ? format : nullptr;
  view->ndim = x.shape().axes();
  view->shape = flags & PyBUF_ND ? axes->sizes.data() : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? axes->strides.data() : nullptr;
  view->suboffsets = nullptr;
  view->internal = axes.release();
  view->obj = py::handle(self).inc_ref().ptr();
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  try {
    fill_view(self, view, flags);
    return 0;
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
    return -1;
  }
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<Axes*>(view->internal); }

// -1 stands for what is left.
Shape filled_in(const Tensor& x, const py::args& args) {
  const py::object given = args.size() == 1 ? py::object(args[0]) : py::object(args);
  std::vector<int64_t> sizes = PyIndex_Check(given.ptr()) ? std::vector{given.cast<int64_t>()}
                                                          : given.cast<std::vector<int64_t>>();
  const auto open = std::ranges::find(sizes, -1);
  if (open != sizes.end()) {
    *open = 1;
    const int64_t rest = Shape(std::span<const int64_t>(sizes)).elements();
    *open = rest ? x.size() / rest : 0;
  }
  return Shape(std::span<const int64_t>(sizes));
}

// Rows along the first axis: x[2], x[-1], x[3:5].
Tensor rows_at(const Tensor& x, const py::object& index) {
  const Shape& shape = x.shape();
  if (shape.axes() == 0) throw py::index_error("a tensor without axes has no rows");
  if (py::isinstance<py::slice>(index)) {
    py::ssize_t begin = 0, end = 0, step = 0, count = 0;
    if (!index.cast<py::slice>().compute(shape[0], &begin, &end, &step, &count)) {
      throw py::error_already_set();
    }
    if (step != 1) throw py::index_error("a slice of a tensor has step 1");
    return op({&x}, [&] { return slice_rows(x, begin, begin + count); });
  }
  if (!PyIndex_Check(index.ptr())) {
    throw py::type_error("x[i] and x[i:j] select rows; slice_cols() and gather_rows() do the rest");
  }
  int64_t row = index.cast<int64_t>();
  if (row < 0) row += shape[0];
  if (row < 0 || row >= shape[0]) {
    throw py::index_error(fmt::format("row {} of {}", index.cast<int64_t>(), shape.text()));
  }
  return op({&x},
            [&] { return slice_rows(x, row, row + 1).reshaped(Shape(shape.sizes().subspan(1))); });
}

py::object gradient_of(const Tensor& x) {
  const Gradient& gradient = x.gradient();
  if (!gradient) return py::none();
  require(gradient.tape() == 0,
          "grad: the gradient of an op's result is freed by backward(); only leaves, made by "
          "variable(), keep theirs");
  const auto copied = [&] {
    const HoldingGradients held;
    return Tensor::of(x.shape(), gradient.span());
  };
  return py::cast(copied());
}

void clear_gradient(const Tensor& x) {
  const HoldingGradients held;
  x.gradient().clear();
}

std::string text_of(const Tensor& x) {
  const std::string marks = x.gradient() ? x.gradient().tape() ? ", recorded" : ", variable" : "";
  if (x.size() > 0 && !x.data()) return fmt::format("Tensor(shape={}{})", x.shape().text(), marks);
  const py::object numbers = py::module_::import("numpy").attr("array2string")(
      as_array(py::cast(x)), py::arg("separator") = ", ", py::arg("prefix") = "Tensor(",
      py::arg("threshold") = 100);
  return fmt::format("Tensor({}{})", numbers.cast<std::string>(), marks);
}

// In ops, b broadcasts over a, so the larger operand comes first.
bool larger(const Tensor& a, const Tensor& b) {
  return a.size() != b.size() ? a.size() > b.size() : a.shape().axes() >= b.shape().axes();
}

Tensor add(const Tensor& a, const Tensor& b) { return larger(a, b) ? a + b : b + a; }
Tensor multiply(const Tensor& a, const Tensor& b) { return larger(a, b) ? a * b : b * a; }
Tensor subtract(const Tensor& a, const Tensor& b) { return larger(a, b) ? a - b : -(b - a); }
Tensor divide(const Tensor& a, const Tensor& b) {
  return larger(a, b) ? a / b : (Tensor::zeros(b.shape()) + a) / b;
}
Tensor product(const Tensor& a, const Tensor& b) { return matmul(a, b); }

Tensor power(const Tensor& x, const py::object& exponent) {
  const double n = exponent.cast<double>();
  if (n == 0.5) return op({&x}, [&] { return sqrt(x); });
  if (n != std::floor(n) || n < 1 || n > 64) {
    throw py::value_error(
        "x ** n is defined for n = 0.5, 1, 2, ... 64; exp(n * log(x)) is general");
  }
  return op({&x}, [&] {
    Tensor y = x;
    for (int i = 1; i < static_cast<int>(n); ++i) y = i == 1 ? square(x) : y * x;
    return y;
  });
}

// An operator, and the same with its operands exchanged. With a number it is an affine map, as in
// C++, where there is one.
void def_operator(py::class_<Tensor>& type, const char* name, const char* reflected,
                  Tensor (*operation)(const Tensor&, const Tensor&),
                  Tensor (*with_number)(const Tensor&, real, bool reflected)) {
  const auto bind = [=](bool swapped) {
    return [=](const Tensor& x, const py::object& other) {
      if (with_number && is_number(other)) {
        const real number = other.cast<real>();
        return op({&x}, [&] { return with_number(x, number, swapped); });
      }
      const Tensor y = to_tensor(other);
      return op({&x, &y}, [&] { return swapped ? operation(y, x) : operation(x, y); });
    };
  };
  type.def(name, bind(false));
  type.def(reflected, bind(true));
}

void def_arithmetic(py::class_<Tensor>& type) {
  def_operator(type, "__add__", "__radd__", add,
               [](const Tensor& x, real number, bool) { return x + number; });
  def_operator(type, "__sub__", "__rsub__", subtract, [](const Tensor& x, real number, bool from) {
    return from ? affine(x, -1, number) : x - number;
  });
  def_operator(type, "__mul__", "__rmul__", multiply,
               [](const Tensor& x, real number, bool) { return x * number; });
  def_operator(type, "__truediv__", "__rtruediv__", divide, nullptr);
  def_operator(type, "__matmul__", "__rmatmul__", product, nullptr);
  type.def("__neg__", [](const Tensor& x) { return op({&x}, [&] { return -x; }); });
  type.def("__pow__", &power);
}

Tensor filled(const Shape& shape, real value) {
  const FlushedDenormals flushed;
  return Tensor::full(shape, value);
}

// The protocols by which other libraries read a tensor.
void def_exports(py::class_<Tensor>& type) {
  PyBufferProcs& buffers = reinterpret_cast<PyHeapTypeObject*>(type.ptr())->as_buffer;
  buffers = {&get_buffer, &release_buffer};
  type.def("numpy", [](const py::object& self) { return as_array(self); });
  type.def(
      "__array__",
      [](const py::object& self, const py::object& dtype, const py::object& copy) {
        const py::module_ numpy = py::module_::import("numpy");
        const py::object array = numpy.attr("asarray")(py::memoryview(self));
        const bool always = !copy.is_none() && copy.cast<bool>();
        if (dtype.is_none()) return always ? py::object(array.attr("copy")()) : array;
        return py::object(array.attr("astype")(dtype, py::arg("copy") = always));
      },
      py::arg("dtype") = py::none(), py::arg("copy") = py::none());
  type.def("__dlpack__",
           [](const Tensor& x, const py::kwargs&) { return to_dlpack(with_values(x)); });
  type.def("__dlpack_device__", [](const Tensor&) { return py::make_tuple(1, 0); });
  type.attr("__array_ufunc__") = py::none();  // array + tensor is a tensor
}

}  // namespace

void bind_tensor(py::module_& module) {
  py::class_<Tensor> type(module, "Tensor", py::buffer_protocol());
  type.def_property_readonly("shape", &Tensor::shape)
      .def_property_readonly("size", &Tensor::size)
      .def_property_readonly("ndim", [](const Tensor& x) { return x.shape().axes(); })
      .def_property_readonly("grad", &gradient_of)
      .def_property_readonly("requires_grad", [](const Tensor& x) { return bool(x.gradient()); })
      .def("clear_grad", &clear_gradient)
      .def("backward", &run_backward, py::arg("seed") = py::none())
      .def("reshape",
           [](const Tensor& x, const py::args& shape) { return x.reshaped(filled_in(x, shape)); })
      .def("item", [](const Tensor& x) { return with_values(x).item(); })
      .def("detach", &Tensor::detached)
      .def("__float__", [](const Tensor& x) { return with_values(x).item(); })
      .def("__len__",
           [](const Tensor& x) {
             if (x.shape().axes() == 0) throw py::type_error("a tensor without axes has no length");
             return x.shape()[0];
           })
      .def("__getitem__", &rows_at)
      .def("__repr__", &text_of);
  def_arithmetic(type);
  def_exports(type);
  module.def(
      "tensor",
      [](const py::object& x, const py::object& copy) {
        return to_tensor(x, copy.is_none()      ? Copy::if_necessary
                            : copy.cast<bool>() ? Copy::always
                                                : Copy::never);
      },
      py::arg("x"), py::kw_only(), py::arg("copy") = py::none());
  module.def("from_dlpack", &from_dlpack, py::arg("x"));
  module.def(
      "variable", [](const Input& x) { return variable(x); }, py::arg("x"));
  module.def(
      "zeros", [](const Shape& shape) { return filled(shape, 0); }, py::arg("shape"));
  module.def("full", &filled, py::arg("shape"), py::arg("value"));
}

}  // namespace calque::python
