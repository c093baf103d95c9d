// The section `training`: batches, optimizer, learning rate, validation and checkpoints.
#include "train/config/schema.h"

namespace calque {
namespace {

using enum OnResume;
using T = TrainingConfig;

bool no_outer_steps(const Config& config) { return config.training.outer_steps == 0; }

auto training_section(std::vector<ConfigKey>& table) {
  return Section(
      "training.", [](auto& config) -> auto& { return config.training; }, table);
}

void declare_batches(std::vector<ConfigKey>& table) {
  auto in = training_section(table);
  in.key("seed", &T::seed, at_least(0), harmful,
         "Determines the initial weights, the order of the examples, and dropout. The same seed "
         "gives bit-identical results.",
         "Marian: seed; Joey NMT: random_seed; OpenNMT-py: seed; fairseq: seed; Sockeye: seed");
  in.key("until", &T::until, {}, harmless,
         "When training ends: after a number of updates (8000u), epochs (20e), target tokens "
         "(100Mt) or an amount of time, validations included (45min; also s, h, d), or when a "
         "validation reaches a value of a metric (exact>=97%, loss<=1.9). A list such as [8000u, "
         "45min] ends at whichever comes first. A skipped step (check_finite) is not an update. "
         "The schedules linear and cosine end at this number of updates, so to prolong such a run, "
         "set decay_steps to the original number.",
         "Marian: after, after-epochs, after-batches; Joey NMT: epochs, updates; OpenNMT-py: "
         "train_steps; fairseq: max-epoch, max-update; Sockeye: max-updates, max-num-epochs");
  in.key("batch_tokens", &T::batch_tokens, between(0, 100'000'000), harmful,
         "A batch holds as many sentences as fit into this number of tokens. 0: the number is "
         "chosen when the run is created and kept in its config, so that a run of any length in "
         "tokens, epochs or time has about 3,000 updates of 256 to 8,192 tokens each (3,000 for "
         "each direction of a multilingual run), and 4,096 for a length in updates; with "
         "batch_sentences, no limit.",
         "Marian: mini-batch-words, mini-batch; Joey NMT: batch_size; OpenNMT-py: batch_size; "
         "fairseq: max-tokens; Sockeye: batch-size");
  in.key("batch_by", &T::batch_by, batch_sides, harmful,
         "The side whose tokens batch_tokens counts.",
         "Joey NMT: batch_type; OpenNMT-py: batch_type; Sockeye: batch-type")
      .idle_if([](const Config& c) { return c.training.batch_tokens == 0; }, "needs batch_tokens")
      .needs(Feature::pairs);
  in.key("batch_sentences", &T::batch_sentences, between(0, 100'000'000), harmful,
         "The maximum number of sentences in a batch. 0: only batch_tokens limits it.",
         "fairseq: max-sentences");
  in.key("accumulation", &T::accumulation, between(1, 100'000), harmful,
         "The number of batches whose gradients are summed for one update. The loss is divided "
         "once, by the target tokens of all of them.",
         "Marian: optimizer-delay; Joey NMT: batch_multiplier; OpenNMT-py: accum_count; fairseq: "
         "update-freq; Sockeye: update-interval");
  in.key(
      "parts", &T::parts, between(1, 1024), harmful,
      "The number of parts of an update, a power of two. Each part has `accumulation` batches of "
      "its own, so an update has parts * accumulation batches. The gradients of the parts are "
      "added in a fixed order, so that 1, 2, 4, ... ranks can share them without changing a bit.");
  in.key("exchange", &T::exchange, precisions, harmful,
         "The precision of the gradients that are added over parts and ranks. bfloat16 has 8 bits "
         "of precision and halves the bytes that ranks send each other for the sum.")
      .idle_if([](const Config& c) { return c.training.parts == 1; }, "needs parts");
  in.key("outer_steps", &T::outer_steps, between(0, 10'000), harmful,
         "For slow networks: the number of updates that each part makes with weights and an "
         "optimizer of its own before one update joins all parts (DiLoCo). These updates together "
         "are one step for all other keys and in the log, with outer_steps * parts * accumulation "
         "batches. 0: each step is one update, by all parts together.");
  in.key("outer_rate", &T::outer_rate, positive(), harmful,
         "The learning rate of the update that joins the parts. Its gradient is the mean of the "
         "differences between the weights before and after the updates of each part.")
      .idle_if(no_outer_steps, "needs outer_steps");
  in.key("outer_momentum", &T::outer_momentum, fraction(), harmful,
         "The Nesterov momentum of the update that joins the parts.")
      .idle_if(no_outer_steps, "needs outer_steps");
  in.key("memory_limit", &T::memory_limit, {}, harmless,
         "Splits batches into the fewest chunks that fit into this memory. Their number is found "
         "by measuring the largest batch before training starts. A run that is resumed with the "
         "same limit keeps its number of chunks. 0: no limit.",
         "Marian: workspace");
  in.key(
      "threads", &T::threads, between(0, 1024), harmless,
      "The number of threads. It changes the speed, never the results. 0: one for each processor.",
      "Marian: cpu-threads");
  in.key("precision", &T::precision, precisions, harmless,
         "The precision of the operands of matrix products in training. bfloat16 has 8 bits of "
         "precision and makes training about 1.5 times as fast with AMX, and with AVX512-BF16 on "
         "processors of AMD; elsewhere it is slower. Sums, the stored weights and validation are "
         "float32 in any case.",
         "Marian: precision; Joey NMT: fp16; fairseq: fp16; Sockeye: amp");
}

void declare_optimizer(std::vector<ConfigKey>& table) {
  auto in = training_section(table);
  const auto not_adam = [](const Config& c) {
    return c.training.optimizer == T::Optimizer::sgd ||
           c.training.optimizer == T::Optimizer::adafactor;
  };
  constexpr std::string_view with_adam = "needs the optimizer adam, adamw or muon";
  in.key(
      "optimizer", &T::optimizer, optimizers, harmful,
      "muon, which learns more than Adam from each update of the weights of products and follows "
      "adamw elsewhere; adam; adamw, with decoupled weight decay; sgd, with momentum; or "
      "adafactor, which needs far less memory. The default is muon for translation and language "
      "models, except from trained weights (model.init_from: adamw) and for model.kind: rnn "
      "(adam), and adamw for the other tasks.",
      "Marian: optimizer; Joey NMT: optimizer; OpenNMT-py: optim; fairseq: optimizer; Sockeye: "
      "optimizer");
  in.key("betas", &T::betas, fraction(), harmful, "The decay rates of Adam's two moments.",
         "Marian: optimizer-params; Joey NMT: adam_betas; OpenNMT-py: adam_beta2, adam_beta1; "
         "fairseq: adam-betas; Sockeye: optimizer-betas")
      .idle_if(not_adam, with_adam);
  in.key("epsilon", &T::epsilon, positive(), harmful, "Added to the root of Adam's second moment.",
         "Joey NMT: adam_eps; fairseq: adam-eps; Sockeye: optimizer-eps")
      .idle_if(not_adam, with_adam);
  in.key("momentum", &T::momentum, fraction(), harmful, "The momentum of sgd.",
         "fairseq: momentum; Sockeye: momentum")
      .idle_if([](const Config& c) { return c.training.optimizer != T::Optimizer::sgd; },
               "needs the optimizer sgd");
  in.key("weight_decay", &T::weight_decay, between(0, 1), harmful,
         "The rate of weight decay. adamw, muon and adafactor multiply each weight by 1 - learning "
         "rate "
         "* weight_decay; adam and sgd add weight_decay * weight to the gradient.",
         "Joey NMT: weight_decay; fairseq: weight-decay; Sockeye: weight-decay");
  in.key("decayed", &T::decayed, decayed_kinds, harmful,
         "The parameters that decay: all (everything), all except biases and norms (matrices), or "
         "all except biases, norms and embeddings (matrices-but-embeddings).")
      .idle_if([](const Config& c) { return c.training.weight_decay == 0; }, "needs weight_decay");
  in.key("clip_norm", &T::clip_norm, at_least(0), harmful,
         "Scales gradients down to this norm, taken over all parameters. 0: no clipping.",
         "Marian: clip-norm; Joey NMT: clip_grad_norm; OpenNMT-py: max_grad_norm; fairseq: "
         "clip-norm; Sockeye: gradient-clipping-threshold");
  in.key("label_smoothing", &T::label_smoothing, fraction(), harmful,
         "The target distribution has 1 - label_smoothing on the correct token, plus "
         "label_smoothing spread evenly over the whole vocabulary, as in PyTorch. Joey NMT leaves "
         "the correct token and padding out of the spread, so its losses differ slightly.",
         "Marian: label-smoothing; Joey NMT: label_smoothing; OpenNMT-py: label_smoothing; "
         "fairseq: label-smoothing; Sockeye: label-smoothing")
      .needs(Feature::network);
  in.key("class_weights", &T::class_weights, {}, harmful,
         "Multiplies the loss of each example by the weight of its class. balanced: the inverse of "
         "the frequency in data.train, so that rare classes count as much as frequent ones. A list "
         "such as [spam=5, ham=1]: these weights, and 1 for other labels. Empty: no weights.")
      .needs(Feature::classes);
  in.key("dropout_epochs", &T::dropout_epochs, at_least(0), harmful,
         "Dropout rises with the passes over the data, since a model cannot overfit what it has "
         "barely seen: after e epochs all probabilities of dropout are multiplied by e / "
         "dropout_epochs, at most 1. 0, or with model.init_from: full dropout from the start.")
      .needs(Feature::network);
  in.key("r_drop", &T::r_drop, at_least(0), harmful,
         "R-Drop: each batch goes through the model twice with different dropout. The loss is the "
         "mean of both losses plus r_drop / 4 times the sum of the two Kullback-Leibler "
         "divergences between the outputs (the paper uses 5 for small corpora). A batch then costs "
         "twice the work. 0: off.")
      .idle_if(
          [](const Config& c) {
            return c.model.dropout + c.model.attention_dropout + c.model.activation_dropout == 0;
          },
          "needs dropout in the model")
      .needs(Feature::network);
  in.key(
        "teacher", &T::teacher, {}, harmful,
        "Word-level distillation: a run with the same tokenizers, or one of its checkpoints, whose "
        "probabilities of each token the model is also trained to predict. Each step also computes "
        "the teacher's forward pass. For translation and task: language-model.")
      .needs(Feature::decoder);
  in.key("teacher_share", &T::teacher_share, between(0.001, 1), harmful,
         "The share of the teacher in the loss: (1 - share) times the cross-entropy plus share "
         "times "
         "the Kullback-Leibler divergence of the model's probabilities from the teacher's.")
      .idle_if([](const Config& c) { return c.training.teacher.empty(); }, "needs training.teacher")
      .needs(Feature::decoder);
  in.key("dpo_beta", &T::dpo_beta, positive(), harmful,
         "DPO: how strongly training on preferences holds the model to that of model.init_from. "
         "The loss of a pair is -log sigmoid(dpo_beta * margin), where the margin is how much "
         "more the log-probability of the chosen answer has grown than that of the rejected one. "
         "With label_smoothing, the share label_smoothing / 2 of the pairs counts the other way "
         "round.",
         "TRL: beta")
      .idle_if([](const Config& c) { return !has_preferences(c); },
               "needs data.train: {preferences: FILE}");
  in.key("ema", &T::ema, fraction(), harmful,
         "Keeps an exponential moving average of the weights with this decay (0.999) and validates "
         "with it. 0: off.",
         "Marian: exponential-smoothing; OpenNMT-py: average_decay; fairseq: ema-decay");
  in.key("negatives", &T::negatives, between(1, 1000), harmful,
         "The number of random words that each prediction of word2vec is compared with. A word is "
         "drawn in proportion to its count to the power 3/4.",
         "word2vec: negative; gensim: negative; fastText: neg")
      .needs(Feature::word_contexts);
}

void declare_learning_rate(std::vector<ConfigKey>& table) {
  auto in = training_section(table);
  const auto noam = [](const Config& c) { return c.training.schedule == T::Schedule::noam; };
  const auto endless = [](const Config& c) { return !c.training.has_final_step(); };
  constexpr std::string_view with_end = "needs the schedule cosine or linear";
  in.key("schedule", &T::schedule, schedules, harmful,
         "The learning rate of each update. auto fits the run that `until` describes: it rises to "
         "learning_rate over warmup_steps or a quarter of the run, whichever is shorter, and falls "
         "linearly to 0 over the last three quarters (inverse_sqrt if `until` has only a goal). "
         "noam, the paper's: factor * d_model^-0.5 * "
         "min(update^-0.5, update * warmup_steps^-1.5). The others rise linearly to learning_rate, "
         "then fall with the inverse square root of the update (inverse_sqrt), along a cosine or "
         "linearly, or stay (constant). A skipped step is not an update.",
         "Joey NMT: scheduling; OpenNMT-py: decay_method; fairseq: lr-scheduler; Marian: "
         "lr-decay-inv-sqrt; Sockeye: learning-rate-scheduler-type");
  in.key("factor", &T::factor, positive(), harmful,
         "Scales the noam schedule, whose peak is factor * (d_model * warmup_steps)^-0.5. "
         "OpenNMT-py calls this learning_rate.",
         "Joey NMT: learning_rate_factor")
      .idle_if([=](const Config& c) { return !noam(c); }, "needs schedule: noam");
  in.key("learning_rate", &T::learning_rate, at_least(0), harmful,
         "The peak, reached after warmup_steps, as in fairseq and Marian. 0: for the optimizer "
         "muon 0.01 for a d_model of 128 and 8192 tokens per update, less for wider models (in "
         "inverse proportion) and for smaller batches (with the square root); half of that for "
         "other optimizers.",
         "Marian: learn-rate; Joey NMT: learning_rate; OpenNMT-py: learning_rate; fairseq: lr; "
         "Sockeye: initial-learning-rate")
      .idle_if(noam, "is not used by schedule: noam; set factor, or schedule: inverse_sqrt");
  in.key("warmup_steps", &T::warmup_steps, between(0, 1e9), harmful,
         "The number of updates in which the learning rate rises.",
         "Marian: lr-warmup; Joey NMT: learning_rate_warmup; OpenNMT-py: warmup_steps; fairseq: "
         "warmup-updates; Sockeye: learning-rate-warmup");
  in.key("warmup_from", &T::warmup_from, at_least(0), harmful,
         "The learning rate at which the rise begins.",
         "fairseq: warmup-init-lr; Marian: lr-warmup-start-rate")
      .idle_if(noam, "is not used by schedule: noam, which rises from 0")
      .idle_if([](const Config& c) { return c.training.schedule == T::Schedule::whole_run; },
               "is not used by schedule: auto, which rises from 0")
      .idle_if([](const Config& c) { return c.training.warmup_steps == 0; }, "needs warmup_steps");
  in.key(
        "decay_steps", &T::decay_steps, between(0, 1e12), harmful,
        "The update at which cosine and linear reach final_learning_rate. 0: the updates of until.",
        "fairseq: total-num-update")
      .idle_if(endless, with_end);
  in.key("final_learning_rate", &T::final_learning_rate, at_least(0), harmful,
         "The learning rate at which cosine and linear end.", "fairseq: end-learning-rate")
      .idle_if(endless, with_end);
}

void declare_validation(std::vector<ConfigKey>& table) {
  auto in = training_section(table);
  in.key("validate_every", &T::validate_every, {}, harmless,
         "The interval between validations in updates (500u, or 500) or epochs (1e).",
         "Marian: valid-freq; Joey NMT: validation_freq; OpenNMT-py: valid_steps; fairseq: "
         "validate-interval-updates; Sockeye: checkpoint-interval");
  in.key("validate_translate", &T::validate_translate, validation_searches, harmless,
         "Whether validation also translates, to compute exact matches, BLEU and chrF: greedily, "
         "by beam search as `decoding` says, or not at all (none).",
         "Marian: valid-metrics; fairseq: eval-bleu; Sockeye: decode-and-evaluate")
      .needs(Feature::pairs);
  in.key("validate_sentences", &T::validate_sentences, at_least(0), harmless,
         "The number of validation sentences to translate. 0: all.")
      .idle_if([](const Config& c) { return c.training.validate_translate == T::Translate::none; },
               "needs validate_translate: greedy or beam")
      .needs(Feature::pairs);
  in.key("metric", &T::metric, {}, harmless,
         "The metric that decides which checkpoint is the best, and on which patience is based.",
         "Joey NMT: early_stopping_metric; OpenNMT-py: early_stopping_criteria; fairseq: "
         "best-checkpoint-metric; Sockeye: optimized-metric");
  in.key("patience", &T::patience, at_least(0), harmless,
         "Ends training after this many validations in a row without a better metric. 0: never. "
         "(In Joey NMT, patience lowers the learning rate instead.)",
         "Marian: early-stopping; OpenNMT-py: early_stopping; fairseq: patience; Sockeye: "
         "max-num-checkpoint-not-improved");
  in.key("save_every", &T::save_every, {}, harmless,
         "The interval between checkpoints. One more is written at the end and on interruption.",
         "Marian: save-freq; OpenNMT-py: save_checkpoint_steps; fairseq: save-interval-updates");
  in.key("save_in_background", &T::save_in_background, {}, harmless,
         "Continues training while a checkpoint is written. A killed run can then lose one "
         "interval and the steps made during the write. With false it loses at most one interval, "
         "but training pauses for every write.");
  in.key("keep_last", &T::keep_last, between(1, 100'000), harmless,
         "How many of the newest checkpoints are kept.",
         "OpenNMT-py: keep_checkpoint; fairseq: keep-last-epochs, keep-interval-updates; Sockeye: "
         "keep-last-params");
  in.key("keep_best", &T::keep_best, between(0, 100'000), harmless,
         "How many of the best checkpoints are also kept. The best one is kept even with 0.",
         "Marian: keep-best; Joey NMT: keep_best_ckpts; fairseq: keep-best-checkpoints");
}

void declare_guards(std::vector<ConfigKey>& table) {
  auto in = training_section(table);
  in.key("check_finite", &T::check_finite, {}, harmless,
         "When a loss or gradient is not finite, repeats the step to name the op that caused it. "
         "Such updates are skipped and counted in any case.",
         "Marian: check-gradient-nan");
  in.key("max_bad_steps", &T::max_bad_steps, at_least(1), harmless,
         "Stops training after this many skipped steps in a row.");
  in.key("divergence_factor", &T::divergence_factor, at_least(0), harmless,
         "Stops training when the loss has been above this many times its running mean for "
         "divergence_steps updates. 0: never.",
         "Marian: throw-on-divergence");
  in.key("divergence_steps", &T::divergence_steps, at_least(1), harmless,
         "The number of updates in a row with such a loss that stop training.")
      .idle_if([](const Config& c) { return c.training.divergence_factor == 0; },
               "needs divergence_factor");
  in.key("rank_deadline", &T::rank_deadline, between(2, 3600), harmless,
         "With several ranks: the number of seconds without an answer after which a rank counts "
         "as lost, for example because its process is stopped or its network is broken. The other "
         "ranks then end.");
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
