// The sections `data` and `tokenizer`.
#include <algorithm>

#include "train/config/schema.h"

namespace calque {
namespace {

bool has_prefix(const Corpora& corpora) {
  return std::ranges::any_of(corpora, [](const CorpusConfig& c) { return !c.prefix.empty(); });
}

}  // namespace

void declare_data_keys(std::vector<ConfigKey>& table) {
  Section in(
      "data.", [](auto& config) -> auto& { return config.data; }, table);
  using enum OnResume;
  // A change that matters shows in the corpora, which have the languages of their own then.
  in.key("languages", &DataConfig::languages, {}, harmless,
         "Source and target language, [en, de]: the endings of the files of corpora given by "
         "prefix.",
         {{joey, "src.lang, trg.lang"}, {fairseq, "source-lang, target-lang"}})
      .idle_if(
          [](const Config& c) {
            return !has_prefix(c.data.train) && !has_prefix(c.data.validation) &&
                   !has_prefix(c.data.test);
          },
          "it goes with corpora given by prefix")
      .idle_if(no_translation, with_translation);
  in.key("train", &DataConfig::train, {}, harmful,
         "The training corpora, one or a list; the keys of a corpus stand below.",
         {{marian, "train-sets"},
          {joey, "train"},
          {opennmt, "corpus_1"},
          {fairseq, "trainpref"},
          {sockeye, "prepared-data"}});
  in.key("validation", &DataConfig::validation, {}, harmless,
         "The corpora that are watched during training and decide which checkpoint is the best.",
         {{marian, "valid-sets"},
          {joey, "dev"},
          {opennmt, "valid"},
          {fairseq, "valid-subset"},
          {sockeye, "validation-source"}});
  in.key("test", &DataConfig::test, {}, harmless,
         "The corpora for `calque evaluate`; training never looks at them.",
         {{joey, "test"}, {fairseq, "gen-subset"}});
  in.key("lowercase", &DataConfig::lowercase, {}, harmful,
         "Lower-cases both sides, references included.", {{joey, "lowercase"}});
  in.key(
      "nfkc", &DataConfig::nfkc, {}, harmful,
      "Brings both sides into Unicode's normalization form NFKC: ligatures, full-width letters and "
      "the like become their plain forms.");
  in.key(
      "invalid_utf8", &DataConfig::invalid_utf8, {}, harmful,
      "What to do with a line that is not valid UTF-8: stop with its number, or skip the pair and "
      "count it.");
  in.key(
      "max_length", &DataConfig::max_length, between(0, 1'000'000), harmful,
      "Training pairs with more tokens than this on either side are dropped and counted. 0: none.",
      {{marian, "max-length"},
       {joey, "max_length"},
       {opennmt, "src_seq_length"},
       {fairseq, "max-source-positions"},
       {sockeye, "max-seq-len"}})
      .idle_if(no_translation, with_translation);
  in.key(
        "max_ratio", &DataConfig::max_ratio, at_least(0), harmful,
        "Training pairs with a side more than this many times as long as the other, in tokens, are "
        "dropped and counted. 0: none; 9 removes most misaligned lines.",
        {{fairseq, "max-ratio"}})
      .idle_if(no_translation, with_translation);
  in.key("drop_duplicates", &DataConfig::drop_duplicates, {}, harmful,
         "Keeps only the first of several equal training pairs or documents.");
  in.key("cache", &DataConfig::cache, {}, harmless,
         "Keeps the tokenised corpora on disk beside the run, so that the next start is quick.");
  in.key(
        "documents", &DataConfig::documents, {}, harmful,
        "What a document of a text is: a line, a paragraph (between blank lines), or a whole file.")
      .idle_if(no_language_model, with_language_model);
  in.key("context", &DataConfig::context, between(1, 1'000'000), harmful,
         "How many tokens a language model sees at once: texts are cut into windows of this many. "
         "It is also the number of positions that learned positions have.",
         {{"nanoGPT", "block_size"}})
      .idle_if(no_language_model, with_language_model);
  in.key("cross_documents", &DataConfig::cross_documents, {}, harmful,
         "Whether a window goes on in the next document where one ends, so that every window is "
         "full; with false a window holds tokens of one document only.")
      .idle_if(no_language_model, with_language_model);
}

void declare_tokenizer_keys(std::vector<ConfigKey>& table) {
  Section in(
      "tokenizer.", [](auto& config) -> auto& { return config.tokenizer; }, table);
  using enum OnResume;
  using Kind = TokenizerConfig::Kind;
  const auto no_sentencepiece = [](const Config& config) {
    return config.tokenizer.kind != Kind::sentencepiece_bpe &&
           config.tokenizer.kind != Kind::sentencepiece_unigram;
  };
  constexpr std::string_view with_sentencepiece = "it goes with the sentencepiece kinds";
  in.key("kind", &TokenizerConfig::kind, {}, harmful,
         "SentencePiece by byte-pair encoding or by a unigram model, words between spaces, "
         "characters, or bytes.",
         {{joey, "level"}});
  in.key("joint", &TokenizerConfig::joint, {}, harmful,
         "One vocabulary for both languages (needed for `model.tied: all`) or one each.",
         {{fairseq, "joined-dictionary"}, {opennmt, "share_vocab"}, {sockeye, "shared-vocab"}})
      .idle_if(no_translation, with_translation);
  in.key(
      "vocabulary_size", &TokenizerConfig::vocabulary_size, between(0, 10'000'000), harmful,
      "Entries of a vocabulary, special symbols included. Words and characters may turn out fewer, "
      "and for them 0 takes all.",
      {{marian, "dim-vocabs"},
       {joey, "voc_limit"},
       {opennmt, "src_vocab_size"},
       {fairseq, "nwordssrc"},
       {sockeye, "num-words"}});
  in.key("files", &TokenizerConfig::files, {}, harmful,
         "Existing SentencePiece models or vocabulary files: one if joint, else source and target. "
         "None: trained on `data.train`. With files, what a training would go by does nothing "
         "(vocabulary_size, training_pairs and the like).",
         {{marian, "vocabs"},
          {joey, "voc_file"},
          {opennmt, "src_vocab"},
          {fairseq, "srcdict"},
          {sockeye, "source-vocab"}});
  in.key("minimum_count", &TokenizerConfig::minimum_count, at_least(1), harmful,
         "Words and characters that are rarer than this in `data.train` become <unk>.",
         {{joey, "voc_min_freq"},
          {opennmt, "src_words_min_frequency"},
          {fairseq, "thresholdsrc"},
          {sockeye, "word-min-count"}})
      .idle_if([=](const Config& c) { return !no_sentencepiece(c); },
               "it goes with the kinds words and characters");
  in.key("character_coverage", &TokenizerConfig::character_coverage, between(0.9, 1), harmful,
         "Share of the corpus's characters that SentencePiece gives a piece of their own; 0.9995 "
         "for "
         "languages with thousands of them.")
      .idle_if(no_sentencepiece, with_sentencepiece);
  in.key("byte_fallback", &TokenizerConfig::byte_fallback, {}, harmful,
         "SentencePiece spells unknown characters in bytes instead of <unk>.")
      .idle_if(no_sentencepiece, with_sentencepiece);
  in.key(
        "bpe_dropout", &TokenizerConfig::bpe_dropout, fraction(), harmful,
        "In training each merge of byte-pair encoding is left out with this probability, anew in "
        "every epoch, so that the model sees words in many pieces (0.1 for small corpora). Batches "
        "hold more tokens by it than batch_tokens. 0: none.",
        {{marian, "sentencepiece-alphas"}, {opennmt, "src_subword_alpha"}})
      .idle_if(
          [](const Config& c) {
            return c.tokenizer.kind != TokenizerConfig::Kind::sentencepiece_bpe;
          },
          "it goes with the kind sentencepiece-bpe")
      .idle_if(no_translation, with_translation);
  in.key("training_pairs", &TokenizerConfig::training_pairs, at_least(1), harmful,
         "The tokenizer is trained on at most this many pairs, drawn at random.",
         {{marian, "sentencepiece-max-lines"}});
}

}  // namespace calque
