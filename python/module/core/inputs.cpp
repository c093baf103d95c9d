#include "module/core/inputs.h"

#include <fmt/format.h>

#include <limits>

#include "module/core/computing.h"
#include "module/core/owner.h"

namespace calque::python {
namespace {

std::string type_of(py::handle object) { return Py_TYPE(object.ptr())->tp_name; }

// An exported array, which ends with the last copy of the pointer; empty if there is none.
std::shared_ptr<Py_buffer> exported(py::handle object, int flags) {
  if (!PyObject_CheckBuffer(object.ptr())) return {};
  auto* const view = new Py_buffer{};
  if (PyObject_GetBuffer(object.ptr(), view, flags) != 0) {
    delete view;
    throw py::error_already_set();
  }
  return released_with_gil(view, [](Py_buffer* last) {
    PyBuffer_Release(last);
    delete last;
  });
}

// The code of an array's numbers without the mark of the byte order, or '?' for other contents.
char code_of(const Py_buffer& array) {
  std::string_view format = array.format ? array.format : "B";
  if (!format.empty() && (format[0] == '@' || format[0] == '=' || format[0] == '<')) {
    format.remove_prefix(1);
  }
  return format.size() == 1 ? format[0] : '\0';
}

bool one_of(char code, const char* codes) { return code && std::strchr(codes, code); }

std::string dtype_of(const Py_buffer& array) {
  const char code = code_of(array);
  if (code == '?') return "bool";
  const auto bits = [&] { return std::to_string(array.itemsize * 8); };
  if (one_of(code, "efd")) return "float" + bits();
  if (one_of(code, "bhilqn")) return "int" + bits();
  if (one_of(code, "BHILQN")) return "uint" + bits();
  return fmt::format("'{}'", array.format ? array.format : "");
}

bool contiguous(const Py_buffer& array) { return PyBuffer_IsContiguous(&array, 'C') != 0; }

std::string strides_of(const Py_buffer& array) {
  std::string text;
  for (int i = 0; i < array.ndim; ++i) {
    text += fmt::format("{}{}", i ? ", " : "", array.strides[i]);
  }
  return "(" + text + ")";
}

Shape shape_of(const Py_buffer& array) {
  if (array.ndim > Shape::most_axes) {
    throw py::value_error(
        fmt::format("an array of {} axes; a tensor has at most {}", array.ndim, Shape::most_axes));
  }
  std::vector<int64_t> sizes(array.shape, array.shape + array.ndim);
  return Shape(std::span<const int64_t>(sizes));
}

Tensor copied(const Py_buffer& array) {
  Tensor x(shape_of(array));
  auto* view = const_cast<Py_buffer*>(&array);  // const only since Python 3.11
  if (x.size() > 0 && PyBuffer_ToContiguous(x.data(), view, array.len, 'C') != 0) {
    throw py::error_already_set();
  }
  return x;
}

Tensor from_array(const std::shared_ptr<Py_buffer>& array, Copy copy) {
  if (code_of(*array) != (sizeof(real) == 4 ? 'f' : 'd')) {
    throw py::type_error(fmt::format(
        "an array of {}; calque computes in float32: x.astype(numpy.float32)", dtype_of(*array)));
  }
  const bool aligned = reinterpret_cast<uintptr_t>(array->buf) % sizeof(real) == 0;
  if (copy == Copy::never) {
    if (!contiguous(*array)) {
      throw py::value_error(
          fmt::format("an array with strides {} cannot be shared; numpy.ascontiguousarray(x) "
                      "makes it contiguous",
                      strides_of(*array)));
    }
    if (array->readonly) {
      throw py::value_error("a read-only array cannot be shared; copy=True copies it");
    }
    if (!aligned) throw py::value_error("an unaligned array cannot be shared; copy=True copies it");
  }
  if (copy == Copy::always || !contiguous(*array) || array->readonly || !aligned) {
    return copied(*array);
  }
  return sharing(shape_of(*array), static_cast<real*>(array->buf), array);
}

// Nested lists of numbers, row by row.
class Nested {
 public:
  Tensor read(py::handle object) {
    add(object, 0);
    return Tensor::of(Shape(std::span<const int64_t>(sizes_)), numbers_);
  }

