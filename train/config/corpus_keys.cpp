// The keys of one corpus. A corpus is a small map inside data.train, data.validation or data.test;
// its keys are declared and checked as all others are.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "train/config/schema.h"
#include "train/config/suggestion.h"

namespace calque {
namespace {

bool is_toy(const CorpusConfig& corpus) { return corpus.toy != CorpusConfig::Toy::none; }

bool is_symbols(const CorpusConfig& corpus) {
  using Toy = CorpusConfig::Toy;
  return corpus.toy == Toy::copy || corpus.toy == Toy::reverse || corpus.toy == Toy::sort;
}

std::vector<CorpusKey> declare() {
  std::vector<CorpusKey> table;
  Section in(
      "", [](auto& corpus) -> auto& { return corpus; }, table);
  constexpr OnResume fixed = OnResume::harmful;
  in.key("text", &CorpusConfig::text, {}, fixed,
         "Files of plain text, plain or gzip, for a language model.");
  in.key("prefix", &CorpusConfig::prefix, {}, fixed,
         "Two line-aligned text files, plain or gzip: this path followed by a dot and each of the "
         "languages.",
         {{joey, "train"}});
  in.key("languages", &CorpusConfig::languages, {}, fixed,
         "Source and target language, the endings of the prefix form. Default: `data.languages`.")
      .idle_if([](const CorpusConfig& c) { return c.prefix.empty(); }, "it goes with prefix");
  in.key("source", &CorpusConfig::source, {}, fixed,
         "The file with the source sentences, a line each; with `target`.",
         {{opennmt, "path_src"}, {sockeye, "source"}});
  in.key("target", &CorpusConfig::target, {}, fixed,
         "The file with the translations, line by line those of `source`.",
         {{opennmt, "path_tgt"}, {sockeye, "target"}});
  in.key("tsv", &CorpusConfig::tsv, {}, fixed,
         "One file with a pair a line, its columns separated by tabs.", {{marian, "tsv"}});
  in.key("source_column", &CorpusConfig::source_column, between(1, 1000), fixed,
         "The column of the source sentences, from 1.")
      .idle_if([](const CorpusConfig& c) { return c.tsv.empty(); }, "it goes with tsv");
  in.key("target_column", &CorpusConfig::target_column, between(1, 1000), fixed,
         "The column of their translations.")
      .idle_if([](const CorpusConfig& c) { return c.tsv.empty(); }, "it goes with tsv");
  in.key("toy", &CorpusConfig::toy, {}, fixed,
         "A built-in language that needs no file: copy, reverse and sort over symbols, English "
         "with German or French from a grammar, or the documents of toy-text.");
  in.key("split", &CorpusConfig::split, {}, fixed,
         "Which part of the toy language; the parts share no sentence. `compositional` holds "
         "combinations that `train` never shows. Default: that of the section.")
      .idle_if([](const CorpusConfig& c) { return !is_toy(c); }, "it goes with toy");
  in.key("pairs", &CorpusConfig::pairs, between(0, 1'000'000'000), fixed,
         "How many pairs of the toy language. Default: 100000 in `data.train`, 1000 elsewhere.")
      .idle_if([](const CorpusConfig& c) { return !is_toy(c); }, "it goes with toy");
  in.key("seed", &CorpusConfig::seed, at_least(0), fixed, "Which pairs of the toy language.")
      .idle_if([](const CorpusConfig& c) { return !is_toy(c); }, "it goes with toy");
  const auto no_symbols = [](const CorpusConfig& c) { return !is_symbols(c); };
  constexpr std::string_view with_symbols = "it goes with toy: copy, reverse and sort";
  in.key("symbols", &CorpusConfig::symbols, between(1, 10'000), fixed,
         "How many symbols copy, reverse and sort write with.")
      .idle_if(no_symbols, with_symbols);
  in.key("shortest", &CorpusConfig::shortest, between(1, 10'000), fixed,
         "Symbols in their shortest lines.")
      .idle_if(no_symbols, with_symbols);
  in.key("longest", &CorpusConfig::longest, between(1, 10'000), fixed,
         "Symbols in their longest lines.")
      .idle_if(no_symbols, with_symbols);
  in.key("weight", &CorpusConfig::weight, between(0.0001, 10'000), fixed,
         "How often its sentences occur in an epoch: each twice for 2, half of them for 0.5 and "
         "the other "
         "half in the next.",
         {{opennmt, "weight"}});
  in.key("epochs", &CorpusConfig::epochs, at_least(0), fixed,
         "It takes part in so many epochs, from the first on; then training goes on with the other "
         "corpora. For translations by machine or both directions first, the real task after. 0: "
         "all.");
  in.key("name", &CorpusConfig::name, {}, OnResume::harmless,
         "What reports call it. Default: the file's name, or the toy language.");
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
                 "a corpus: {prefix: ...}, {source: ..., target: ...}, {tsv: ...}, {text: ...} or "
                 "{toy: ...}");
  }
  for (const YamlEntry& entry : from.entries) {
    const auto& keys = corpus_keys();
    const auto key = std::find_if(keys.begin(), keys.end(),
                                  [&](const CorpusKey& k) { return k.name == entry.key; });
    if (key == keys.end()) {
      fail("{}: {}", entry.place.text(), unknown_corpus_key(list, entry.key));
    }
    key->read(entry.value, corpus);
  }
  const int forms = (corpus.text.empty() ? 0 : 1) + (corpus.prefix.empty() ? 0 : 1) +
                    (corpus.tsv.empty() ? 0 : 1) +
                    (corpus.source.empty() && corpus.target.empty() ? 0 : 1) +
                    (is_toy(corpus) ? 1 : 0);
  if (forms != 1 || corpus.source.empty() != corpus.target.empty()) {
    fail("{}: {}: a corpus needs exactly one of prefix, source and target, tsv, text, and toy",
         from.place.text(), list);
  }
  if (corpus.longest < corpus.shortest) {
    fail("{}: {}.longest: {} is less than shortest: {}", from.place.text(), list, corpus.longest,
         corpus.shortest);
  }
  for (const YamlEntry& entry : from.entries) {
    for (const CorpusKey& key : corpus_keys()) {
      const std::string_view reason = key.name == entry.key ? key.idle(corpus) : "";
      if (!reason.empty()) fail("{}: {}.{}: {}", entry.place.text(), list, entry.key, reason);
    }
  }
  return corpus;
}

}  // namespace

const std::vector<CorpusKey>& corpus_keys() {
  static const std::vector<CorpusKey> keys = declare();
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
      fail("{}: {}.languages: two are needed, [source, target], not {}", from.place.text(), key,
           corpus.languages.size());
    }
  }
  to = std::move(corpora);
}

std::string write_value(const CorpusConfig& corpus) {
  static const CorpusConfig untouched;
  std::string text = "{";
  for (const CorpusKey& key : corpus_keys()) {
    const std::string value = key.write(corpus);
    const bool says_something =
        value != key.write(untouched) || (is_toy(corpus) && key.name == "seed");
    if (!says_something || !key.idle(corpus).empty()) continue;
    text += fmt::format("{}{}: {}", text.size() > 1 ? ", " : "", key.name, value);
  }
  return text + "}";
}

std::string write_value(const Corpora& corpora) {
  std::string text = "[";
  for (const CorpusConfig& corpus : corpora) {
    text += (text.size() > 1 ? ", " : "") + write_value(corpus);
  }
  return text + "]";
}

std::string allowed_values(const Range&, const Corpora&) { return "a corpus or a list of them"; }

}  // namespace calque
