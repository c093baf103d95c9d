#pragma once
// The base of the tasks on plain text: one tokenizer, a dataset of documents to train on, and
// perhaps one to validate on.

#include <optional>
#include <string>
#include <vector>

#include "data/files/content_hash.h"
#include "train/tasks/data_remarks.h"
#include "train/tasks/model_task.h"
#include "train/tasks/task_data.h"
#include "train/tasks/text/run.h"

namespace calque {

template <class Model>
class TextTask : public ModelTask<Model> {
 public:
  std::string tokenizer_hash() const override { return hash_of({tokenizer_}); }
  std::string data_hash() const override { return hexadecimal(data_.hash); }
  bool validates() const override { return validation_.has_value(); }

  std::string data_description() const override {
    return calque::data_description(data_, tokenizer_.size());
  }

  std::vector<std::string> data_remarks() const override {
    return calque::data_remarks(data_, validation_ ? &*validation_ : nullptr, 0, tokenizer_, "");
  }

  std::vector<std::string> load_pretrained() override {
    return load_embeddings(config_, tokenizer_, data_, network_.parameters);
  }

 protected:
  TextTask(const Config& config, const RunFolder& run, const TaskStart& start,
           TextOptions<Model> options)
      : TextTask(config, run, start, options, open_text_tokenizer(config, run, start)) {}

  using ModelTask<Model>::config_;
  using ModelTask<Model>::network_;
  const Tokenizer tokenizer_;
  std::optional<Dataset> validation_;
  Dataset data_;

 private:
  TextTask(const Config& config, const RunFolder& run, const TaskStart& start,
           TextOptions<Model> options, const Tokenizer& tokenizer)
      : ModelTask<Model>(config, options(config, tokenizer.size())), tokenizer_(tokenizer) {
    if (start.purpose == TaskStart::Purpose::use) return;
    const std::string cache = cache_folder(config, run, start);
    if (!config.data.validation.empty()) {
      validation_ =
          load_texts(config.data, config.data.validation, Split::validation, tokenizer, cache);
    }
    data_ = load_training_texts(config.data, tokenizer, cache);
  }
};

}  // namespace calque
