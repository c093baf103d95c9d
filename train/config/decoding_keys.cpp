// The sections `decoding` and `logging`.
#include "train/config/schema.h"

namespace calque {

using enum OnResume;

void declare_decoding_keys(std::vector<ConfigKey>& table) {
  Section in(
      "decoding.", [](auto& config) -> auto& { return config.decoding; }, table);
  in.key("beam", &DecodingConfig::beam, between(1, 1000), harmless,
         "Hypotheses kept at each step of beam search; 1 is greedy search.",
         {{marian, "beam-size"},
          {joey, "beam_size"},
          {opennmt, "beam_size"},
          {fairseq, "beam"},
          {sockeye, "beam-size"}})
      .idle_if(no_translation, with_translation);
  in.key("length_penalty", &DecodingConfig::length_penalty, between(0, 100), harmless,
         "alpha: 0 favours short translations, larger values longer ones. Its meaning depends on "
         "length_penalty_kind, so a figure from another toolkit needs that toolkit's kind.",
         {{marian, "normalize"},
          {joey, "beam_alpha"},
          {opennmt, "alpha"},
          {fairseq, "lenpen"},
          {sockeye, "length-penalty-alpha"}})
      .idle_if(
          [](const Config& c) {
            return c.decoding.length_penalty_kind == DecodingConfig::Penalty::none;
          },
          "it goes with a length_penalty_kind")
      .idle_if(no_translation, with_translation);
  in.key("length_penalty_kind", &DecodingConfig::length_penalty_kind, {}, harmless,
         "What a hypothesis's log-probability is divided by: length^alpha (power; as fairseq, "
         "Marian "
         "and CTranslate2), ((5 + length) / 6)^alpha (wu; Wu et al., 2016, as Joey NMT and "
         "OpenNMT-py), "
         "or nothing.",
         {{opennmt, "length_penalty"}})
      .idle_if(no_translation, with_translation);
  in.key("early_stopping", &DecodingConfig::early_stopping, {}, harmless,
         "A sentence is finished when no open hypothesis can still win (optimal), when `beam` of "
         "them "
         "have ended (first), or only at the length limit (never).")
      .idle_if(no_translation, with_translation);
  in.key("n_best", &DecodingConfig::n_best, between(1, 1000), harmless,
         "How many translations a sentence are given; not more than beam.",
         {{marian, "n-best"},
          {joey, "n_best"},
          {opennmt, "n_best"},
          {fairseq, "nbest"},
          {sockeye, "nbest-size"}})
      .idle_if(no_translation, with_translation);
  in.key("min_length", &DecodingConfig::min_length, between(0, 1'000'000), harmless,
         "Shortest translation in tokens.",
         {{joey, "min_output_length"}, {opennmt, "min_length"}, {fairseq, "min-len"}})
      .idle_if(no_translation, with_translation);
  in.key("min_length_ratio", &DecodingConfig::min_length_ratio, between(0, 1000), harmless,
         "Shortest translation relative to its source; the longer of the two counts.")
      .idle_if(no_translation, with_translation);
  in.key("max_length", &DecodingConfig::max_length, between(0, 1'000'000), harmless,
         "Longest translation in tokens. 0: only the two relative limits count.",
         {{joey, "max_output_length"}, {opennmt, "max_length"}, {sockeye, "max-output-length"}})
      .idle_if(no_translation, with_translation);
  in.key(
        "max_length_ratio", &DecodingConfig::max_length_ratio, between(0, 1000), harmless,
        "Longest translation relative to its source: max_length_ratio * source + max_length_extra.",
        {{marian, "max-length-factor"}, {fairseq, "max-len-a"}})
      .idle_if(no_translation, with_translation);
  in.key("max_length_extra", &DecodingConfig::max_length_extra, between(0, 1'000'000), harmless,
         "Tokens that the relative limit allows beyond the ratio.", {{fairseq, "max-len-b"}})
      .idle_if(no_translation, with_translation);
  in.key("no_repeat_ngram", &DecodingConfig::no_repeat_ngram, between(0, 1'000'000), harmless,
         "No sequence of this many tokens appears twice in a translation. 0: anything may.",
         {{joey, "no_repeat_ngram_size"},
          {opennmt, "block_ngram_repeat"},
          {fairseq, "no-repeat-ngram-size"}})
      .idle_if(no_translation, with_translation);
  in.key(
        "allow_unknown", &DecodingConfig::allow_unknown, {}, harmless,
        "Whether a translation may hold <unk>, which stands for what the vocabulary lacks and says "
        "nothing.",
        {{marian, "allow-unk"}})
      .idle_if(no_translation, with_translation);
  in.key("batch_tokens", &DecodingConfig::batch_tokens, between(1, 100'000'000), harmless,
         "About how many tokens are written together, those of all hypotheses; for speed only.",
         {{joey, "eval_batch_size"}, {fairseq, "max-tokens-valid"}, {opennmt, "valid_batch_size"}})
      .idle_if(no_translation, with_translation);
  in.key("bleu_tokenize", &DecodingConfig::bleu_tokenize, {}, harmless,
         "How BLEU splits words, in sacreBLEU's names; `none` for text that is tokenised already.",
         {{joey, "sacrebleu_cfg.tokenize"}})
      .idle_if(no_translation, with_translation);
  in.key("bleu_lowercase", &DecodingConfig::bleu_lowercase, {}, harmless, "BLEU ignores case.")
      .idle_if(no_translation, with_translation);
}

void declare_logging_keys(std::vector<ConfigKey>& table) {
  Section in(
      "logging.", [](auto& config) -> auto& { return config.logging; }, table);
  in.key("every", &LoggingConfig::every, at_least(1), harmless,
         "Updates between two lines of the log and of metrics.jsonl.",
         {{marian, "disp-freq"},
          {joey, "logging_freq"},
          {opennmt, "report_every"},
          {fairseq, "log-interval"}});
  in.key("samples", &LoggingConfig::samples, between(0, 1000), harmless,
         "Validation sentences whose translations are shown, when validation translates.",
         {{joey, "print_valid_sents"}});
  in.key("report", &LoggingConfig::report, {}, harmless,
         "Brings report.html, the page with the curves, up to date at each validation.");
  in.key("tensorboard", &LoggingConfig::tensorboard, {}, harmless,
         "Writes TensorBoard event files into the run folder too.",
         {{opennmt, "tensorboard"}, {fairseq, "tensorboard-logdir"}});
}

}  // namespace calque
