#include "interop/onnx/graph.h"

#include "interop/files/protobuf.h"

namespace calque {
namespace {

constexpr uint64_t ir_version = 8, opset = 17;

std::string encoded(const OnnxAttribute& attribute) {
  enum : uint64_t { name = 1, f = 2, i = 3, ints = 8, type = 20 };
  std::string out = protobuf_text(name, attribute.name);
  if (const auto* number = std::get_if<int64_t>(&attribute.value)) {
    out += protobuf_number(i, static_cast<uint64_t>(*number)) + protobuf_number(type, 2);
  } else if (const auto* value = std::get_if<float>(&attribute.value)) {
    out += protobuf_float(f, *value) + protobuf_number(type, 1);
  } else {
    for (const int64_t each : std::get<std::vector<int64_t>>(attribute.value)) {
      out += protobuf_number(ints, static_cast<uint64_t>(each));
    }
    out += protobuf_number(type, 7);
  }
  return out;
}

// A ValueInfoProto: the name and type of an input or output.
std::string value_info(const std::string& name, OnnxType type, const std::vector<OnnxSide>& shape) {
  std::string dimensions;
  for (const OnnxSide& side : shape) {
    const auto* size = std::get_if<int64_t>(&side);
    dimensions += protobuf_text(1, size ? protobuf_number(1, static_cast<uint64_t>(*size))
                                        : protobuf_text(2, std::get<std::string>(side)));
  }
  const std::string tensor =
      protobuf_number(1, static_cast<uint64_t>(type)) + protobuf_text(2, dimensions);
  return protobuf_text(1, name) + protobuf_text(2, protobuf_text(1, tensor));
}

template <class Number>
std::string_view bytes_of(std::span<const Number> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

}  // namespace

OnnxValue OnnxGraph::input(const std::string& name, OnnxType type,
                           const std::vector<OnnxSide>& shape) {
  inputs_ += protobuf_text(11, value_info(name, type, shape));
  return name;
}

void OnnxGraph::output(const std::string& name, const OnnxValue& value,
                       const std::vector<OnnxSide>& shape) {
  add_node("Identity", {value}, {name}, {});
  outputs_ += protobuf_text(12, value_info(name, OnnxType::float32, shape));
}

OnnxValue OnnxGraph::initializer(OnnxType type, const std::vector<int64_t>& shape,
                                 std::string_view bytes) {
  enum : uint64_t { dims = 1, data_type = 2, name = 8, raw_data = 9 };
  const OnnxValue value = fresh();
  std::string tensor;
  for (const int64_t side : shape) tensor += protobuf_number(dims, static_cast<uint64_t>(side));
  tensor += protobuf_number(data_type, static_cast<uint64_t>(type)) + protobuf_text(name, value) +
            protobuf_text(raw_data, bytes);
  initializers_ += protobuf_text(5, tensor);
  return value;
}

OnnxValue OnnxGraph::constant(const Tensor& tensor) {
  const auto known = constants_.find(tensor.data());
  if (known != constants_.end()) return known->second;
  const std::vector<float> values(tensor.data(), tensor.data() + tensor.size());
  const auto sizes = tensor.shape().sizes();
  kept_.push_back(tensor);
  return constants_[tensor.data()] = initializer(OnnxType::float32, {sizes.begin(), sizes.end()},
                                                 bytes_of(std::span<const float>(values)));
}

OnnxValue OnnxGraph::number(real value) {
  const auto single = static_cast<float>(value);
  return initializer(OnnxType::float32, {}, bytes_of(std::span<const float>(&single, 1)));
}

OnnxValue OnnxGraph::integers(const std::vector<int64_t>& values) {
  return initializer(OnnxType::int64, {std::ssize(values)},
                     bytes_of(std::span<const int64_t>(values)));
}

OnnxValue OnnxGraph::integer(int64_t value) {
  return initializer(OnnxType::int64, {}, bytes_of(std::span<const int64_t>(&value, 1)));
}

void OnnxGraph::add_node(const char* op, const std::vector<OnnxValue>& inputs,
                         const std::vector<OnnxValue>& outputs,
                         const std::vector<OnnxAttribute>& attributes) {
  enum : uint64_t { node_input = 1, node_output = 2, op_type = 4, attribute = 5 };
  std::string node;
  for (const OnnxValue& value : inputs) node += protobuf_text(node_input, value);
  for (const OnnxValue& value : outputs) node += protobuf_text(node_output, value);
  node += protobuf_text(op_type, op);
  for (const OnnxAttribute& each : attributes) node += protobuf_text(attribute, encoded(each));
  nodes_ += protobuf_text(1, node);
}

OnnxValue OnnxGraph::node(const char* op, const std::vector<OnnxValue>& inputs,
                          const std::vector<OnnxAttribute>& attributes) {
  const OnnxValue value = fresh();
  add_node(op, inputs, {value}, attributes);
  return value;
}

std::vector<OnnxValue> OnnxGraph::split(const OnnxValue& x, const std::vector<int64_t>& sizes) {
  std::vector<OnnxValue> parts;
  for (size_t i = 0; i < sizes.size(); ++i) parts.push_back(fresh());
  add_node("Split", {x, integers(sizes)}, parts, {{"axis", int64_t{-1}}});
  return parts;
}

std::string OnnxGraph::bytes() const {
  const std::string graph = nodes_ + protobuf_text(2, name_) + initializers_ + inputs_ + outputs_;
  const std::string operators = protobuf_text(1, "") + protobuf_number(2, opset);
  return protobuf_number(1, ir_version) + protobuf_text(2, "calque") + protobuf_text(7, graph) +
         protobuf_text(8, operators);
}

}  // namespace calque
