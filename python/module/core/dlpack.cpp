#include "module/core/dlpack.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <vector>

#include "module/core/inputs.h"
#include "module/core/owner.h"

namespace calque::python {
namespace {

// The structs of dlpack.h, version 0.8.
struct Device {
  int32_t type;  // 1: the CPU
  int32_t number;
};
struct DataType {
  uint8_t code;  // 2: floating point
  uint8_t bits;
  uint16_t lanes;
};
struct View {
  void* data;
  Device device;
  int32_t axes;
  DataType type;
  int64_t* shape;
  int64_t* strides;  // in numbers; nullptr: contiguous
  uint64_t offset;   // in bytes
};
struct Managed {
  View view;
  void* context;
  void (*deleter)(Managed*);
};

// What an exported capsule points to.
struct Exported {
  Managed managed;
  std::array<int64_t, Shape::most_axes> shape{}, strides{};
  Values values;
};

constexpr DataType real_type{2, sizeof(real) * 8, 1};

bool is_contiguous(const View& view) {
  if (!view.strides) return true;
  int64_t expected = 1;
  for (int i = view.axes - 1; i >= 0; --i) {
    if (view.shape[i] == 0) return true;
    if (view.shape[i] != 1 && view.strides[i] != expected) return false;
    expected *= view.shape[i];
  }
  return true;
}

void check(const View& view) {
  if (view.device.type != 1) {
    throw py::value_error("from_dlpack: the tensor is on a device; move it to the CPU first");
  }
  if (view.type.code != real_type.code || view.type.bits != real_type.bits ||
      view.type.lanes != 1) {
    throw py::type_error(fmt::format(
        "from_dlpack: numbers of type {} with {} bits; calque computes in float32",
        view.type.code == 2 ? "float" : std::to_string(view.type.code), view.type.bits));
  }
  if (!is_contiguous(view)) {
    throw py::value_error("from_dlpack: the tensor is not contiguous; copy it to a contiguous one");
  }
}

}  // namespace

py::capsule to_dlpack(const Tensor& x) {
  auto made = std::make_unique<Exported>();
  int64_t stride = 1;
  for (int i = x.shape().axes() - 1; i >= 0; --i) {
    made->shape[i] = x.shape()[i];
    made->strides[i] = stride;
    stride *= x.shape()[i];
  }
  made->values = x.values();
  made->managed = {
      {x.data(), {1, 0}, x.shape().axes(), real_type, made->shape.data(), made->strides.data(), 0},
      made.get(),
      [](Managed* managed) { delete static_cast<Exported*>(managed->context); }};
  const py::capsule capsule(&made->managed, "dltensor", [](PyObject* unused) {
    if (!PyCapsule_IsValid(unused, "dltensor")) return;  // a consumer has taken it over
    auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(unused, "dltensor"));
    managed->deleter(managed);
  });
  made.release();
  return capsule;
}

Tensor from_dlpack(const py::object& object) {
  if (!py::hasattr(object, "__dlpack__")) {
    throw py::type_error(
        fmt::format("from_dlpack: {} has no method __dlpack__", Py_TYPE(object.ptr())->tp_name));
  }
  const py::object capsule = object.attr("__dlpack__")();
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (!managed) throw py::error_already_set();
  const View& view = managed->view;
  check(view);
  const Shape shape(std::span<const int64_t>(view.shape, static_cast<size_t>(view.axes)));
  PyCapsule_SetName(capsule.ptr(), "used_dltensor");
  return sharing(shape, reinterpret_cast<real*>(static_cast<std::byte*>(view.data) + view.offset),
                 released_with_gil(managed, [](Managed* last) {
                   if (last->deleter) last->deleter(last);
                 }));
}

}  // namespace calque::python
