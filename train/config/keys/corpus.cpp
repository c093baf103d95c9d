// The keys of one corpus: a small map inside data.train, data.validation or data.test.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "train/config/schema.h"
#include "train/config/suggestion.h"

namespace calque {
namespace {

using C = CorpusConfig;

bool is_toy(const C& corpus) { return corpus.toy != C::Toy::none; }

bool has_symbols(const C& corpus) {
  return corpus.toy == C::Toy::copy || corpus.toy == C::Toy::reverse || corpus.toy == C::Toy::sort;
}

bool has_lengths(const C& corpus) { return has_symbols(corpus) || corpus.toy == C::Toy::listops; }

bool has_pairs(const C& corpus) {
  return !corpus.prefix.empty() || !corpus.source.empty() || !corpus.file.empty() ||
         !corpus.tsv.empty() || is_toy(corpus);
}

std::vector<CorpusKey> declare_corpus_keys() {
  std::vector<CorpusKey> table;
  Section in(
      "", [](auto& corpus) -> auto& { return corpus; }, table);
  constexpr OnResume fixed = OnResume::harmful;
  const auto no_tsv = [](const C& c) { return c.tsv.empty(); };
  const auto no_toy = [](const C& c) { return !is_toy(c); };
  const auto no_symbols = [](const C& c) { return !has_symbols(c); };
  const auto no_lengths = [](const C& c) { return !has_lengths(c); };
  constexpr std::string_view with_pairs = "needs prefix, source and target, file, tsv or toy",
                             with_toy = "needs toy",
                             with_symbols = "needs toy: copy, reverse or sort",
                             with_lengths = "needs toy: copy, reverse, sort or listops";
  in.key("text", &C::text, {}, fixed, "Text files, plain, gzip or zstd, for a language model.");
  in.key("conversations", &C::conversations, {}, fixed,
         "Files of JSON lines, plain, gzip or zstd, for task: language-model: in each line "
         "`messages`, a "
         "list of objects with `role` and `content`, or `prompt` and `completion`. The loss counts "
         "the answers alone.");
  in.key("preferences", &C::preferences, {}, fixed,
         "Files of JSON lines, plain, gzip or zstd, for task: language-model that starts from "
         "model.init_from: in each line `prompt`, `chosen` and `rejected`, texts or lists of "
         "messages. Training makes the chosen answers more probable than the rejected ones (DPO).");
  in.key("labelled", &C::labelled, {}, fixed,
         "A file for classification with one example per line: a label, a tab or a space, and the "
         "text; a second text follows after another tab.");
  in.key(
      "tagged", &C::tagged, {}, fixed,
      "A file for tagging, plain, gzip or zstd: in each line a word and its tag, the first and the "
      "last column; an empty line ends a sentence. Or a CoNLL-U file.");
  in.key("images", &C::images, {}, fixed,
         "Images for task: images: a folder with a subfolder of PNG or JPEG files for each class, "
         "or an IDX file such as MNIST's, plain, gzip or zstd.");
  in.key("labels", &C::labels, {}, fixed,
         "The IDX file with the labels of an IDX file of images. Default: labels-idx1 in place of "
         "images-idx3 in its name.")
      .idle_if([](const C& c) { return c.images.empty(); }, "needs images");
  in.key("prefix", &C::prefix, {}, fixed,
         "Two line-aligned text files, plain, gzip or zstd: this path followed by a dot and each "
         "of the "
         "languages.",
         "Joey NMT: train");
  in.key("languages", &C::languages, {}, fixed,
         "The source and the target language, which are the endings after prefix, or those to take "
         "from `file`. With `data.multilingual` each corpus has them. Default: those of the toy "
         "language, or `data.languages`.")
      .idle_if([](const C& c) { return !has_pairs(c); }, with_pairs);
  in.key(
        "directions", &C::directions, corpus_directions, fixed,
        "With `data.multilingual`, whether the corpus is translated forward, from the first of its "
        "languages to the second, backward, or both.",
        "fairseq: lang-pairs")
      .idle_if([](const C& c) { return !has_pairs(c); }, with_pairs);
  in.key("source", &C::source, {}, fixed,
         "The file with the source sentences, one per line. It needs `target`.",
         "OpenNMT-py: path_src; Sockeye: source");
  in.key("target", &C::target, {}, fixed,
         "The file with the translations of `source`, line by line.",
         "OpenNMT-py: path_tgt; Sockeye: target");
  in.key("file", &C::file, {}, fixed,
         "A file of translators, plain, gzip or zstd: a gettext catalogue (.po, .mo), a "
         "translation memory "
         "(.tmx) or XLIFF (.xlf).");
  in.key("tsv", &C::tsv, {}, fixed,
         "A file with one pair per line, with columns separated by tabs.", "Marian: tsv");
  in.key("source_column", &C::source_column, between(1, 1000), fixed,
         "The column of the source sentences, counted from 1.")
      .idle_if(no_tsv, "needs tsv");
  in.key("target_column", &C::target_column, between(1, 1000), fixed,
         "The column of the translations.")
      .idle_if(no_tsv, "needs tsv");
  in.key("toy", &C::toy, toys, fixed,
         "A built-in language that needs no file: copy, reverse and sort over symbols, English "
         "with German or French from a grammar, nested operations on digits with their value "
         "(listops), the documents of toy-text, the lines of toy-analogies for word2vec, or drawn "
         "shapes for task: images.");
  in.key("split", &C::split, toy_splits, fixed,
         "The part of the toy language; the parts share no sentence. `compositional` has "
         "combinations that never occur in `train`. Default: the part of the section.")
      .idle_if(no_toy, with_toy);
  in.key(
        "pairs", &C::pairs, between(0, 1'000'000'000), fixed,
        "The number of pairs of the toy language. Default: 100000 in `data.train`, 1000 elsewhere.")
      .idle_if(no_toy, with_toy);
  in.key("seed", &C::seed, at_least(0), fixed,
         "Determines which pairs of the toy language are drawn.")
      .idle_if(no_toy, with_toy);
  in.key("symbols", &C::symbols, between(1, 10'000), fixed,
         "The number of different symbols in copy, reverse and sort.")
      .idle_if(no_symbols, with_symbols);
  in.key("shortest", &C::shortest, between(1, 10'000), fixed,
         "The minimum number of symbols in a line.")
      .idle_if(no_lengths, with_lengths);
  in.key("longest", &C::longest, between(1, 10'000), fixed,
         "The maximum number of symbols in a line. For listops 4 to 2000.")
      .idle_if(no_lengths, with_lengths);
  in.key("weight", &C::weight, between(0.0001, 10'000), fixed,
         "How often each sentence occurs in an epoch: 2 for twice; 0.5 for one half of the "
         "sentences in one epoch and the other half in the next.",
         "OpenNMT-py: weight");
  in.key(
      "epochs", &C::epochs, at_least(0), fixed,
      "The number of epochs, from the first on, that use the corpus; training then continues with "
      "the other corpora. For example, train on machine translations first. 0: all epochs.");
  in.key("teacher", &C::teacher, {}, fixed,
         "Whether the model learns the corpus from `training.teacher`. With false it learns from "
         "the tokens alone, so that one corpus teaches something new and another one, with the "
         "share 1, keeps what the model knew.");
  in.key("name", &C::name, {}, OnResume::harmless,
         "The name of the corpus in reports. Default: the file's name, or the toy language.");
  return table;
}

CorpusConfig read_corpus(const YamlValue& from, std::string_view list) {
  CorpusConfig corpus;
  if (from.kind == YamlValue::Kind::scalar) {
    corpus.prefix = from.scalar;
    return corpus;
  }
  if (from.kind != YamlValue::Kind::map) {
    refuse_value(from, list,
                 "a corpus: {prefix: ...}, {source: ..., target: ...}, {file: ...}, {tsv: ...}, "
                 "{text: ...}, {conversations: ...}, "
                 "{preferences: ...}, {labelled: ...}, {tagged: ...}, {images: ...} or {toy: ...}");
  }
  for (const YamlEntry& entry : from.entries) {
    const auto& keys = corpus_keys();
    const auto key = std::ranges::find(keys, entry.key, &CorpusKey::name);
    if (key == keys.end()) {
      fail("{}: {}", entry.place.text(), unknown_corpus_key(list, entry.key));
    }
    key->read(entry.value, corpus);
  }
  const auto paths =
      std::ranges::count_if(corpus_paths, [&](const auto path) { return !(corpus.*path).empty(); });
  const int64_t forms = paths + (corpus.text.empty() ? 0 : 1) +
                        (corpus.conversations.empty() ? 0 : 1) +
                        (corpus.preferences.empty() ? 0 : 1) + (is_toy(corpus) ? 1 : 0);
  if (forms != 1 || corpus.source.empty() != corpus.target.empty()) {
    fail(
        "{}: {}: a corpus needs exactly one of prefix, source and target, file, tsv, text, "
        "conversations, preferences, labelled, tagged, images, and toy",
        from.place.text(), list);
  }
  if (corpus.longest < corpus.shortest) {
    fail("{}: {}.longest: {} is less than shortest: {}", from.place.text(), list, corpus.longest,
         corpus.shortest);
  }
  for (const YamlEntry& entry : from.entries) {
    for (const CorpusKey& key : corpus_keys()) {
      const std::string reason = key.name == entry.key ? key.idle(corpus) : "";
      if (!reason.empty()) fail("{}: {}.{}: {}", entry.place.text(), list, entry.key, reason);
    }
  }
  return corpus;
}

}  // namespace

const std::vector<CorpusKey>& corpus_keys() {
  static const std::vector<CorpusKey> keys = declare_corpus_keys();
  return keys;
}

void read_value(const YamlValue& from, std::string_view key, const Range&, Corpora& to) {
  Corpora corpora;
  if (from.kind == YamlValue::Kind::list) {
    for (const YamlValue& item : from.items) corpora.push_back(read_corpus(item, key));
  } else {
    corpora.push_back(read_corpus(from, key));
  }
  for (const CorpusConfig& corpus : corpora) {
    if (!corpus.languages.empty() && corpus.languages.size() != 2) {
      fail("{}: {}.languages: must be two, [source, target], not {}", from.place.text(), key,
           corpus.languages.size());
    }
  }
  to = std::move(corpora);
}

std::string write_value(const CorpusConfig& corpus) {
  static const CorpusConfig untouched;
  std::string text;
  for (const CorpusKey& key : corpus_keys()) {
    const std::string value = key.write(corpus);
    const bool shown = value != key.write(untouched) || (is_toy(corpus) && key.name == "seed");
    if (!shown || !key.idle(corpus).empty()) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", key.name, value);
  }
  return "{" + text + "}";
}

std::string write_value(const Corpora& corpora) {
  std::string text;
  for (const CorpusConfig& corpus : corpora) {
    text += (text.empty() ? "" : ", ") + write_value(corpus);
  }
  return "[" + text + "]";
}

std::string allowed_values(const Range&, const Corpora&) { return "a corpus or a list of corpora"; }

}  // namespace calque
