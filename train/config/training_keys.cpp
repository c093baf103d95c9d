// The section `training`: batches, optimiser, learning rate, validation and what is kept.
#include "train/config/schema.h"

namespace calque {
namespace {

using enum OnResume;
using Optimizer = TrainingConfig::Optimizer;
using Schedule = TrainingConfig::Schedule;

template <class Table>
auto training_section(Table& table) {
  return Section(
      "training.", [](auto& config) -> auto& { return config.training; }, table);
}

void declare_batches(std::vector<ConfigKey>& table) {
  auto in = training_section(table);
  in.key("seed", &TrainingConfig::seed, at_least(0), harmful,
         "Of the weights, the order of the corpus, and dropout. The same seed gives the same bits.",
         {{marian, "seed"},
          {joey, "random_seed"},
          {opennmt, "seed"},
          {fairseq, "seed"},
          {sockeye, "seed"}});
  in.key(
      "until", &TrainingConfig::until, {}, harmless,
      "When to stop: after so many updates (8000u), epochs (20e), target tokens (100Mt) or minutes "
      "of training, validations included (45min; also s, h, d), or once a validation reaches a "
      "value of a metric (exact>=97%, loss<=1.9). Of several, [8000u, 45min], whichever comes "
      "first. The end of linear and cosine follows from it: such a run goes on "
      "beyond it only with decay_steps set to what it was.",
      {{marian, "after"},
       {marian, "after-epochs"},
       {marian, "after-batches"},
       {joey, "epochs"},
       {joey, "updates"},
       {opennmt, "train_steps"},
       {fairseq, "max-epoch"},
       {fairseq, "max-update"},
       {sockeye, "max-updates"},
       {sockeye, "max-num-epochs"}});
  in.key("batch_tokens", &TrainingConfig::batch_tokens, between(0, 100'000'000), harmful,
         "A batch holds as many sentences as fit into this many tokens. 0: only batch_sentences "
         "counts.",
         {{marian, "mini-batch-words"},
          {marian, "mini-batch"},
          {joey, "batch_size"},
          {opennmt, "batch_size"},
          {fairseq, "max-tokens"},
          {sockeye, "batch-size"}});
  in.key("batch_by", &TrainingConfig::batch_by, {}, harmful,
         "Which side's tokens batch_tokens counts.",
         {{joey, "batch_type"}, {opennmt, "batch_type"}, {sockeye, "batch-type"}})
      .idle_if([](const Config& c) { return c.training.batch_tokens == 0; },
               "it goes with batch_tokens")
      .idle_if(no_translation, with_translation);
  in.key("batch_sentences", &TrainingConfig::batch_sentences, between(0, 100'000'000), harmful,
         "At most this many sentences in a batch. 0: only batch_tokens counts.",
         {{fairseq, "max-sentences"}});
  in.key(
      "accumulation", &TrainingConfig::accumulation, between(1, 100'000), harmful,
      "Batches whose gradients are summed for one update; the loss is divided once, by all their "
      "target tokens.",
      {{marian, "optimizer-delay"},
       {joey, "batch_multiplier"},
       {opennmt, "accum_count"},
       {fairseq, "update-freq"},
       {sockeye, "update-interval"}});
  in.key("memory_limit", &TrainingConfig::memory_limit, {}, harmless,
         "Batches are split into as few chunks as fit, found by measuring the largest batch before "
         "training starts. The number is kept when the run is resumed with the same limit. 0: no "
         "limit.",
         {{marian, "workspace"}});
  in.key(
      "threads", &TrainingConfig::threads, between(0, 1024), harmless,
      "Threads to compute with, for speed only: the results are the same for any number. 0: one a "
      "processor.",
      {{marian, "cpu-threads"}});
  in.key(
      "precision", &TrainingConfig::precision, {}, harmless,
      "Of the numbers that are multiplied with weights in training. bfloat16 rounds them to 8 bits "
      "of "
      "precision in a float's range, which makes training about 1.5 times as fast where processor "
      "and build have AVX512-BF16, and slower elsewhere. Sums, the weights kept and everything "
      "else "
      "stay float32; so do validation and translation.",
      {{marian, "precision"}, {joey, "fp16"}, {fairseq, "fp16"}, {sockeye, "amp"}});
}

void declare_optimizer(std::vector<ConfigKey>& table) {
  auto in = training_section(table);
  const auto not_adam = [](const Config& c) {
    return c.training.optimizer != Optimizer::adam && c.training.optimizer != Optimizer::adamw;
  };
  const auto nothing_dropped = [](const Config& c) {
    return c.model.dropout + c.model.attention_dropout + c.model.activation_dropout == 0;
  };
  in.key(
      "optimizer", &TrainingConfig::optimizer, {}, harmful,
      "adam; adamw, with decoupled weight decay; sgd, with momentum; or adafactor, which keeps far "
      "fewer numbers.",
      {{marian, "optimizer"},
       {joey, "optimizer"},
       {opennmt, "optim"},
       {fairseq, "optimizer"},
       {sockeye, "optimizer"}});
  in.key("betas", &TrainingConfig::betas, fraction(), harmful, "Decay rates of Adam's two moments.",
         {{marian, "optimizer-params"},
          {joey, "adam_betas"},
          {opennmt, "adam_beta2"},
          {opennmt, "adam_beta1"},
          {fairseq, "adam-betas"},
          {sockeye, "optimizer-betas"}})
      .idle_if(not_adam, "it goes with the optimizers adam and adamw");
  in.key("epsilon", &TrainingConfig::epsilon, positive(), harmful,
         "Added to the root of Adam's second moment.",
         {{joey, "adam_eps"}, {fairseq, "adam-eps"}, {sockeye, "optimizer-eps"}})
      .idle_if(not_adam, "it goes with the optimizers adam and adamw");
  in.key("momentum", &TrainingConfig::momentum, fraction(), harmful, "Of sgd.",
         {{fairseq, "momentum"}, {sockeye, "momentum"}})
      .idle_if([](const Config& c) { return c.training.optimizer != Optimizer::sgd; },
               "it goes with the optimizer sgd");
  in.key(
      "weight_decay", &TrainingConfig::weight_decay, between(0, 1), harmful,
      "How strongly weights are pulled towards 0: with adamw and adafactor each update takes away "
      "this times the learning rate of a weight, with adam and sgd this times the weight is added "
      "to its gradient.",
      {{joey, "weight_decay"}, {fairseq, "weight-decay"}, {sockeye, "weight-decay"}});
  in.key("decayed", &TrainingConfig::decayed, {}, harmful,
         "What weight_decay takes in: everything, all but biases and norms (matrices), or of those "
         "all "
         "but embeddings.")
      .idle_if([](const Config& c) { return c.training.weight_decay == 0; },
               "it goes with a weight_decay");
  in.key("clip_norm", &TrainingConfig::clip_norm, at_least(0), harmful,
         "A gradient whose norm over all parameters is larger is scaled down to it. 0: never.",
         {{marian, "clip-norm"},
          {joey, "clip_grad_norm"},
          {opennmt, "max_grad_norm"},
          {fairseq, "clip-norm"},
          {sockeye, "gradient-clipping-threshold"}});
  in.key("label_smoothing", &TrainingConfig::label_smoothing, fraction(), harmful,
         "The target distribution is (1 - eps) on the right token plus eps spread evenly over the "
         "whole "
         "vocabulary, as PyTorch defines it. Joey NMT leaves the right token and "
         "padding out "
         "of the spread: figures differ slightly.",
         {{marian, "label-smoothing"},
          {joey, "label_smoothing"},
          {opennmt, "label_smoothing"},
          {fairseq, "label-smoothing"},
          {sockeye, "label-smoothing"}});
  in.key("r_drop", &TrainingConfig::r_drop, at_least(0), harmful,
         "Each batch goes through the model twice, with different dropout, and the two are to "
         "agree: a token's loss is the mean of both, and this times a quarter of both "
         "Kullback-Leibler divergences (R-Drop, whose paper has 5 for small corpora). Twice the "
         "work for a batch. 0: once.")
      .idle_if(nothing_dropped, "it goes with dropout in the model");
  in.key(
      "ema", &TrainingConfig::ema, fraction(), harmful,
      "Keeps a moving average of the weights beside them, with this decay (0.999), and validates "
      "with it. 0: none.",
      {{marian, "exponential-smoothing"}, {opennmt, "average_decay"}, {fairseq, "ema-decay"}});
}

void declare_learning_rate(std::vector<ConfigKey>& table) {
  auto in = training_section(table);
  const auto noam = [](const Config& c) { return c.training.schedule == Schedule::noam; };
  const auto endless = [](const Config& c) { return !comes_to_an_end(c.training.schedule); };
  in.key(
      "schedule", &TrainingConfig::schedule, {}, harmful,
      "The learning rate by step. noam, the paper's: factor * d_model^-0.5 * min(step^-0.5, step * "
      "warmup_steps^-1.5). The others rise in a line to learning_rate and then fall with the "
      "inverse square root of the step, along a cosine, in a line, or stay.",
      {{joey, "scheduling"},
       {opennmt, "decay_method"},
       {fairseq, "lr-scheduler"},
       {marian, "lr-decay-inv-sqrt"},
       {sockeye, "learning-rate-scheduler-type"}});
  in.key("factor", &TrainingConfig::factor, positive(), harmful,
         "Scales the noam schedule, whose peak is factor * (d_model * warmup_steps)^-0.5. This is "
         "what "
         "OpenNMT-py calls learning_rate with its noam.",
         {{joey, "learning_rate_factor"}})
      .idle_if([=](const Config& c) { return !noam(c); }, "it goes with schedule: noam");
  in.key("learning_rate", &TrainingConfig::learning_rate, positive(), harmful,
         "The peak, reached after warmup_steps, as in fairseq and Marian.",
         {{marian, "learn-rate"},
          {joey, "learning_rate"},
          {opennmt, "learning_rate"},
          {fairseq, "lr"},
          {sockeye, "initial-learning-rate"}})
      .idle_if(noam,
               "schedule: noam has no learning rate of its own; set factor, or "
               "schedule: inverse_sqrt");
  in.key("warmup_steps", &TrainingConfig::warmup_steps, between(0, 1e9), harmful,
         "Updates in which the learning rate rises.",
         {{marian, "lr-warmup"},
          {joey, "learning_rate_warmup"},
          {opennmt, "warmup_steps"},
          {fairseq, "warmup-updates"},
          {sockeye, "learning-rate-warmup"}});
  in.key("warmup_from", &TrainingConfig::warmup_from, at_least(0), harmful,
         "Where the rise begins.", {{fairseq, "warmup-init-lr"}, {marian, "lr-warmup-start-rate"}})
      .idle_if(noam, "schedule: noam always rises from 0")
      .idle_if([](const Config& c) { return c.training.warmup_steps == 0; },
               "it goes with warmup_steps");
  in.key("decay_steps", &TrainingConfig::decay_steps, between(0, 1e12), harmful,
         "The step at which cosine and linear arrive at final_learning_rate. 0: the updates of "
         "until.",
         {{fairseq, "total-num-update"}})
      .idle_if(endless, "it goes with the schedules cosine and linear");
  in.key("final_learning_rate", &TrainingConfig::final_learning_rate, at_least(0), harmful,
         "Where cosine and linear end.", {{fairseq, "end-learning-rate"}})
      .idle_if(endless, "it goes with the schedules cosine and linear");
}

void declare_validation(std::vector<ConfigKey>& table) {
  auto in = training_section(table);
  in.key("validate_every", &TrainingConfig::validate_every, {}, harmless,
         "How often data.validation is looked at: every so many updates (500u, or 500), or epochs "
         "(1e).",
         {{marian, "valid-freq"},
          {joey, "validation_freq"},
          {opennmt, "valid_steps"},
          {fairseq, "validate-interval-updates"},
          {sockeye, "checkpoint-interval"}});
  in.key("validate_translate", &TrainingConfig::validate_translate, {}, harmless,
         "Whether validation also translates, for exact matches, BLEU and chrF: greedily, by beam "
         "search as `decoding` says, or not (none).",
         {{marian, "valid-metrics"}, {fairseq, "eval-bleu"}, {sockeye, "decode-and-evaluate"}})
      .idle_if(no_translation, with_translation);
  in.key("validate_sentences", &TrainingConfig::validate_sentences, at_least(0), harmless,
         "How many validation sentences are translated. 0: all.")
      .idle_if(
          [](const Config& c) {
            return c.training.validate_translate == TrainingConfig::Translate::none;
          },
          "it goes with validate_translate: greedy or beam")
      .idle_if(no_translation, with_translation);
  in.key("metric", &TrainingConfig::metric, {}, harmless,
         "What decides which checkpoint is the best, and patience.",
         {{joey, "early_stopping_metric"},
          {opennmt, "early_stopping_criteria"},
          {fairseq, "best-checkpoint-metric"},
          {sockeye, "optimized-metric"}});
  in.key("patience", &TrainingConfig::patience, at_least(0), harmless,
         "Stop after this many validations in a row without a better metric. 0: never. (Joey NMT's "
         "patience lowers the learning rate instead.)",
         {{marian, "early-stopping"},
          {opennmt, "early_stopping"},
          {fairseq, "patience"},
          {sockeye, "max-num-checkpoint-not-improved"}});
  in.key("save_every", &TrainingConfig::save_every, {}, harmless,
         "How often a checkpoint is written; one more is written at the end, and when interrupted.",
         {{marian, "save-freq"},
          {opennmt, "save_checkpoint_steps"},
          {fairseq, "save-interval-updates"}});
  in.key("save_in_background", &TrainingConfig::save_in_background, {}, harmless,
         "Whether training goes on while a checkpoint is written. A kill then costs the steps made "
         "meanwhile on top of an interval; with false it costs an interval at most, and every "
         "checkpoint the time of its writing.");
  in.key("keep_last", &TrainingConfig::keep_last, between(1, 100'000), harmless,
         "How many of the newest checkpoints are kept.",
         {{opennmt, "keep_checkpoint"},
          {fairseq, "keep-last-epochs"},
          {fairseq, "keep-interval-updates"},
          {sockeye, "keep-last-params"}});
  in.key("keep_best", &TrainingConfig::keep_best, between(0, 100'000), harmless,
         "How many of the best checkpoints are kept besides; the best one is, also with 0.",
         {{marian, "keep-best"}, {joey, "keep_best_ckpts"}, {fairseq, "keep-best-checkpoints"}});
}

void declare_guards(std::vector<ConfigKey>& table) {
  auto in = training_section(table);
  in.key(
      "check_finite", &TrainingConfig::check_finite, {}, harmless,
      "Names the op in which a number that is not finite came up first, by doing the step again. "
      "Updates with such a loss or gradient are skipped and counted in any case.",
      {{marian, "check-gradient-nan"}});
  in.key("max_bad_steps", &TrainingConfig::max_bad_steps, at_least(1), harmless,
         "Stops after this many updates in a row whose loss or gradient is not finite.");
  in.key("divergence_factor", &TrainingConfig::divergence_factor, at_least(0), harmless,
         "Stops when the loss stays above this many times its running mean for divergence_steps "
         "updates. 0: never.",
         {{marian, "throw-on-divergence"}});
  in.key("divergence_steps", &TrainingConfig::divergence_steps, at_least(1), harmless,
         "How long the loss may stay that high.")
      .idle_if([](const Config& c) { return c.training.divergence_factor == 0; },
               "it goes with a divergence_factor");
}

}  // namespace

void declare_training_keys(std::vector<ConfigKey>& table) {
  declare_batches(table);
  declare_optimizer(table);
  declare_learning_rate(table);
  declare_validation(table);
  declare_guards(table);
}

}  // namespace calque
