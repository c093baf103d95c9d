#pragma once
// A trained run on plain text, with its tokenizer.

#include <string>
#include <utility>

#include "train/tasks/opened_run.h"
#include "train/tasks/text/corpora.h"

namespace calque {

template <class Model>
struct TextRun : OpenedRun<Model> {
  Tokenizer tokenizer;
};

// The options of a model for a vocabulary of this size.
template <class Model>
using TextOptions = typename TaskModel<Model>::Options (*)(const Config&, int64_t vocabulary);

template <class Model>
TextRun<Model> open_text_run(TaskKind task, const RunPlace& place, TextOptions<Model> options) {
  return open_run_of<TextRun<Model>>(task, place, [&](TextRun<Model>& run) {
    run.tokenizer = open_text_tokenizer(run.config, run.folder, {TaskStart::Purpose::use});
    return std::pair(options(run.config, run.tokenizer.size()), hash_of({run.tokenizer}));
  });
}

}  // namespace calque
