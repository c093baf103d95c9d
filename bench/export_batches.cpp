// What another program needs to train as calque does: the first weights, the batches of the first
// updates, and the validation set, as ids. bench/peers/same_batches.py trains PyTorch on them.
//
//   build/release/bench/export_batches RUN --updates 1000 --out FOLDER
//
// RUN is a run that has begun, whose config and tokenizer are taken. FOLDER gets
// initial.safetensors, validation.jsonl (a pair a line) and updates.jsonl (an update a line, with
// its pairs, how they lie in batches, and whether an epoch ended in it).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "data/batch_stream.h"
#include "train/config/show.h"
#include "train/learner.h"
#include "train/tasks/translation/settings.h"
#include "train/trained_run.h"

using namespace calque;
using Json = nlohmann::ordered_json;

namespace {

std::span<const int32_t> sentence(const std::vector<int32_t>& ids, const Segments& segments,
                                  int64_t i) {
  return std::span(ids).subspan(static_cast<size_t>(segments.begin(i)),
                                static_cast<size_t>(segments.length(i)));
}

// Each sentence ends with </s>.
Json pairs_of(const Batch& batch) {
  Json pairs = Json::array();
  for (int64_t i = 0; i < batch.sentences(); ++i) {
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
    for (int64_t i = 0; i < training.accumulation; ++i) batches.push_back(pairs_of(stream.next()));
    file << Json{{"epoch", stream.epochs()},
                 {"ended", stream.state().epoch > epoch},
                 {"batches", std::move(batches)}}
                .dump()
         << '\n';
  }
}

void export_run(const std::string& run, int64_t updates, const std::string& out) {
  const RunFolder folder{run};
  const Config config = run_config(folder);
  const Tokenizers tokenizers = load_tokenizers(config, folder);
  std::filesystem::create_directories(out);
  const FilterOptions filters = filter_options(config.data);
  const auto dataset = [&](const Corpora& corpora, CorpusConfig::Split split,
                           const FilterOptions& kept) {
    return load_dataset(corpus_sources(corpora, config.data, split), tokenizers.source,
                        tokenizers.target, {kept, ""});
  };
  Learner learner(
      config.training,
      transformer_options(config.model, tokenizers.source.size(), tokenizers.target.size()), 1);
  learner.initialise();
  write_safetensors(real_files(), out + "/initial.safetensors", learner.model.tensors());

  std::ofstream validation(out + "/validation.jsonl");
  const Dataset held_out = dataset(config.data.validation, CorpusConfig::Split::validation,
                                   keeping_all(filters.invalid));
  for (uint32_t pair = 0; pair < held_out.pairs(); ++pair) {
    const Batch one = make_batch(*held_out.tokens, std::span(&pair, 1));
    validation << pairs_of(one).front().dump() << '\n';
  }
  std::ofstream file(out + "/updates.jsonl");
  BatchStream stream(dataset(config.data.train, CorpusConfig::Split::train, filters),
                     batch_options(config.training), {}, pair_variation(config, tokenizers));
  write_updates(file, stream, config.training, updates);
  std::ofstream(out + "/config.yaml") << show_config(config);
  if (!file.flush() || !validation.flush()) fail("{}: could not be written", out);
}

}  // namespace

int main(int count, char** arguments) {
  std::string run, out;
  int64_t updates = 1000;
  CLI::App app("The batches of a run, for other programs");
  app.add_option("run", run)->required();
  app.add_option("--updates", updates)->check(CLI::PositiveNumber);
  app.add_option("--out", out)->required();
  CLI11_PARSE(app, count, arguments);
  try {
    export_run(run, updates, out);
  } catch (const Error& error) {
    fmt::print(stderr, "export_batches: {}\n", error.what());
    return 1;
  }
}