 private:
  void add(py::handle object, size_t depth) {
    if (py::isinstance<Tensor>(object)) {
      throw py::type_error("a list of tensors; concat_rows() joins them");
    }
    if (PySequence_Check(object.ptr()) && !PyUnicode_Check(object.ptr())) {
      return add_all(object, depth);
    }
    const double number = PyFloat_AsDouble(object.ptr());
    if (number == -1 && PyErr_Occurred()) {
      PyErr_Clear();
      throw py::type_error(fmt::format("a tensor consists of numbers, not {}", type_of(object)));
    }
    if (depth != (leaf_ < 0 ? depth : static_cast<size_t>(leaf_))) ragged();
    leaf_ = static_cast<int>(depth);
    numbers_.push_back(static_cast<real>(number));
  }

  void add_all(py::handle list, size_t depth) {
    if (depth >= Shape::most_axes) {
      throw py::value_error(fmt::format("lists nested deeper than {}", Shape::most_axes));
    }
    const auto items = py::reinterpret_steal<py::object>(PySequence_Fast(list.ptr(), "a list"));
    if (!items) throw py::error_already_set();
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(items.ptr());
    if (depth == sizes_.size()) {
      if (leaf_ >= 0) ragged();
      sizes_.push_back(size);
    }
    if (sizes_[depth] != size) ragged();
    for (Py_ssize_t i = 0; i < size; ++i) {
      add(py::reinterpret_borrow<py::object>(PySequence_Fast_GET_ITEM(items.ptr(), i)), depth + 1);
    }
  }

  [[noreturn]] static void ragged() {
    throw py::value_error("lists of different lengths; the rows of a tensor are equally long");
  }

  std::vector<int64_t> sizes_;
  std::vector<real> numbers_;
  int leaf_ = -1;  // the depth of the numbers
};

int32_t to_int32(int64_t number) {
  if (number < std::numeric_limits<int32_t>::min() ||
      number > std::numeric_limits<int32_t>::max()) {
    throw py::value_error(fmt::format("{} exceeds the range of int32", number));
  }
  return static_cast<int32_t>(number);
}

template <class Integer>
void append(const Py_buffer& array, std::vector<int32_t>& to) {
  const auto* from = static_cast<const std::byte*>(array.buf);
  for (Py_ssize_t i = 0; i < array.len / array.itemsize; ++i) {
    Integer number;
    std::memcpy(&number, from + i * array.itemsize, sizeof number);
    if (std::is_unsigned_v<Integer> && number > Integer(std::numeric_limits<int32_t>::max())) {
      throw py::value_error(fmt::format("{} exceeds the range of int32", number));
    }
    to.push_back(to_int32(static_cast<int64_t>(number)));
  }
}

void append_integers(const Py_buffer& array, std::vector<int32_t>& to) {
  const bool is_signed = one_of(code_of(array), "bhilqn");
  if (!is_signed && !one_of(code_of(array), "BHILQN")) {
    throw py::type_error(
        fmt::format("an array of {} where integers are expected", dtype_of(array)));
  }
  switch (array.itemsize) {
    case 1:
      return is_signed ? append<int8_t>(array, to) : append<uint8_t>(array, to);
    case 2:
      return is_signed ? append<int16_t>(array, to) : append<uint16_t>(array, to);
    case 4:
      return is_signed ? append<int32_t>(array, to) : append<uint32_t>(array, to);
    default:
      return is_signed ? append<int64_t>(array, to) : append<uint64_t>(array, to);
  }
}

void append_sequence(py::handle object, std::vector<int32_t>& to) {
  if (PyIndex_Check(object.ptr())) {
    int overflow = 0;
    const auto integer = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
    if (!integer) throw py::error_already_set();
    const int64_t number = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
    if (overflow) throw py::value_error("a number exceeds the range of int32");
    return to.push_back(to_int32(number));
  }
  if (!PySequence_Check(object.ptr()) || PyUnicode_Check(object.ptr())) {
    throw py::type_error(fmt::format("{} where integers are expected", type_of(object)));
  }
  const auto items = py::reinterpret_steal<py::object>(PySequence_Fast(object.ptr(), "a list"));
  if (!items) throw py::error_already_set();
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.ptr()); ++i) {
    append_sequence(py::reinterpret_borrow<py::object>(PySequence_Fast_GET_ITEM(items.ptr(), i)),
                    to);
  }
}

}  // namespace

