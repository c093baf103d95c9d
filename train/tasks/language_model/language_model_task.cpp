#include "train/tasks/language_model/language_model_task.h"

#include <algorithm>

#include "core/error.h"
#include "data/content_hash.h"
#include "data/document_dataset.h"
#include "train/config/schema.h"
#include "train/tasks/data_settings.h"
#include "train/tasks/example_works.h"
#include "train/tasks/language_model/language_model_network.h"
#include "train/tasks/language_model/language_model_work.h"
#include "train/tasks/language_model/settings.h"
#include "train/tasks/language_model/text_evaluation.h"
#include "train/tasks/language_model/text_generation.h"
#include "train/tasks/language_model/tokenizer.h"

namespace calque {
namespace {

Dataset load_texts(const Config& config, const Corpora& corpora, CorpusConfig::Split split,
                   const Tokenizer& tokenizer, const std::string& cache) {
  return load_documents(document_sources(corpora, config.data, split), tokenizer,
                        {.invalid = filter_options(config.data).invalid,
                         .cache_folder = cache});
}

// The validation text and, for samples, beginnings of parts of it.
class TextValidation {
 public:
  TextValidation(const Config& config, const Tokenizer& tokenizer, Dataset dataset)
      : config_(config), tokenizer_(tokenizer), dataset_(std::move(dataset)) {}

  Scores run(const LanguageModel& model, const std::function<void()>& between) const {
    const TextEvaluation evaluation =
        evaluate_text(model, dataset_, window_options(config_, WindowUse::evaluation),
                      config_.training.label_smoothing, tokens_at_once(config_), between);
    return {evaluation.values(), samples(model)};
  }

 private:
  // The first tokens of windows from all over the text, the same ones every time.
  std::vector<std::string> prompts() const {
    const TextWindows windows(dataset_, window_options(config_, WindowUse::evaluation));
    const int64_t wanted = std::min(config_.logging.samples, windows.count());
    std::vector<std::string> texts;
    std::vector<int32_t> inputs, expected;
    for (int64_t i = 0; i < wanted; ++i) {
      windows.read(0, i * windows.count() / wanted, inputs, expected);
      inputs.resize(std::min<size_t>(inputs.size(), 24));
      texts.push_back(tokenizer_.decode_document(inputs));
    }
    return texts;
  }

  std::vector<Sample> samples(const LanguageModel& model) const {
    const std::vector<std::string> given = prompts();
    if (given.empty()) return {};
    GenerationOptions options;
    options.sampling = {.temperature = 0.8, .top_p = 0.95};
    options.max_tokens = std::min<int64_t>(config_.data.context, 160);
    options.context = config_.data.context;
    std::vector<Sample> samples;
    const auto texts = generate_texts(model, tokenizer_, given, options);
    for (size_t i = 0; i < texts.size(); ++i) {
      samples.push_back({given[i], "", texts[i].front().text});
    }
    return samples;
  }

  const Config& config_;
  const Tokenizer& tokenizer_;
  const Dataset dataset_;
};

class LanguageModelTask : public Task {
 public:
  LanguageModelTask(const Config& config, const RunFolder& run, const TaskStart& start)
      : config_(config),
        tokenizer_(open_text_tokenizer(config_, run, start)),
        network_(language_model_options(config_, tokenizer_.size())) {
    if (start.purpose == TaskStart::Purpose::use) return;
    const bool cached = config_.data.cache && start.purpose != TaskStart::Purpose::plan;
    const std::string cache = cached ? run.cache() : "";
    if (!config_.data.validation.empty()) {
      validation_ = std::make_unique<TextValidation>(
          config_, tokenizer_,
          load_texts(config_, config_.data.validation, CorpusConfig::Split::validation, tokenizer_,
                     cache));
    }
    data_ = load_texts(config_, config_.data.train, CorpusConfig::Split::train, tokenizer_, cache);
  }

  Parameters& parameters() override { return network_.parameters; }
  std::span<const MetricInfo> metrics() const override { return language_model_metrics(); }
  std::string tokenizer_hash() const override { return hash_of({tokenizer_}); }
  std::string data_hash() const override { return hexadecimal(data_.hash); }

  std::string measured_by(const MetricInfo&, const Config& config) const override {
    return write_value(config.data.validation);
  }

  std::string data_description() const override {
    std::string text =
        fmt::format("{} documents, {} tokens, dropped: {}, vocabulary {}", data_.examples(),
                    data_.tokens->tokens(), data_.drops.text(), tokenizer_.size());
    if (!data_.cache_problem.empty()) {
      text += fmt::format("; {}; the next start tokenises again", data_.cache_problem);
    }
    return text;
  }

  std::unique_ptr<WorkStream> training(StreamPosition from) override {
    const auto windows =
        std::make_shared<const TextWindows>(data_, window_options(config_, WindowUse::training));
    const ExampleSet examples = windows->examples();
    const MakeWork make = [this, windows](const ExampleBatch& batch) -> std::unique_ptr<Work> {
      PackedWindows packed;
      std::vector<std::string> places;
      for (size_t i = 0; i < batch.examples.size(); ++i) {
        packed.append(batch.examples[i][0], batch.examples[i][1]);
        places.push_back(windows->where(batch.numbers[i]));
      }
      return std::make_unique<LanguageModelWork>(network_.model, config_.training,
                                                 std::move(packed), std::move(places));
    };
    return std::make_unique<ExampleWorks>(examples, examples.costs, batch_options(config_.training),
                                          from, make);
  }

  bool validates() const override { return validation_ != nullptr; }

  std::optional<Scores> validate(const std::function<bool()>& stop) override {
    struct Stopped {};
    try {
      return validation_->run(network_.model, [&] {
        if (stop()) throw Stopped();
      });
    } catch (const Stopped&) {
      return std::nullopt;
    }
  }

 private:
  const Config config_;
  const Tokenizer tokenizer_;
  LanguageModelNetwork network_;
  std::unique_ptr<const TextValidation> validation_;
  Dataset data_;
};

}  // namespace

std::unique_ptr<Task> make_language_model_task(const Config& config, const RunFolder& run,
                                               const TaskStart& start) {
  if (start.purpose != TaskStart::Purpose::use) {
    for (const DocumentSource& source :
         document_sources(config.data.validation, config.data, CorpusConfig::Split::validation)) {
      require_files(source);
    }
  }
  return std::make_unique<LanguageModelTask>(config, run, start);
}

std::span<const MetricInfo> language_model_metrics() {
  using enum ValueFormat;
  constexpr auto lower = Better::lower;
  static const std::vector<MetricInfo> metrics = {
      {"loss", "loss", "loss", "Loss", "nats per token",
       "What training minimises: the cross-entropy of the next token.", number, 4, lower},
      {"nll", "nll", "", "Negative log-likelihood", "nats per token",
       "The loss without label smoothing.", number, 4, lower},
      {"perplexity", "ppl", "ppl", "Perplexity", "",
       "Between how many tokens the model hesitates, on average.", number, 2, lower, true},
      {"accuracy", "accuracy", "acc", "Token accuracy", "",
       "How often the likeliest next token is the right one.", percent, 1, Better::higher},
      {"bits_per_character", "bits_per_character", "bits/char", "Bits per character", "",
       "The loss in bits for each character of the text, whatever the tokens are.", number, 3,
       lower, false, true},
      {"bits_per_byte", "bits_per_byte", "bits/byte", "Bits per byte", "",
       "The loss in bits for each byte of the text.", number, 3, lower},
  };
  return metrics;
}

std::vector<Contradiction> language_model_contradictions(const Config&) { return {}; }

}  // namespace calque
