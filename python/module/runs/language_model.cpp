// Language models: generated texts, scores and explanations.
#include <numeric>

#include "decode/constraints/output_format.h"
#include "module/runs/bind.h"
#include "module/runs/opened.h"
#include "train/report/figures/attention_figure.h"
#include "train/report/pages/explain_page.h"
#include "train/tasks/language_model/generation.h"
#include "train/tasks/language_model/prompt_explanation.h"
#include "train/tasks/language_model/prompt_inspection.h"
#include "train/tasks/language_model/run.h"
#include "train/tasks/language_model/scoring.h"

namespace calque::python {
namespace {

py::dict to_python(const LanguageModelRun& run, const GeneratedText& text) {
  py::dict result;
  py::list tokens;
  for (const int32_t id : text.ids) tokens.append(run.tokenizer.symbol(id));
  result["text"] = text.text;
  result["tokens"] = tokens;
  result["finish"] = name_of(finish_reasons, text.finish);
  result["log_probability"] = text.log_probability;
  return result;
}

// (name of the argument, its text), or None.
OutputFormat format_of(const std::optional<std::pair<std::string, std::string>>& format) {
  using Kind = OutputFormat::Kind;
  if (!format) return {};
  const auto& [name, text] = *format;
  const Kind kind = name == "regex"         ? Kind::regex
                    : name == "json_schema" ? Kind::json_schema
                                            : Kind::json_object;
  return {kind, text, name};
}

// `sink` gets (prompt, sample, text) for each piece of text, or is None.
py::list generate(const LanguageModelRun& run, const std::vector<std::string>& prompts,
                  const Sampling& sampling, int64_t samples, int64_t max_tokens,
                  const std::vector<std::string>& stop,
                  const std::optional<std::pair<std::string, std::string>>& format,
                  const py::object& sink) {
  require_texts(prompts, "prompt");
  GenerationOptions options{sampling, samples, max_tokens, run.config.data.context, stop, {}};
  const Watch watch(py::none{});
  const auto write = [&](size_t prompt, size_t sample, const std::string& text) {
    watch(0);
    if (sink.is_none()) return;
    const py::gil_scoped_acquire acquired;
    sink(prompt, sample, text);
  };
  const auto all = without_gil([&] {
    options.constraint = OutputConstraints(run.tokenizer).of(format_of(format));
    return generate_texts(run.model(), run.tokenizer, prompts, options, write);
  });
  py::list list;
  for (const auto& texts : all) {
    py::list own;
    for (const GeneratedText& text : texts) own.append(to_python(run, text));
    list.append(own);
  }
  return list;
}

std::vector<std::vector<real>> score_of_texts(const LanguageModelRun& run,
                                              const std::vector<std::string>& texts) {
  return without_gil([&] {
    require_texts(texts, "text");
    std::vector<std::vector<int32_t>> documents;
    for (const std::string& text : texts) documents.push_back(document_ids(run, text));
    return score_documents(run, documents);
  });
}

struct ExplainedPrompt {
  Explanation explanation;
  std::optional<Inspection> inspection;
  const Inspection* own() const { return inspection ? &*inspection : nullptr; }
};

ExplainedPrompt explain(const LanguageModelRun& run, const std::string& text, bool inspect,
                        const std::string& against, const std::vector<std::string>& without_heads,
                        const std::vector<std::string>& steer) {
  return without_gil([&] {
    InspectionChoice choice{.against = against};
    for (const std::string& head : without_heads) choice.without.push_back(parse_head(head));
    for (const std::string& each : steer) choice.steering.push_back(parse_steering(each));
    ExplainedPrompt explained{explain_prompt(run, text), {}};
    if (inspect) explained.inspection = inspect_prompt(run, explained.explanation, choice);
    return explained;
  });
}

}  // namespace

void bind_language_model(py::module_& module) {
  bind_opened<LanguageModelRun>(module, "OpenLanguageModel", open_language_model_run)
      .def("generate", &generate)
      .def("score", &score_of_texts)
      .def("explain", &explain);
  py::class_<ExplainedPrompt>(module, "ExplainedPrompt")
      .def("page",
           [](const ExplainedPrompt& own) { return explain_page(own.explanation, own.own()); })
      .def("json",
           [](const ExplainedPrompt& own) { return explanation_json(own.explanation, own.own()); })
      .def("svg",
           [](const ExplainedPrompt& own) { return cross_attention_svg(own.explanation, {}); })
      .def_property_readonly("input",
                             [](const ExplainedPrompt& own) { return own.explanation.source; });
}

}  // namespace calque::python
