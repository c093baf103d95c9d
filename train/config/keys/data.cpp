// The sections `data` and `tokenizer`.
#include <algorithm>

#include "data/images/images.h"
#include "train/config/schema.h"

namespace calque {
namespace {

bool has_languages(const Corpora& corpora) {
  return std::ranges::any_of(
      corpora, [](const CorpusConfig& c) { return !c.prefix.empty() || !c.file.empty(); });
}

}  // namespace

void declare_data_keys(std::vector<ConfigKey>& table) {
  Section in(
      "data.", [](auto& config) -> auto& { return config.data; }, table);
  using enum OnResume;
  using D = DataConfig;
  // harmless: a change that matters shows in the corpora, which get these languages.
  in.key("languages", &D::languages, {}, harmless,
         "The source and the target language, [en, de]. They are the file name endings of corpora "
         "given by prefix, and those to take from files of translators.",
         "Joey NMT: src.lang, trg.lang; fairseq: source-lang, target-lang")
      .idle_if(
          [](const Config& c) {
            return !has_languages(c.data.train) && !has_languages(c.data.validation) &&
                   !has_languages(c.data.test) && !c.data.multilingual;
          },
          "needs corpora given by prefix or file")
      .needs(Feature::pairs);
  in.key(
        "multilingual", &D::multilingual, {}, harmful,
        "Trains one model for several languages. Each corpus has languages of its own, and a token "
        "for the target language, such as >>de<<, begins each source.",
        "fairseq: encoder-langtok tgt; OpenNMT-py: src_prefix; Sockeye: source-prefix")
      .needs(Feature::pairs);
  in.key(
        "temperature", &D::temperature, between(0.1, 1000), harmful,
        "How evenly an epoch takes language pairs: a pair with the share p of the data gets one in "
        "proportion to p^(1/temperature). 1: by size. 5: small pairs much more often. An epoch "
        "keeps its size. The tokenizer is trained on the pairs in the same proportion.",
        "fairseq: sampling-temperature")
      .idle_if([](const Config& c) { return !c.data.multilingual; }, "needs data.multilingual");
  in.key("train", &D::train, {}, harmful,
         "The training corpora, one or a list. The keys of a corpus are listed below.",
         "Marian: train-sets; Joey NMT: train; OpenNMT-py: corpus_1; fairseq: trainpref; Sockeye: "
         "prepared-data");
  in.key("validation", &D::validation, {}, harmless,
         "The validation corpora, which decide which checkpoint is the best.",
         "Marian: valid-sets; Joey NMT: dev; OpenNMT-py: valid; fairseq: valid-subset; Sockeye: "
         "validation-source");
  in.key("test", &D::test, {}, harmless,
         "The corpora of `calque evaluate`. Training never reads them.",
         "Joey NMT: test; fairseq: gen-subset");
  in.key("back_translate", &D::back_translate, {}, harmful,
         "More training pairs from texts in the target language: a run that translates in the "
         "other direction makes their sources before the training starts. The keys are below.")
      .needs(Feature::pairs);
  in.key("distill", &D::distill, {}, harmful,
         "Replaces the targets of `data.train` by the translations of a better run, the teacher "
         "(sequence-level distillation). The keys are below.")
      .needs(Feature::pairs);
  in.key("terms", &D::terms, {}, harmful,
         "Marks terms in a share of the training sources, with their translations, so that the run "
         "uses the glossaries that its user gives it. The keys are below.")
      .needs(Feature::pairs);
  in.key("preceding_sentences", &D::preceding_sentences, between(0, 10), harmful,
         "Begins each source with this many sentences that stand before it in the document, each "
         "followed by the token <sep>. Lines of a corpus are sentences, an empty line ends a "
         "document. "
         "`max_length` counts the whole source.")
      .needs(Feature::pairs);
  in.key("lowercase", &D::lowercase, {}, harmful,
         "Converts both sides to lower case, references included.", "Joey NMT: lowercase")
      .needs(Feature::text);
  in.key("nfkc", &D::nfkc, {}, harmful,
         "Applies Unicode's normalization form NFKC to both sides: ligatures, full-width letters "
         "and the like become plain characters.")
      .needs(Feature::text);
  in.key("invalid_utf8", &D::invalid_utf8, invalid_texts, harmful,
         "What happens at a line that is not valid UTF-8: error stops and names the line, skip "
         "drops the pair, document or example and counts it.")
      .needs(Feature::text);
  in.key("max_length", &D::max_length, between(0, 1'000'000), harmful,
         "Drops training pairs with more tokens than this on either side. 0: no limit.",
         "Marian: max-length; Joey NMT: max_length; OpenNMT-py: src_seq_length; fairseq: "
         "max-source-positions; Sockeye: max-seq-len")
      .needs(Feature::pairs);
  in.key("max_ratio", &D::max_ratio, at_least(0), harmful,
         "Drops training pairs in which one side has more than this many times as many tokens as "
         "the other. 9 removes most misaligned lines. 0: no limit.",
         "fairseq: max-ratio")
      .needs(Feature::pairs);
  in.key("drop_duplicates", &D::drop_duplicates, {}, harmful,
         "Keeps only the first of several equal training pairs or documents.")
      .needs(Feature::token_files);
  in.key("cache", &D::cache, {}, harmless,
         "Stores the tokenized corpora beside the run, so that the next start is fast.")
      .needs(Feature::token_files);
  in.key("documents", &D::documents, document_units, harmful,
         "The unit of text that is one document: a line, a paragraph (text between blank lines), "
         "or a file.")
      .needs(Feature::documents);
  in.key("context", &D::context, between(1, 1'000'000), harmful,
         "The number of tokens in a window: texts are cut into windows of this length. It is also "
         "the number of learned positions. For classification: the maximum number of tokens of an "
         "example; longer examples are cut. For word2vec: texts are cut into parts of this many "
         "words.",
         "nanoGPT: block_size")
      .needs(Feature::context, "; a translator reads data.preceding_sentences beside a source");
  in.key("turns", &D::turns, {}, harmful,
         "How conversations become text: the markers around each turn, with which the model was "
         "trained. The keys are below.",
         "transformers: chat_template")
      .needs(Feature::cross_documents)
      .needs(Feature::decoder);
  in.key("cross_documents", &D::cross_documents, {}, harmful,
         "Continues a window with the next document, so that every window is full. With false, a "
         "window has tokens of one document only.")
      .needs(Feature::cross_documents);
  in.key(
        "begin_windows", &D::begin_windows, {}, harmful,
        "Every window of text begins with <s>, in place of its first token, as models like Gemma "
        "and Llama expect. An imported model has what its tokenizer says.",
        "Hugging Face: add_bos_token")
      .needs(Feature::cross_documents)
      .needs(Feature::decoder);
  in.key("mask_share", &D::mask_share, between(0.001, 1), harmful,
         "The share of tokens that a masked language model is trained to predict.",
         "fairseq: mask-prob")
      .needs(Feature::masks);
  in.key("whole_words", &D::whole_words, {}, harmful,
         "Chooses whole words instead of single tokens: all tokens of a word are chosen together.",
         "fairseq: mask-whole-words")
      .needs(Feature::masks);
  in.key("window", &D::window, between(1, 1000), harmful,
         "The largest distance between a word and a neighbour. In every epoch, the distance of "
         "each word is drawn between 1 and this, so near neighbours have more weight.",
         "word2vec: window; gensim: window; fastText: ws")
      .needs(Feature::word_contexts);
  in.key("subsample", &D::subsample, fraction(), harmful,
         "The threshold t of subsampling: words whose share f of the text is above t are removed "
         "with the probability 1 - sqrt(t / f) - t / f, differently in every epoch. 0: off.",
         "word2vec: sample; gensim: sample; fastText: t")
      .needs(Feature::word_contexts);
  in.key("image_size", &D::image_size, between(0, largest_image_side), harmful,
         "Resizes every image to this many rows and columns. 0: to the size of the run that "
         "model.init_from names; without such a run, all training images must have one size.")
      .needs(Feature::pixels);
}

void declare_augment_keys(std::vector<ConfigKey>& table) {
  Section in(
      "augment.", [](auto& config) -> auto& { return config.augment; }, table);
  using enum OnResume;
  using A = Augmentation;
  in.key("shift", &A::shift, between(0, 1000), harmful,
         "Shifts an image by up to this many pixels in each direction; black moves in.")
      .needs(Feature::pixels);
  in.key("flip", &A::flip, {}, harmful, "Exchanges left and right in half of the images.")
      .needs(Feature::pixels);
  in.key("rotate", &A::rotate, between(0, 180), harmful,
         "Rotates an image by up to this many degrees in each direction.")
      .needs(Feature::pixels);
  in.key("scale", &A::scale, between(0, 0.9), harmful,
         "Makes an image larger or smaller by up to this share.")
      .needs(Feature::pixels);
  in.key("erase", &A::erase, fraction(), harmful,
         "The probability that a random rectangle of an image gets one random color.")
      .needs(Feature::pixels);
}

void declare_tokenizer_keys(std::vector<ConfigKey>& table) {
  Section in(
      "tokenizer.", [](auto& config) -> auto& { return config.tokenizer; }, table);
  const size_t first = table.size();
  using enum OnResume;
  using T = TokenizerConfig;
  const auto sentencepiece = [](const Config& c) { return is_sentence_piece(c.tokenizer.kind); };
  const auto no_sentencepiece = [](const Config& c) {
    return !is_sentence_piece(c.tokenizer.kind);
  };
  constexpr std::string_view with_sentencepiece = "needs a sentencepiece kind";
  in.key("kind", &T::kind, tokenizer_kinds, harmful,
         "SentencePiece with byte-pair encoding or a unigram model, BERT's WordPiece or GPT-2's "
         "byte-level BPE (of an imported model), words separated by spaces, characters, or bytes.",
         "Joey NMT: level");
  in.key("joint", &T::joint, {}, harmful,
         "One vocabulary for both languages (needed for `model.tied: all`), or one for each.",
         "fairseq: joined-dictionary; OpenNMT-py: share_vocab; Sockeye: shared-vocab")
      .needs(Feature::pairs);
  in.key("vocabulary_size", &T::vocabulary_size, between(0, 10'000'000), harmful,
         "The maximum number of entries of a vocabulary, special symbols included; a small text "
         "has fewer. 0 keeps all words or characters.",
         "Marian: dim-vocabs; Joey NMT: voc_limit; OpenNMT-py: src_vocab_size; fairseq: nwordssrc; "
         "Sockeye: num-words");
  in.key("files", &T::files, {}, harmful,
         "Existing SentencePiece models or vocabulary files: one if joint, else [source, target]. "
         "Empty: a classifier or tagger that starts from a masked language model (model.init_from) takes "
         "the model's tokenizer; every other run trains one on `data.train`. With files, the keys "
         "of tokenizer training (vocabulary_size, training_pairs, ...) have no effect.",
         "Marian: vocabs; Joey NMT: voc_file; OpenNMT-py: src_vocab; fairseq: srcdict; Sockeye: "
         "source-vocab");
  in.key("minimum_count", &T::minimum_count, at_least(1), harmful,
         "Words and characters that occur less often than this in `data.train` become <unk>.",
         "Joey NMT: voc_min_freq; OpenNMT-py: src_words_min_frequency; fairseq: thresholdsrc; "
         "Sockeye: word-min-count")
      .idle_if(sentencepiece, "needs the kind words or characters");
  in.key("character_coverage", &T::character_coverage, between(0.9, 1), harmful,
         "The share of the corpus's characters that SentencePiece's vocabulary covers. 0.9995 is "
         "for languages with thousands of characters.")
      .idle_if(no_sentencepiece, with_sentencepiece);
  in.key("byte_fallback", &T::byte_fallback, {}, harmful,
         "SentencePiece encodes unknown characters as bytes instead of <unk>.")
      .idle_if(no_sentencepiece, with_sentencepiece);
  in.key("bpe_dropout", &T::bpe_dropout, fraction(), harmful,
         "BPE-dropout: in training, each merge is left out with this probability, differently in "
         "every epoch, so that the model sees many segmentations of a word (0.1 for small "
         "corpora). Batches then hold more tokens than batch_tokens. 0: off.",
         "Marian: sentencepiece-alphas; OpenNMT-py: src_subword_alpha")
      .idle_if([](const Config& c) { return c.tokenizer.kind != TokenizerKind::bpe; },
               "needs the kind sentencepiece-bpe")
      .needs(Feature::pairs);
  in.key("training_pairs", &T::training_pairs, at_least(1), harmful,
         "The tokenizer is trained on at most this many pairs or documents, sampled at random.",
         "Marian: sentencepiece-max-lines")
      .needs(Feature::token_files);
  for (size_t i = first; i < table.size(); ++i) table[i].needs(Feature::text);
}

}  // namespace calque