py::object as_array(py::handle object) {
  return py::module_::import("numpy").attr("asarray")(object);
}

Tensor sharing(const Shape& shape, real* data, std::shared_ptr<const void> owner) {
  const auto storage = std::make_shared<Storage>();
  storage->data = data;
  storage->size = shape.elements();
  storage->owner = std::move(owner);
  return Tensor(shape, Values(storage));
}

Tensor to_tensor(py::handle object, Copy copy) {
  const FlushedDenormals flushed;
  if (py::isinstance<Tensor>(object)) {
    const auto& x = with_values(object.cast<const Tensor&>());
    return copy == Copy::always ? Tensor::of(x.shape(), x.span()) : x;
  }
  if (is_number(object)) return Nested().read(object);
  if (const auto array = exported(object, PyBUF_STRIDED_RO | PyBUF_FORMAT)) {
    // A NumPy scalar is a number, whatever its type.
    if (array->ndim == 0 && array->readonly && PyNumber_Check(object.ptr())) {
      return Nested().read(object);
    }
    return from_array(array, copy);
  }
  if (py::hasattr(object, "__array__")) return to_tensor(as_array(object), copy);
  if (!PySequence_Check(object.ptr()) || PyUnicode_Check(object.ptr())) {
    throw py::type_error(fmt::format(
        "a tensor is made of numbers, lists or arrays of float32, not of {}", type_of(object)));
  }
  return Nested().read(object);
}

const Tensor& with_values(const Tensor& x) {
  if (x.size() > 0 && !x.data()) {
    throw py::value_error(
        fmt::format("the parameter of shape {} has no values yet; call parameters.initialise(seed)",
                    x.shape().text()));
  }
  return x;
}

Ids to_ids(py::handle object) {
  Ids ids;
  if (object.is_none()) return ids;
  if (auto array = exported(object, PyBUF_STRIDED_RO | PyBUF_FORMAT)) {
    if (!contiguous(*array)) {
      return to_ids(py::module_::import("numpy").attr("ascontiguousarray")(object));
    }
    const bool aligned = reinterpret_cast<uintptr_t>(array->buf) % sizeof(int32_t) == 0;
    if (aligned && array->itemsize == 4 && one_of(code_of(*array), "il")) {
      ids.numbers = {static_cast<const int32_t*>(array->buf), static_cast<size_t>(array->len / 4)};
      ids.array = std::move(array);
      return ids;
    }
    append_integers(*array, ids.copies);
  } else if (py::hasattr(object, "__array__")) {
    return to_ids(as_array(object));
  } else {
    append_sequence(object, ids.copies);
  }
  ids.numbers = ids.copies;
  return ids;
}

Shape to_shape(py::handle object) {
  if (PyIndex_Check(object.ptr())) return Shape{py::cast<int64_t>(object)};
  return Shape(std::span<const int64_t>(py::cast<std::vector<int64_t>>(object)));
}

py::tuple shape_tuple(const Shape& shape) {
  py::tuple sizes(shape.axes());
  for (int i = 0; i < shape.axes(); ++i) sizes[i] = shape[i];
  return sizes;
}

void unknown_choice(const std::string& given, const std::vector<std::string>& names) {
  throw py::value_error(fmt::format("'{}' is none of {}", given, fmt::join(names, ", ")));
}

}  // namespace calque::python
