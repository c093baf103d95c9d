// The layers of nn/layers/ for Python: built at a path with options, called with tensors.

#include <pybind11/stl.h>

#include <type_traits>

#include "core/error.h"
#include "module/core/options.h"
#include "module/core/parameters.h"
#include "nn/layers/attention.h"
#include "nn/layers/embedding.h"
#include "nn/layers/feed_forward.h"
#include "nn/layers/linear.h"
#include "nn/layers/mixture.h"
#include "nn/layers/norm.h"
#include "nn/layers/output_projection.h"
#include "nn/layers/positions.h"
#include "nn/layers/recurrent.h"
#include "nn/models/decoder.h"
#include "nn/models/self_attention_stack.h"

namespace calque::python {
namespace {

template <class Layer>
LayerOptions layer_options(const char* what, const py::dict& keywords) {
  const auto options = validate(options_from<LayerOptions>(what, keywords));
  if (std::is_same_v<Layer, Mixture> && options.experts.count == 0) {
    fail("Mixture: there are no experts; set their number, such as experts={{'count': 4}}");
  }
  return options;
}

// A layer whose constructor takes a path and LayerOptions.
template <class Layer>
auto bind_layer(py::module_& module, const char* name) {
  return py::class_<Built<Layer>>(module, name)
      .def(py::init([name](const py::object& at, const py::kwargs& keywords) {
        return Built<Layer>(to_path(at), layer_options<Layer>(name, keywords));
      }));
}

// A layer that transforms each token by itself.
template <class Layer>
void bind_network(py::module_& module, const char* name) {
  bind_layer<Layer>(module, name)
      .def(
          "__call__",
          [](const Built<Layer>& self, const Input& x, bool train) {
            return self.run([&](const Layer& layer) { return layer(x, mode_of(train)); });
          },
          py::arg("x"), py::kw_only(), py::arg("train") = false);
}

void bind_small(py::module_& module) {
  using BuiltLinear = Built<Linear>;
  py::class_<BuiltLinear>(module, "Linear")
      .def(py::init([](const py::object& at, int64_t inputs, int64_t outputs) {
             return BuiltLinear(to_path(at), inputs, outputs);
           }),
           py::arg("path"), py::arg("inputs"), py::arg("outputs"))
      .def_property_readonly("weight", [](const BuiltLinear& self) { return self.module.weight; })
      .def_property_readonly("bias", [](const BuiltLinear& self) { return self.module.bias; })
      .def(
          "__call__",
          [](const BuiltLinear& self, const Input& x, const Choice<Activation>& activation) {
            return self.run([&](const Linear& layer) { return layer(x, activation); });
          },
          py::arg("x"), py::arg("activation") = "none");
  bind_layer<Norm>(module, "Norm").def("__call__", [](const Built<Norm>& self, const Input& x) {
    return self.run([&](const Norm& norm) { return norm(x); });
  });
  bind_network<FeedForward>(module, "FeedForward");
  bind_network<Mixture>(module, "Mixture");
}

void bind_embeddings(py::module_& module) {
  using BuiltEmbedding = Built<Embedding>;
  using BuiltOutput = Built<OutputProjection>;
  py::class_<BuiltEmbedding>(module, "Embedding")
      .def(py::init([](const py::object& at, int64_t vocabulary, int64_t d_model, bool scaled) {
             return BuiltEmbedding(to_path(at), vocabulary, d_model, scaled);
           }),
           py::arg("path"), py::arg("vocabulary"), py::arg("d_model"), py::kw_only(),
           py::arg("scaled") = true)
      .def_property_readonly("weight",
                             [](const BuiltEmbedding& self) { return self.module.weight; })
      .def(
          "__call__",
          [](const BuiltEmbedding& self, const Ids& ids) {
            return self.run([&](const Embedding& table) { return table(ids); });
          },
          py::arg("ids"));
  bind_layer<Positions>(module, "Positions")
      .def(
          "__call__",
          [](const Built<Positions>& self, const Input& x, const SegmentsInput& segments,
             const Ids& starts) {
            return self.run([&](const Positions& p) { return p(x, segments, starts); });
          },
          py::arg("x"), py::arg("segments"), py::arg("starts") = py::none());
  py::class_<BuiltOutput>(module, "OutputProjection")
      .def(py::init([](const py::object& at, const BuiltEmbedding& table, bool tied, bool bias) {
             return BuiltOutput(to_path(at), table.module, tied, bias);
           }),
           py::arg("path"), py::arg("embedding"), py::kw_only(), py::arg("tied") = true,
           py::arg("bias") = false)
      .def_property_readonly("weight", [](const BuiltOutput& self) { return self.module.weight; })
      .def(
          "__call__",
          [](const BuiltOutput& self, const Input& hidden) {
            return self.run([&](const OutputProjection& output) { return output(hidden); });
          },
          py::arg("hidden"))
      .def(
          "loss",
          [](const BuiltOutput& self, const Input& hidden, const Ids& expected, real smoothing) {
            return self.run([&](const OutputProjection& output) {
              return output.loss([&] { return hidden.tensor; }, expected, smoothing, 0);
            });
          },
          py::arg("hidden"), py::arg("expected"), py::kw_only(), py::arg("label_smoothing") = 0);
}

template <class Layer>
void def_self_call(py::class_<Built<Layer>>& type) {
  type.def(
      "__call__",
      [](const Built<Layer>& self, const Input& x, const SegmentsInput& segments, bool train) {
        return self.run(
            [&](const Layer& layer) { return layer(x.tensor, segments.segments, mode_of(train)); });
      },
      py::arg("x"), py::arg("segments"), py::kw_only(), py::arg("train") = false);
}

template <class Layer>
void def_cross_call(py::class_<Built<Layer>>& type) {
  type.def(
      "__call__",
      [](const Built<Layer>& self, const Input& x, const SegmentsInput& segments,
         const Input& memory, const SegmentsInput& memory_segments, bool train) {
        return self.run([&](const Layer& layer) {
          return layer(x.tensor, segments.segments, memory.tensor, memory_segments.segments,
                       mode_of(train));
        });
      },
      py::arg("x"), py::arg("segments"), py::arg("memory"), py::arg("memory_segments"),
      py::kw_only(), py::arg("train") = false);
}

void bind_attention(py::module_& module) {
  py::class_<Built<SelfAttention>> self_attention(module, "SelfAttention");
  self_attention.def(
      py::init([](const py::object& at, const Choice<Mask>& mask, const py::kwargs& keywords) {
        return Built<SelfAttention>(to_path(at),
                                    layer_options<SelfAttention>("SelfAttention", keywords), mask);
      }),
      py::arg("path"), py::arg("mask") = "none");
  def_self_call(self_attention);
  auto cross_attention = bind_layer<CrossAttention>(module, "CrossAttention");
  def_cross_call(cross_attention);

  py::class_<Built<SelfAttentionStack>> stack(module, "SelfAttentionStack");
  stack.def(py::init([](const py::object& at, int64_t layers, const Choice<Mask>& mask,
                        const py::kwargs& keywords) {
              const LayerOptions options =
                  layer_options<SelfAttentionStack>("SelfAttentionStack", keywords);
              return Built<SelfAttentionStack>(to_path(at), options, layers, mask.value);
            }),
            py::arg("path"), py::arg("layers"), py::arg("mask") = "none");
  def_self_call(stack);
  py::class_<Built<Decoder>> decoder(module, "Decoder");
  decoder.def(py::init([](const py::object& at, int64_t layers, const py::kwargs& keywords) {
                return Built<Decoder>(to_path(at), layer_options<Decoder>("Decoder", keywords),
                                      layers);
              }),
              py::arg("path"), py::arg("layers"));
  def_cross_call(decoder);
}

template <class Layer>
void def_recurrent_call(py::class_<Built<Layer>>& type) {
  type.def(
      "__call__",
      [](const Built<Layer>& self, const Input& x, const SegmentsInput& segments) {
        return self.run([&](const Layer& layer) { return layer(x, segments); });
      },
      py::arg("x"), py::arg("segments"));
}

void bind_recurrent(py::module_& module) {
  py::class_<Built<RecurrentLayer>> one(module, "RecurrentLayer");
  one.def(py::init([](const py::object& at, int64_t inputs, int64_t hidden,
                      const Choice<CellKind>& cell, const Choice<Direction>& direction) {
            return Built<RecurrentLayer>(to_path(at), cell.value, inputs, hidden, direction.value);
          }),
          py::arg("path"), py::arg("inputs"), py::arg("hidden"), py::kw_only(),
          py::arg("cell") = "gru", py::arg("direction") = "forward");
  def_recurrent_call(one);
  py::class_<Built<BidirectionalLayer>> both(module, "BidirectionalLayer");
  both.def(py::init([](const py::object& at, int64_t inputs, int64_t hidden,
                       const Choice<CellKind>& cell) {
             return Built<BidirectionalLayer>(to_path(at), cell.value, inputs, hidden);
           }),
           py::arg("path"), py::arg("inputs"), py::arg("hidden"), py::kw_only(),
           py::arg("cell") = "gru");
  def_recurrent_call(both);
}

}  // namespace

void bind_layers(py::module_& module) {
  bind_small(module);
  bind_embeddings(module);
  bind_attention(module);
  bind_recurrent(module);
}

}  // namespace calque::python
