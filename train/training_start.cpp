// How a run begins or goes on: its folder, tokenisers, model, corpora and log are opened, and what
// the last checkpoint holds is restored.
#include "core/blas.h"
#include "core/parallel.h"
#include "data/content_hash.h"
#include "train/best_checkpoints.h"
#include "train/config/load.h"
#include "train/config/show.h"
#include "train/initial_weights.h"
#include "train/memory_fit.h"
#include "train/resume.h"
#include "train/settings.h"
#include "train/training.h"

namespace calque {
namespace {

Dataset load_training_data(const Config& config, const Tokenizers& tokenizers,
                           const RunFolder& run) {
  return load_dataset(corpus_sources(config.data.train, config.data, CorpusConfig::Split::train),
                      tokenizers.source, tokenizers.target,
                      {filter_options(config.data), config.data.cache ? run.cache() : ""});
}

TransformerOptions model_options(const Config& config, const Tokenizers& tokenizers) {
  return transformer_options(config.model, tokenizers.source.size(), tokenizers.target.size());
}

// A config that would make another run of this one is refused before anything in its folder is
// touched.
Tokenizers tokenizers_of(const Config& config, const RunFolder& run) {
  require_readable(config);
  require_validation_files(config);
  const Checkpoints checkpoints(real_files(), run.path);
  if (checkpoints.steps().empty()) {
    refuse_lost_checkpoints(run);
    if (!config.model.init_from.empty()) weights_file(config.model.init_from);
    return begin_tokenizers(config, run);
  }
  const auto state = newest_state(checkpoints);
  if (!state) {  // none can be read: loading the checkpoints says so
    return has_tokenizers(config, run) ? load_tokenizers(config, run) : make_tokenizers(config);
  }
  check_same_settings(*state, config);
  return resume_tokenizers(config, run, state->tokenizer_hash);
}

}  // namespace

Training::Training(const Config& config, const RunFolder& run, Loudness loudness)
    : config_(config),
      run_(run),
      lock_((make_folder(real_files(), run.path), run.path)),
      tokenizers_(tokenizers_of(config, run)),
      learner_(config.training, model_options(config, tokenizers_),
               pieces_for_memory(config, model_options(config, tokenizers_))),
      checkpoints_(real_files(), run.path),
      schedule_(schedule_of(config)),
      loudness_(loudness) {
  // What is wrong with these shows before the training corpora are tokenised, which may take long.
  validation_.emplace(config, tokenizers_, run);
  PairVariation variation = pair_variation(config, tokenizers_);
  Dataset data = load_training_data(config, tokenizers_, run);
  state_.tokenizer_hash = tokenizers_.hash();
  state_.data_hash = hexadecimal(data.hash);
  if (checkpoints_.steps().empty()) {
    begin();
  } else {
    restore();
  }
  announce(data);
  stream_.emplace(std::move(data), batch_options(config.training),
                  StreamState{state_.epoch, state_.position}, std::move(variation));
  state_.config = show_config(config);
  replace_text(files_, run.config(), state_.config);
  state_.versions = {{"calque", CALQUE_VERSION},
                     {"blas", blas_description(product_precision(config.training))}};
  state_.seeds = {{"training", static_cast<uint64_t>(config.training.seed)}};
  seconds_before_ = state_.seconds_trained;
  share_before_ = done();
}

void Training::begin() {
  checkpoints_.remove_leftovers();
  learner_.initialise();
  std::vector<std::string> notes;
  if (!config_.model.init_from.empty()) {
    notes = load_initial_weights(config_.model.init_from, state_.tokenizer_hash, learner_.model);
  }
  learner_.start_averaging();
  state_.ema = config_.training.ema > 0;
  log_.emplace(files_, run_, config_.logging, 0, loudness_);
  for (const std::string& note : notes) log_->say(note);
}

void Training::restore() {
  learner_.start_averaging();  // takes the memory; its values are read
  std::vector<DamagedCheckpoint> damaged;
  const auto loaded =
      checkpoints_.load_newest(learner_.model.targets(), learner_.optimizer_targets(), damaged);
  std::vector<std::string> notes = check_same_settings(loaded->state, config_);
  check_same_text(loaded->state, state_.tokenizer_hash, state_.data_hash);
  state_ = loaded->state;
  for (std::string& note : judge_anew(state_, config_)) notes.push_back(std::move(note));
  best_under_way_ = best_scores(config_.training, state_);
  learner_.restored(state_.optimizer_step);
  saved_ = state_.step;
  recorded_ = true;
  cut_back(files_, run_.metrics(), state_.step, state_.validation_owed);
  log_.emplace(files_, run_, config_.logging, state_.step, loudness_);
  for (const DamagedCheckpoint& d : damaged) {
    log_->problem(fmt::format("{} is damaged and was set aside: {}", d.folder, d.problem));
    checkpoints_.set_aside(d);
  }
  checkpoints_.remove_leftovers();
  writer_.tidy(checkpoint_job(state_, config_.training));
  finish_saving();
  log_->say(fmt::format("resuming {} at step {}, epoch {}", run_.path, state_.step, state_.epoch));
  for (const std::string& note : notes) log_->say(note);
}

void Training::announce(const Dataset& data) {
  if (finished() || out_of_patience()) return;
  log_->say(fmt::format("{}: {} pairs, dropped: {}; {} parameters, vocabulary {}; {} threads, {}",
                        run_.path, data.pairs(), data.drops.text(),
                        learner_.model.parameters.count(), tokenizers_.target.size(), threads(),
                        blas_description(product_precision(config_.training))));
  if (!data.cache_problem.empty()) {
    log_->say(fmt::format("{}; the next start tokenises again", data.cache_problem));
  }
}

}  // namespace calque
