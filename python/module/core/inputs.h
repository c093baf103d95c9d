#pragma once
// What Python passes to ops, and the conversions: a tensor may be given as a number, an array or
// nested lists; token ids as any integers; segments as a list of lengths.

#include <pybind11/pybind11.h>

#include <memory>
#include <span>
#include <vector>

#include "core/named.h"
#include "core/ops.h"
#include "core/segments.h"
#include "core/tensor.h"

namespace calque::python {

namespace py = pybind11;

inline bool is_number(py::handle object) {
  return PyFloat_Check(object.ptr()) || PyLong_Check(object.ptr());
}
// numpy.asarray(object), which shares the memory of a tensor.
py::object as_array(py::handle object);

enum class Copy { if_necessary, always, never };

// Throws a TypeError or ValueError that says what does not fit and how to convert it. Without a
// copy, the tensor shares the memory of the array and keeps the array alive.
Tensor to_tensor(py::handle object, Copy copy = Copy::if_necessary);
// The memory at `data`, which `owner` keeps alive.
Tensor sharing(const Shape& shape, real* data, std::shared_ptr<const void> owner);
// Throws a ValueError for a parameter whose values do not exist yet.
const Tensor& with_values(const Tensor& x);

struct Input {
  Tensor tensor;
  operator const Tensor&() const { return tensor; }
};
// None: absent.
struct OptionalInput : Input {};

struct Inputs {
  std::vector<Tensor> tensors;
  operator std::span<const Tensor>() const { return tensors; }
};

// The integers of an array or of (nested) sequences, one after the other; None: no integers.
struct Ids {
  std::shared_ptr<Py_buffer> array;
  std::vector<int32_t> copies;
  std::span<const int32_t> numbers;
  operator std::span<const int32_t>() const { return numbers; }
};
Ids to_ids(py::handle object);

struct SegmentsInput {
  Segments segments;
  operator const Segments&() const { return segments; }
};

using Numbers = std::vector<double>;

struct KeyRanges {
  std::vector<KeyRows> ranges;
  operator std::span<const KeyRows>() const { return ranges; }
};

Shape to_shape(py::handle object);
py::tuple shape_tuple(const Shape& shape);

// A choice by its name, such as activation="relu".
template <class Enum>
struct Choice {
  Enum value;
  operator Enum() const { return value; }
};

[[noreturn]] void unknown_choice(const std::string& given, const std::vector<std::string>& names);

template <class Enum>
Enum to_choice(std::span<const Named<Enum>> names, py::handle given) {
  const std::string name = given.is_none() ? "none" : py::cast<std::string>(py::str(given));
  std::vector<std::string> all;
  for (const Named<Enum>& named : names) {
    if (named.name == name) return named.choice;
    all.emplace_back(named.name);
  }
  if constexpr (requires { Enum::none; }) {  // which some tables leave out
    if (name == "none") return Enum::none;
  }
  unknown_choice(name, all);
}

}  // namespace calque::python

namespace pybind11::detail {

template <>
struct type_caster<calque::python::Input> {
  PYBIND11_TYPE_CASTER(calque::python::Input, const_name("Tensor"));
  bool load(handle object, bool) {
    value.tensor = calque::python::to_tensor(object);
    return true;
  }
};

template <>
struct type_caster<calque::python::OptionalInput> {
  PYBIND11_TYPE_CASTER(calque::python::OptionalInput, const_name("Optional[Tensor]"));
  bool load(handle object, bool) {
    if (!object.is_none()) value.tensor = calque::python::to_tensor(object);
    return true;
  }
};

template <>
struct type_caster<calque::python::Inputs> {
  PYBIND11_TYPE_CASTER(calque::python::Inputs, const_name("Sequence[Tensor]"));
  bool load(handle object, bool) {
    for (const handle part : reinterpret_borrow<pybind11::object>(object)) {
      value.tensors.push_back(calque::python::to_tensor(part));
    }
    return true;
  }
};

template <>
struct type_caster<calque::python::Ids> {
  PYBIND11_TYPE_CASTER(calque::python::Ids, const_name("Sequence[int]"));
  bool load(handle object, bool) {
    value = calque::python::to_ids(object);
    return true;
  }
};

template <>
struct type_caster<calque::python::SegmentsInput> {
  PYBIND11_TYPE_CASTER(calque::python::SegmentsInput, const_name("Segments"));
  bool load(handle object, bool) {
    if (isinstance<calque::Segments>(object)) {
      value.segments = object.cast<const calque::Segments&>();
    } else {
      value.segments = calque::Segments::of_lengths(calque::python::to_ids(object));
    }
    return true;
  }
};

template <>
struct type_caster<calque::python::KeyRanges> {
  PYBIND11_TYPE_CASTER(calque::python::KeyRanges, const_name("Sequence[Tuple[int, int]]"));
  bool load(handle object, bool) {
    const calque::python::Ids bounds = calque::python::to_ids(object);
    if (bounds.numbers.size() % 2 != 0) throw value_error("ranges are pairs (begin, end)");
    for (size_t i = 0; i < bounds.numbers.size(); i += 2) {
      value.ranges.push_back({bounds.numbers[i], bounds.numbers[i + 1]});
    }
    return true;
  }
};

template <>
struct type_caster<calque::Shape> {
  PYBIND11_TYPE_CASTER(calque::Shape, const_name("Tuple[int, ...]"));
  bool load(handle object, bool) {
    value = calque::python::to_shape(object);
    return true;
  }
  static handle cast(const calque::Shape& shape, return_value_policy, handle) {
    return calque::python::shape_tuple(shape).release();
  }
};

}  // namespace pybind11::detail
