#pragma once
// Builds the file of an ONNX model (opset 17): a graph of nodes over named values, with tensors as
// constants. The numbers of the protobuf fields are those of onnx.proto.

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/tensor.h"

namespace calque {

using OnnxValue = std::string;                        // the name of a value
using OnnxSide = std::variant<int64_t, std::string>;  // a size, or the name of a dynamic size
enum class OnnxType { float32 = 1, int64 = 7 };       // onnx.proto's numbers

struct OnnxAttribute {
  std::string name;
  std::variant<int64_t, float, std::vector<int64_t>> value;
};

class OnnxGraph {
 public:
  explicit OnnxGraph(std::string name) : name_(std::move(name)) {}

  OnnxValue input(const std::string& name, OnnxType type, const std::vector<OnnxSide>& shape);
  // Declares the value as an output of the graph under this name.
  void output(const std::string& name, const OnnxValue& value, const std::vector<OnnxSide>& shape);

  // A tensor that is passed several times is stored once.
  OnnxValue constant(const Tensor& tensor);
  OnnxValue number(real value);                            // a float32 scalar
  OnnxValue integers(const std::vector<int64_t>& values);  // a vector of int64
  OnnxValue integer(int64_t value);                        // an int64 scalar

  OnnxValue node(const char* op, const std::vector<OnnxValue>& inputs,
                 const std::vector<OnnxAttribute>& attributes = {});
  // Cuts `x` along its last axis into parts of these sizes.
  std::vector<OnnxValue> split(const OnnxValue& x, const std::vector<int64_t>& sizes);

  std::string bytes() const;  // of the model

 private:
  OnnxValue fresh() { return "v" + std::to_string(values_++); }
  OnnxValue initializer(OnnxType type, const std::vector<int64_t>& shape, std::string_view bytes);
  void add_node(const char* op, const std::vector<OnnxValue>& inputs,
                const std::vector<OnnxValue>& outputs,
                const std::vector<OnnxAttribute>& attributes);

  std::string name_;
  std::string nodes_, initializers_, inputs_, outputs_;  // encoded fields of GraphProto
  std::map<const real*, OnnxValue> constants_;           // by the address of the tensor's data
  std::vector<Tensor> kept_;                             // so that no address is used again
  int64_t values_ = 0;
};

}  // namespace calque
