#include "train/tasks/translation/text_search.h"

#include "data/terms/term_marks.h"
#include "train/tasks/translation/context.h"
#include "train/tasks/translation/settings.h"

namespace calque {
namespace {

using Ids = std::vector<int32_t>;

// Sources to search again, each with what its translation must have.
struct SecondSearch {
  std::vector<size_t> numbers;
  std::vector<Ids> sources, prefixes;
  std::vector<std::shared_ptr<const RequiredPhrases>> required;
};

SecondSearch lacking_terms(const Tokenizers& tokenizers, const TextSearch& how,
                           std::span<const FoundTranslations> found,
                           std::span<const Ids> prefixes) {
  SecondSearch second;
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].source_ends.size() != 1) continue;  // empty, or in parts
    std::string source = tokenizers.source.decode(found[i].source);
    if (how.preceding > 0) source = sentence_of(source);
    auto required = missing_terms(how.terms, tokenizers.target, without_term_marks(source),
                                  tokenizers.target.decode(found[i].best.front().ids));
    if (!required) continue;
    second.numbers.push_back(i);
    second.sources.push_back(found[i].source);
    if (!prefixes.empty()) second.prefixes.push_back(prefixes[i]);
    second.required.push_back(std::move(required));
  }
  return second;
}

// Puts the samples of least risk first, at most n_best of them.
void rank_samples(const Tokenizers& tokenizers, const TextSearch& how, FoundTranslations& found) {
  if (found.source.empty()) return;
  std::vector<std::string> texts;
  for (const Hypothesis& each : found.best) texts.push_back(tokenizers.target.decode(each.ids));
  std::vector<Hypothesis> best;
  std::vector<std::vector<size_t>> ends;
  for (const auto& [index, utility] : rank_by_risk(texts, how.utility)) {
    if (std::ssize(best) == how.n_best) break;
    best.push_back(std::move(found.best[index]));
    best.back().score = utility;
    ends.push_back(std::move(found.target_ends[index]));
  }
  found.best = std::move(best);
  found.target_ends = std::move(ends);
}

}  // namespace

TextSearch text_search(const DecodingConfig& decoding) {
  TextSearch search = translation_options(decoding);
  search.risk_samples = decoding.mbr;
  search.utility = decoding.mbr_metric;
  return search;
}

void limit_sources(const TranslationRun& run, TextSearch& search) {
  limit_sources(run, static_cast<TranslationOptions&>(search));
  search.preceding = run.config.data.preceding_sentences;
  const int64_t longest = run.config.data.max_length;
  const int64_t positions = run.model().learned_positions();
  search.longest_with_context = longest;
  if (positions > 0 && (longest == 0 || positions <= longest)) {
    search.longest_with_context = positions - 1;
  }
}

Ids source_tokens(const Tokenizers& tokenizers, const std::string& text, const TextSearch& how) {
  const auto encoded = [&](std::string_view context, const std::string& sentence) {
    return tokenizers.source.encode(std::string(context) + sentence);
  };
  if (how.preceding == 0) {
    return encoded("", with_terms(how.terms, tokenizers.source, text));
  }
  const std::string sentence =
      with_terms(how.terms, tokenizers.source, std::string(sentence_of(text)));
  std::string_view context = context_of(text);
  Ids ids = encoded(context, sentence);
  const int64_t longest = how.longest_with_context;
  while (longest > 0 && std::ssize(ids) > longest && !context.empty()) {
    context = shorter_context(context);
    ids = encoded(context, sentence);
  }
  return ids;
}

std::vector<FoundTranslations> search_sources(std::span<const Translator> models,
                                              const Tokenizers& tokenizers,
                                              std::vector<Ids> sources, const TextSearch& how,
                                              std::span<const Ids> prefixes, int64_t first_number,
                                              const std::function<void(int64_t)>& done) {
  TranslationOptions options = how;
  if (how.risk_samples > 0) {
    options.n_best = how.risk_samples;
    if (!options.sampling) options.sampling = Sampling();
  }
  std::vector<FoundTranslations> found =
      search_sources(models, tokenizers, std::move(sources), options, prefixes, first_number, done);
  if (how.risk_samples > 0) {
    for (FoundTranslations& each : found) rank_samples(tokenizers, how, each);
    options.n_best = how.n_best;
    options.sampling.reset();
  }
  if (!how.terms.forces || options.sampling) return found;
  SecondSearch second = lacking_terms(tokenizers, how, found, prefixes);
  if (second.sources.empty()) return found;
  options.required = &second.required;
  std::vector<FoundTranslations> again =
      search_sources(models, tokenizers, std::move(second.sources), options, second.prefixes);
  for (size_t i = 0; i < again.size(); ++i) {
    if (again[i].best.front().finished) found[second.numbers[i]] = std::move(again[i]);
  }
  return found;
}

std::vector<FoundTranslations> search_texts(std::span<const Translator> models,
                                            const Tokenizers& tokenizers,
                                            std::span<const std::string> texts,
                                            const TextSearch& how,
                                            std::span<const std::string> prefixes,
                                            int64_t first_number,
                                            const std::function<void(int64_t)>& done) {
  std::vector<Ids> sources, beginnings;
  for (const std::string& text : texts) sources.push_back(source_tokens(tokenizers, text, how));
  for (const std::string& text : prefixes) beginnings.push_back(tokenizers.target.encode(text));
  return search_sources(models, tokenizers, std::move(sources), how, beginnings, first_number,
                        done);
}

std::vector<std::string> translate_texts(std::span<const Translator> models,
                                         const Tokenizers& tokenizers,
                                         std::span<const std::string> texts, const TextSearch& how,
                                         const std::function<void(int64_t)>& done) {
  std::vector<std::string> translations;
  for (const FoundTranslations& found : search_texts(models, tokenizers, texts, how, {}, 0, done)) {
    translations.push_back(tokenizers.target.decode(found.best.front().ids));
  }
  return translations;
}

}  // namespace calque
