// Encoders: filled texts, embeddings of sentences, and vectors of words.
#include "module/runs/bind.h"
#include "module/runs/opened.h"
#include "train/tasks/masked_lm/filling.h"
#include "train/tasks/masked_lm/run.h"
#include "train/tasks/registry.h"
#include "train/tasks/sentence_embeddings.h"
#include "train/tasks/word2vec/neighbours.h"
#include "train/tasks/word2vec/run.h"

namespace calque::python {
namespace {

// The filled text, and for each [MASK] its (token, probability) pairs.
py::tuple fill(const MaskedLmRun& run, const std::string& text, int64_t alternatives) {
  const FilledText filled = without_gil([&] { return fill_text(run, text, alternatives); });
  py::list masks;
  for (const std::vector<Filling>& fillings : filled.fillings) {
    py::list own;
    for (const Filling& filling : fillings) {
      own.append(py::make_tuple(run.tokenizer.symbol(filling.id), filling.probability));
    }
    masks.append(own);
  }
  return py::make_tuple(filled.text, masks);
}

// [texts, d_model].
py::array_t<real> embed(const SentenceEncoder& encoder, const std::vector<std::string>& texts) {
  const auto vectors = without_gil([&] {
    require_texts(texts, "text");
    std::vector<std::vector<int32_t>> encoded;
    for (const std::string& text : texts) encoded.push_back(encoder.tokenize(text));
    return sentence_embeddings(encoder, encoded);
  });
  std::vector<real> flat;
  for (const std::vector<real>& vector : vectors) {
    flat.insert(flat.end(), vector.begin(), vector.end());
  }
  const int64_t columns = vectors.empty() ? 0 : std::ssize(vectors.front());
  return matrix(std::ssize(vectors), columns, flat);
}

SentenceEncoder open_sentence_encoder(const std::string& run, const std::string& precision) {
  const TaskKind task = find_run(run).config.task;
  const auto open = descriptor_of(task).open_encoder;
  if (open == nullptr) {
    fail("{} is of task: {}; embeddings need one of task: {}", run, name_of(task_kinds, task),
         names_of(tasks_that_embed()));
  }
  return open(place_of(run, precision));
}

struct OpenWords {
  explicit OpenWords(const std::string& folder)
      : run(open_word2vec_run(folder)), space(run.model().vectors, run.tokenizer) {}

  std::vector<std::pair<std::string, double>> named(const std::vector<NearRow>& rows) const {
    std::vector<std::pair<std::string, double>> words;
    for (const NearRow& each : rows) {
      words.emplace_back(run.tokenizer.symbol(each.row), each.cosine);
    }
    return words;
  }

  Word2VecRun run;
  WordSpace space;
};

}  // namespace

void bind_encoders(py::module_& module) {
  bind_opened<MaskedLmRun>(module, "OpenMaskedModel", open_masked_lm_run).def("fill", &fill);
  py::class_<SentenceEncoder>(module, "OpenSentenceEncoder")
      .def(py::init(&open_sentence_encoder), py::arg("run"), py::arg("precision"),
           py::call_guard<py::gil_scoped_release>())
      .def("embed", &embed);
  py::class_<OpenWords>(module, "OpenWords")
      .def(py::init<const std::string&>(), py::arg("run"), py::call_guard<py::gil_scoped_release>())
      .def("about", [](const OpenWords& words) { return description_of(words.run); })
      .def("words", [](const OpenWords& words) { return symbols_of(words.run.tokenizer); })
      .def("vectors",
           [](const OpenWords& words) {
             const Tensor& table = words.run.model().vectors;
             return matrix(table.rows(), table.cols(),
                           std::vector<real>(table.span().begin(), table.span().end()));
           })
      .def("nearest",
           [](const OpenWords& words, const std::string& word, int64_t count) {
             return words.named(words.space.near(words.space.id_of(word), count));
           })
      .def("analogy", [](const OpenWords& words, const std::string& a, const std::string& b,
                         const std::string& c, int64_t count) {
        const WordSpace& space = words.space;
        return words.named(space.analogous(space.id_of(a), space.id_of(b), space.id_of(c), count));
      });
}

}  // namespace calque::python
