// The models of nn/models/ for Python: options as keyword arguments, token ids as integers.

#include <pybind11/stl.h>

#include "module/core/options.h"
#include "module/core/parameters.h"
#include "nn/models/classification_head.h"
#include "nn/models/encoder.h"
#include "nn/models/language_model.h"
#include "nn/models/recurrent_translator.h"
#include "nn/models/transformer.h"
#include "nn/models/translator.h"
#include "nn/models/vision.h"
#include "nn/models/word2vec.h"

namespace calque::python {
namespace {

template <class Model, class Options>
py::class_<Built<Model>> bind_model(py::module_& module, const char* name) {
  py::class_<Built<Model>> type(module, name);
  type.def(py::init([name](const py::object& at, const py::kwargs& keywords) {
        return Built<Model>(to_path(at), options_from<Options>(name, keywords));
      }))
      .def_property_readonly("options", [](const Built<Model>& self) {
        return keywords_of<Options>(self.module.options);
      });
  return type;
}

// encode(), decode(), logits() and loss() of both kinds of translators.
template <class Model>
void def_translator(py::class_<Built<Model>>& type) {
  type.def(
      "encode",
      [](const Built<Model>& self, const Ids& ids, const SegmentsInput& segments, bool train) {
        return self.run(
            [&](const Model& model) { return model.encode(ids, segments, mode_of(train)); });
      },
      py::arg("ids"), py::arg("segments"), py::kw_only(), py::arg("train") = false);
  type.def(
      "decode",
      [](const Built<Model>& self, const Ids& ids, const SegmentsInput& segments,
         const Input& memory, const SegmentsInput& memory_segments, bool train) {
        return self.run([&](const Model& model) {
          return model.decode(ids, segments, memory, memory_segments, mode_of(train));
        });
      },
      py::arg("ids"), py::arg("segments"), py::arg("memory"), py::arg("memory_segments"),
      py::kw_only(), py::arg("train") = false);
  type.def(
      "logits",
      [](const Built<Model>& self, const Input& hidden) {
        return self.run([&](const Model& model) { return model.output(hidden); });
      },
      py::arg("hidden"));
  type.def(
      "loss",
      [](const Built<Model>& self, const Ids& source, const SegmentsInput& source_segments,
         const Ids& decoder_input, const Ids& expected, const SegmentsInput& target_segments,
         real label_smoothing, bool train, real agreement) {
        return self.run([&](const Model& model) {
          return Translator(model).loss(source, source_segments, decoder_input, expected,
                                        target_segments, label_smoothing, mode_of(train),
                                        agreement);
        });
      },
      py::arg("source"), py::arg("source_segments"), py::arg("decoder_input"), py::arg("expected"),
      py::arg("target_segments"), py::kw_only(), py::arg("label_smoothing") = 0,
      py::arg("train") = false, py::arg("agreement") = 0);
}

void bind_decoder_model(py::module_& module) {
  using Model = Built<LanguageModel>;
  bind_model<LanguageModel, LanguageModelOptions>(module, "LanguageModel")
      .def(
          "hidden",
          [](const Model& self, const Ids& ids, const SegmentsInput& segments, bool train,
             const Ids& starts) {
            return self.run([&](const LanguageModel& model) {
              return model.hidden(ids, segments, mode_of(train), nullptr, starts);
            });
          },
          py::arg("ids"), py::arg("segments"), py::kw_only(), py::arg("train") = false,
          py::arg("starts") = py::none())
      .def(
          "logits",
          [](const Model& self, const Input& hidden) {
            return self.run([&](const LanguageModel& model) { return model.logits(hidden); });
          },
          py::arg("hidden"))
      .def(
          "loss",
          [](const Model& self, const Ids& ids, const Ids& expected, const SegmentsInput& segments,
             real label_smoothing, bool train, real agreement) {
            return self.run([&](const LanguageModel& model) {
              return model.loss(ids, expected, segments, label_smoothing, mode_of(train),
                                agreement);
            });
          },
          py::arg("ids"), py::arg("expected"), py::arg("segments"), py::kw_only(),
          py::arg("label_smoothing") = 0, py::arg("train") = false, py::arg("agreement") = 0);
}

void bind_encoder_models(py::module_& module) {
  using MaskedModel = Built<MaskedLm>;
  bind_model<Encoder, EncoderOptions>(module, "Encoder")
      .def(
          "__call__",
          [](const Built<Encoder>& self, const Ids& ids, const SegmentsInput& segments,
             const Ids& kinds, bool train) {
            return self.run([&](const Encoder& encoder) {
              return encoder(ids, kinds, segments, mode_of(train));
            });
          },
          py::arg("ids"), py::arg("segments"), py::arg("kinds") = py::none(), py::kw_only(),
          py::arg("train") = false);
  bind_model<MaskedLm, MaskedLmOptions>(module, "MaskedLm")
      .def(
          "logits",
          [](const MaskedModel& self, const Ids& ids, const SegmentsInput& segments,
             const Ids& rows, bool train) {
            return self.run([&](const MaskedLm& model) {
              return model.logits(ids, segments, rows, mode_of(train));
            });
          },
          py::arg("ids"), py::arg("segments"), py::arg("rows"), py::kw_only(),
          py::arg("train") = false)
      .def(
          "loss",
          [](const MaskedModel& self, const Ids& ids, const SegmentsInput& segments,
             const Ids& rows, const Ids& expected, real label_smoothing, bool train) {
            return self.run([&](const MaskedLm& model) {
              return model.loss(ids, segments, rows, expected, label_smoothing, mode_of(train));
            });
          },
          py::arg("ids"), py::arg("segments"), py::arg("rows"), py::arg("expected"), py::kw_only(),
          py::arg("label_smoothing") = 0, py::arg("train") = false);
}

void bind_classifier(py::module_& module) {
  using Model = Built<Classifier>;
  bind_model<Classifier, ClassifierOptions>(module, "Classifier")
      .def(
          "logits",
          [](const Model& self, const Ids& ids, const SegmentsInput& segments, const Ids& kinds,
             bool train) {
            return self.run([&](const Classifier& model) {
              return model.head.logits(model.pooled(ids, kinds, segments, mode_of(train)));
            });
          },
          py::arg("ids"), py::arg("segments"), py::arg("kinds") = py::none(), py::kw_only(),
          py::arg("train") = false)
      .def(
          "loss",
          [](const Model& self, const Ids& ids, const SegmentsInput& segments, const Ids& expected,
             const Ids& kinds, real label_smoothing, bool train) {
            return self.run([&](const Classifier& model) {
              const auto pass = [&] { return model.pooled(ids, kinds, segments, mode_of(train)); };
              return model.head.loss(pass, expected, {}, label_smoothing, 0);
            });
          },
          py::arg("ids"), py::arg("segments"), py::arg("expected"), py::arg("kinds") = py::none(),
          py::kw_only(), py::arg("label_smoothing") = 0, py::arg("train") = false);
}

void bind_vision_transformer(py::module_& module) {
  using Model = Built<VisionTransformer>;
  bind_model<VisionTransformer, VisionOptions>(module, "VisionTransformer")
      .def(
          "logits",
          [](const Model& self, const Input& images, bool train) {
            return self.run([&](const VisionTransformer& model) {
              return model.head.logits(model.pooled(images, mode_of(train)));
            });
          },
          py::arg("images"), py::kw_only(), py::arg("train") = false)
      .def(
          "loss",
          [](const Model& self, const Input& images, const Ids& expected, real label_smoothing,
             bool train) {
            return self.run([&](const VisionTransformer& model) {
              const auto pass = [&] { return model.pooled(images, mode_of(train)); };
              return model.head.loss(pass, expected, {}, label_smoothing, 0);
            });
          },
          py::arg("images"), py::arg("expected"), py::kw_only(), py::arg("label_smoothing") = 0,
          py::arg("train") = false);
}

void bind_word2vec(py::module_& module) {
  using Model = Built<Word2Vec>;
  bind_model<Word2Vec, Word2VecOptions>(module, "Word2Vec")
      .def_property_readonly("vectors", [](const Model& self) { return self.module.vectors; })
      .def_property_readonly("contexts", [](const Model& self) { return self.module.contexts; })
      .def(
          "loss",
          [](const Model& self, const Ids& ids, const SegmentsInput& segments,
             const Ids& candidates) {
            return self.run(
                [&](const Word2Vec& model) { return model.loss(ids, segments, candidates); });
          },
          py::arg("ids"), py::arg("segments"), py::arg("candidates"));
}

}  // namespace

void bind_models(py::module_& module) {
  auto transformer = bind_model<Transformer, TransformerOptions>(module, "Transformer");
  def_translator(transformer);
  auto recurrent = bind_model<RecurrentTranslator, RecurrentOptions>(module, "RecurrentTranslator");
  def_translator(recurrent);
  bind_decoder_model(module);
  bind_encoder_models(module);
  bind_classifier(module);
  bind_vision_transformer(module);
  bind_word2vec(module);
}

}  // namespace calque::python
