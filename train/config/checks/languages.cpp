#include "train/config/checks/languages.h"

#include <algorithm>
#include <cctype>

#include "train/config/language_pairs.h"
#include "train/config/tasks.h"

namespace calque {
namespace {

// Part of a token and of the command line.
bool is_code(const std::string& language) {
  return !language.empty() && std::ranges::all_of(language, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_';
  });
}

void check_pair(const CorpusConfig& corpus, const std::string& key, Contradictions& all) {
  if (corpus.languages.size() != 2) {
    blame(all, key,
          "data.multilingual needs the languages of each corpus, such as "
          "languages: [en, de]");
    return;
  }
  for (const std::string& language : corpus.languages) {
    if (is_code(language)) continue;
    blame(all, key, "languages: '{}' must have letters, digits, - and _ alone", language);
  }
  if (corpus.languages[0] == corpus.languages[1]) {
    blame(all, key, "languages: [{}, {}] must be two different ones", corpus.languages[0],
          corpus.languages[1]);
  }
}

void check_targets(const Corpora& corpora, const std::vector<std::string>& known,
                   const std::string& key, Contradictions& all) {
  for (const std::string& target : target_languages(language_pairs(corpora))) {
    if (std::ranges::count(known, target) > 0) continue;
    blame(all, key, "no corpus of data.train translates into {}, only into {}", target,
          listed(known));
  }
}

void check_multilingual(const Config& config, Contradictions& all) {
  const DataConfig& data = config.data;
  const auto check = [&](const Corpora& corpora, const std::string& key) {
    for (const CorpusConfig& corpus : corpora) check_pair(corpus, key, all);
  };
  check(data.train, "data.train");
  check(data.validation, "data.validation");
  check(data.test, "data.test");
  const std::vector<std::string> known = target_languages(language_pairs(data.train));
  if (!known.empty()) {
    check_targets(data.validation, known, "data.validation", all);
    check_targets(data.test, known, "data.test", all);
  }
  const std::pair<const char*, bool> others[] = {
      {"data.back_translate", !data.back_translate.run.empty()},
      {"data.distill", !data.distill.run.empty()},
      {"data.terms", data.terms != TermTraining()},
      {"data.preceding_sentences", data.preceding_sentences > 0}};
  for (const auto& [key, is_set] : others) {
    if (is_set) blame(all, key, "cannot be combined with data.multilingual");
  }
  if (config.tokenizer.kind == TokenizerKind::bytes) {
    blame(all, "tokenizer.kind", "bytes have no token for a language; take sentencepiece-bpe");
  }
}

// The keys of a corpus that only a multilingual run has.
void check_single(const Corpora& corpora, const std::string& key, Contradictions& all) {
  for (const CorpusConfig& corpus : corpora) {
    const bool named = !corpus.prefix.empty() || !corpus.file.empty();
    if (!named && !corpus.languages.empty()) {
      blame(all, key, "languages needs a corpus given by prefix or file, or data.multilingual");
    }
    if (corpus.directions != CorpusConfig::Directions::forward) {
      blame(all, key, "directions: {} needs data.multilingual",
            name_of(corpus_directions, corpus.directions));
    }
  }
}

}  // namespace

void check_languages(const Config& config, Contradictions& all) {
  if (has(config, Feature::pairs) && config.data.multilingual) {
    return check_multilingual(config, all);
  }
  check_single(config.data.train, "data.train", all);
  check_single(config.data.validation, "data.validation", all);
  check_single(config.data.test, "data.test", all);
}

}  // namespace calque
