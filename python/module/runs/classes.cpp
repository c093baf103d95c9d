// Classifiers of texts, of words and of images.
#include "data/corpora/tagged.h"
#include "module/runs/bind.h"
#include "module/runs/opened.h"
#include "train/tasks/classes/text_classifier.h"
#include "train/tasks/classification/task.h"
#include "train/tasks/images/evaluation.h"
#include "train/tasks/images/explanation.h"
#include "train/tasks/tagging/task.h"

namespace calque::python {
namespace {

// A row is a text, two texts, or the words of a sentence. Returns the probabilities of each row:
// [labels, classes].
py::list classify(const TextClassifierRun& run, const std::vector<std::vector<std::string>>& rows) {
  const TextClasses& classes =
      run.config.task == TaskKind::tagging ? classes_of_words : classes_of_texts;
  const auto all = without_gil([&] {
    EncodedTexts encoded;
    for (size_t i = 0; i < rows.size(); ++i) {
      for (const std::string& text : rows[i]) {
        const std::string problem = utf8_problem(text);
        if (!problem.empty()) fail("{} {}: {}", classes.row, i, problem);
      }
      encoded.add(classes, rows[i], run.tokenizer, run.config.data.context);
    }
    return class_probabilities(classes, run.model(), encoded);
  });
  py::list list;
  for (const auto& labels : all) {
    std::vector<double> flat;
    for (const auto& probabilities : labels) {
      flat.insert(flat.end(), probabilities.begin(), probabilities.end());
    }
    list.append(matrix(std::ssize(labels), std::ssize(run.labels), flat));
  }
  return list;
}

py::array_t<double> classify_image(const ImageRun& run, const std::string& path) {
  const std::vector<double> found = without_gil(
      [&] { return class_probabilities(run.model(), run.preparation, run.read(path).pixels); });
  return matrix(1, std::ssize(found), found);
}

}  // namespace

void bind_classes(py::module_& module) {
  bind_opened<TextClassifierRun>(module, "OpenTextClassifier", [](const RunPlace& place) {
    return open_text_classifier(find_run(place.path).config.task, place);
  }).def("labels", [](const TextClassifierRun& run) {
      return run.labels;
    }).def("classify", &classify);
  bind_opened<ImageRun>(module, "OpenImageClassifier", open_image_run)
      .def("labels", [](const ImageRun& run) { return run.labels; })
      .def("classify", &classify_image)
      .def("explain", [](const ImageRun& run, const std::string& path) {
        return without_gil([&] { return explain_image(run, path); });
      });
  py::class_<ImageExplanation>(module, "ImageExplanation")
      .def("page", [](const ImageExplanation& explanation) { return image_page(explanation); })
      .def("json", [](const ImageExplanation& explanation) { return image_json(explanation); })
      .def_readonly("input", &ImageExplanation::file);
  module.def(
      "words_of", [](const std::string& sentence) { return words_of(sentence); },
      "The words of a sentence, which white space separates.");
}

}  // namespace calque::python
