// The sections `decoding` and `logging`.
#include "train/config/schema.h"

namespace calque {

using enum OnResume;

void declare_decoding_keys(std::vector<ConfigKey>& table) {
  const auto first = std::ssize(table);
  Section in(
      "decoding.", [](auto& config) -> auto& { return config.decoding; }, table);
  using D = DecodingConfig;
  in.key("beam", &D::beam, between(1, 1000), harmless,
         "The number of hypotheses at each step of beam search. 1: greedy search.",
         "Marian: beam-size; Joey NMT: beam_size; OpenNMT-py: beam_size; fairseq: beam; Sockeye: "
         "beam-size");
  in.key("length_penalty", &D::length_penalty, between(0, 100), harmless,
         "alpha: 0 favours short translations, larger values longer ones. Its meaning depends on "
         "length_penalty_kind, so a value from another toolkit needs that toolkit's kind.",
         "Marian: normalize; Joey NMT: beam_alpha; OpenNMT-py: alpha; fairseq: lenpen; Sockeye: "
         "length-penalty-alpha")
      .idle_if(
          [](const Config& c) {
            return c.decoding.length_penalty_kind == SearchOptions::Penalty::none;
          },
          "needs length_penalty_kind: wu or power");
  in.key("length_penalty_kind", &D::length_penalty_kind, length_penalties, harmless,
         "The divisor of a hypothesis's log-probability: length^alpha (power, as in fairseq, "
         "Marian and CTranslate2), ((5 + length) / 6)^alpha (wu: Wu et al., 2016; as in Joey NMT "
         "and OpenNMT-py), or 1 (none).",
         "OpenNMT-py: length_penalty");
  in.key("early_stopping", &D::early_stopping, stop_rules, harmless,
         "When the search for a sentence ends: when no open hypothesis can still win (optimal), "
         "when `beam` hypotheses have ended (first), when the beam is empty, which becomes "
         "narrower by one with each hypothesis that ends (narrow, as in Marian), or only at the "
         "length limit (never).");
  in.key(
      "n_best", &D::n_best, between(1, 1000), harmless,
      "The number of translations of each sentence, at most beam.",
      "Marian: n-best; Joey NMT: n_best; OpenNMT-py: n_best; fairseq: nbest; Sockeye: nbest-size");
  in.key("min_length", &D::min_length, between(0, 1'000'000), harmless,
         "The minimum length of a translation in tokens.",
         "Joey NMT: min_output_length; OpenNMT-py: min_length; fairseq: min-len");
  in.key("min_length_ratio", &D::min_length_ratio, between(0, 1000), harmless,
         "The minimum length of a translation relative to its source. The larger of the two "
         "minimums applies.");
  in.key("max_length", &D::max_length, between(0, 1'000'000), harmless,
         "The maximum length of a translation in tokens. 0: only the relative limit applies.",
         "Joey NMT: max_output_length; OpenNMT-py: max_length; Sockeye: max-output-length");
  in.key("max_length_ratio", &D::max_length_ratio, between(0, 1000), harmless,
         "The maximum length relative to the source: max_length_ratio * source length + "
         "max_length_extra.",
         "Marian: max-length-factor; fairseq: max-len-a");
  in.key("max_length_extra", &D::max_length_extra, between(0, 1'000'000), harmless,
         "The constant part of the relative limit, in tokens.", "fairseq: max-len-b");
  in.key("no_repeat_ngram", &D::no_repeat_ngram, between(0, 1'000'000), harmless,
         "No sequence of this many tokens occurs twice in a translation. 0: no limit.",
         "Joey NMT: no_repeat_ngram_size; OpenNMT-py: block_ngram_repeat; fairseq: "
         "no-repeat-ngram-size");
  in.key(
      "allow_unknown", &D::allow_unknown, {}, harmless,
      "Whether a translation may contain <unk>, the token for text that is not in the vocabulary.",
      "Marian: allow-unk");
  in.key(
      "force_terms", &D::force_terms, {}, harmless,
      "With a glossary, searches a translation that lacks a term again and lets it end only with "
      "the term.");
  in.key("shortlist", &D::shortlist, {}, harmless,
         "Searches among the tokens of RUN/shortlist.txt, if `calque shortlist` has written it.");
  in.key(
      "mbr", &D::mbr, between(0, 1000), harmless,
      "Minimum Bayes risk decoding: draws this many translations at random and takes the one that "
      "is on average the most similar to the others. 0: off. Validation does not use it.");
  in.key("mbr_metric", &D::mbr_metric, utilities, harmless, "The similarity of two translations.")
      .idle_if([](const Config& c) { return c.decoding.mbr == 0; }, "needs decoding.mbr");
  in.key("batch_tokens", &D::batch_tokens, between(1, 100'000'000), harmless,
         "The approximate number of tokens, over all hypotheses, that are decoded in one batch. It "
         "affects only the speed.",
         "Joey NMT: eval_batch_size; fairseq: max-tokens-valid; OpenNMT-py: valid_batch_size");
  in.key(
      "bleu_tokenize", &D::bleu_tokenize, tokenizations, harmless,
      "The tokenization of BLEU, by sacreBLEU's names; none is for text that is tokenized already.",
      "Joey NMT: sacrebleu_cfg.tokenize");
  in.key("bleu_lowercase", &D::bleu_lowercase, {}, harmless, "Whether BLEU ignores case.");
  for (ConfigKey& key : std::span(table).subspan(static_cast<size_t>(first))) {
    key.needs(Feature::pairs);
  }
  in.key("precision", &D::precision, inference_precisions, harmless,
         "The precision of the weights in products, for every command that uses the trained model "
         "(--precision sets another one). bfloat16, q8_0 and q4_0 keep weights in half, a quarter "
         "and an eighth "
         "of the memory, and multiply them as float32. int8: 8-bit integers on both sides of a "
         "product; on processors with AMX or VNNI instructions decoding is two to four times as "
         "fast. Weights that are stored in fewer bits are used as they are. Training uses "
         "training.precision, and its validation float32.",
         "CTranslate2: compute_type; Marian: gemm-type");
}

void declare_logging_keys(std::vector<ConfigKey>& table) {
  Section in(
      "logging.", [](auto& config) -> auto& { return config.logging; }, table);
  using L = LoggingConfig;
  in.key(
      "every", &L::every, at_least(1), harmless,
      "The number of updates between two lines of the log and of metrics.jsonl.",
      "Marian: disp-freq; Joey NMT: logging_freq; OpenNMT-py: report_every; fairseq: log-interval");
  in.key("samples", &L::samples, between(0, 1000), harmless,
         "The number of validation sentences whose translations are shown, when validation "
         "translates.",
         "Joey NMT: print_valid_sents");
  in.key("report", &L::report, {}, harmless,
         "Updates report.html, the page with the curves, at each validation.");
  in.key("tensorboard", &L::tensorboard, {}, harmless,
         "Also writes TensorBoard event files into the run folder.",
         "OpenNMT-py: tensorboard; fairseq: tensorboard-logdir");
}

}  // namespace calque
