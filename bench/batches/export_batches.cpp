// Exports what another program needs to train as calque does: the initial weights, the batches of
// the first updates, and the validation set, as token ids. bench/peers/same_batches.py reads them.
//
//   build/release/bench/export_batches RUN --updates 1000 --out FOLDER
//
// RUN is an existing run, whose config and tokenizers are used. The format for task: masked-lm is
// in bench/batches/export_masked_batches.h. For a translator, FOLDER gets config.yaml,
// initial.safetensors, validation.jsonl (one pair per line) and updates.jsonl (one update per line:
// its epoch, its batches of pairs, and whether an epoch ends in it).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "data/batches/examples.h"
#include "data/batches/pair_batch.h"
#include "data/batches/stream.h"
#include "export_masked_batches.h"
#include "train/config/show.h"
#include "train/tasks/task_model.h"
#include "train/tasks/translation/settings.h"
#include "train/tasks/translation/tokenizers.h"
#include "train/weights/parameter_tensors.h"
#include "train/weights/trained_run.h"

using namespace calque;
using Json = nlohmann::ordered_json;

namespace {

std::span<const int32_t> sentence(const std::vector<int32_t>& ids, const Segments& segments,
                                  int64_t i) {
  return std::span(ids).subspan(static_cast<size_t>(segments.begin(i)),
                                static_cast<size_t>(segments.length(i)));
}

// [[source ids, target ids], ...], each with </s>.
Json pairs_of(const PairBatch& batch) {
  Json pairs = Json::array();
  for (int64_t i = 0; i < batch.pairs(); ++i) {
    pairs.push_back({sentence(batch.source, batch.source_segments, i),
                     sentence(batch.expected, batch.target_segments, i)});
  }
  return pairs;
}

void write_updates(std::ofstream& file, BatchStream& stream, const TrainingConfig& training,
                   int64_t updates) {
  for (int64_t update = 0; update < updates; ++update) {
    const int64_t epoch = stream.state().epoch;
    Json batches = Json::array();
    for (int64_t i = 0; i < training.accumulation; ++i) {
      batches.push_back(pairs_of(make_pair_batch(stream.next().examples)));
    }
    file << Json{{"epoch", stream.epochs()},
                 {"ended", stream.state().epoch > epoch},
                 {"batches", std::move(batches)}}
                .dump()
         << '\n';
  }
}

void export_run(const std::string& run, int64_t updates, const std::string& out) {
  const RunLocation place = find_run(run, TaskKind::translation);
  const Config& config = place.config;
  const Tokenizers tokenizers =
      open_translation_tokenizers(config, place.folder, {TaskStart::Purpose::use});
  std::filesystem::create_directories(out);
  const FilterOptions filters = filter_options(config.data);
  const auto dataset = [&](const Corpora& corpora, CorpusConfig::Split split,
                           const FilterOptions& kept) {
    return load_dataset(corpus_sources(corpora, config.data, split),
                        {tokenizers.source, tokenizers.target}, {kept, ""});
  };
  TaskModel<Transformer> network(
      transformer_options(config.model, tokenizers.source.size(), tokenizers.target.size()));
  network.parameters.initialise(static_cast<uint64_t>(config.training.seed));
  write_safetensors(real_files(), out + "/initial.safetensors",
                    parameter_tensors(network.parameters));

  std::ofstream validation(out + "/validation.jsonl");
  const Dataset held_out = dataset(config.data.validation, CorpusConfig::Split::validation,
                                   only_invalid_dropped(filters.invalid));
  Example example;
  for (int64_t pair = 0; pair < held_out.examples(); ++pair) {
    held_out.tokens->read(pair, example);
    const PairBatch one = make_pair_batch(std::span(&example, 1));
    validation << pairs_of(one).front().dump() << '\n';
  }
  std::ofstream file(out + "/updates.jsonl");
  const Dataset trained_on = dataset(config.data.train, CorpusConfig::Split::train, filters);
  BatchStream stream(
      with_bpe_dropout(examples_of(trained_on, cost_columns(config.training)), config, tokenizers),
      batch_options(config.training));
  write_updates(file, stream, config.training, updates);
  std::ofstream(out + "/config.yaml") << show_config(config);
  if (!file.flush() || !validation.flush()) fail("{}: cannot be written", out);
}

}  // namespace

int main(int count, char** arguments) {
  std::string run, out;
  int64_t updates = 1000;
  CLI::App app("Exports the batches of a run for other programs");
  app.add_option("run", run)->required();
  app.add_option("--updates", updates)->check(CLI::PositiveNumber);
  app.add_option("--out", out)->required();
  CLI11_PARSE(app, count, arguments);
  try {
    if (find_run(run).config.task == TaskKind::masked_lm) {
      export_masked_run(run, updates, out);
    } else {
      export_run(run, updates, out);
    }
  } catch (const Error& error) {
    fmt::print(stderr, "export_batches: {}\n", error.what());
    return 1;
  }
}
