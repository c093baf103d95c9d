#include "train/tasks/translation/split_evaluation.h"

#include <initializer_list>

#include "train/tasks/translation/context.h"
#include "train/tasks/translation/settings.h"

namespace calque {
namespace {

// The pairs of the loss: those of a training set without filters, which has no pair with an empty
// side.
Dataset dataset_of(const TranslationRun& run, const CorpusSource& corpus) {
  const FilterOptions all = only_invalid_dropped(filter_options(run.config.data).invalid);
  return load_dataset({with_contexts_in_memory(corpus, run.config.data)},
                      {run.tokenizers.source, run.tokenizers.target}, {all, ""});
}

MeanLoss token_scores(const TranslationRun& run, const Dataset& dataset) {
  return mean_of(evaluate_tokens(run.model(), dataset, run.config.training));
}

// What was dropped for these reasons.
DropTally only(const DropTally& drops, std::initializer_list<Drop> reasons) {
  DropTally some;
  for (const Drop reason : reasons) {
    some.reasons[static_cast<size_t>(reason)] = drops.of(reason);
  }
  return some;
}

}  // namespace

std::vector<std::string> translate_split(const std::vector<TranslationRun>& runs,
                                         const ParallelTexts& texts, TextSearch how,
                                         const std::function<void(int64_t)>& done) {
  for (const TranslationRun& each : runs) {
    require_positions(texts, each.tokenizers.source, each.config.model);
  }
  limit_sources(runs.front(), how);  // as `calque translate`
  const Tokenizers& tokenizers = runs.front().tokenizers;
  std::vector<std::string> translations;
  for (const FoundTranslations& found :
       search_parallel(models_of(runs), tokenizers, texts, how, done)) {
    translations.push_back(tokenizers.target.decode(found.best.front().ids));
  }
  return translations;
}

SplitResult evaluate_corpus(const std::vector<TranslationRun>& runs, const std::string& name,
                            const CorpusSource& corpus, const TextSearch& how,
                            const BleuOptions& bleu_options,
                            const std::function<void(int64_t)>& done) {
  const TranslationRun& run = runs.front();
  SplitResult result;
  result.name = name;
  const Dataset dataset = dataset_of(run, corpus);
  for (const TranslationRun& each : runs) require_positions(dataset, each.config.model);
  result.skipped = only(dataset.drops, {Drop::invalid, Drop::nul, Drop::too_long});
  result.empty = only(dataset.drops, {Drop::empty});
  if (runs.size() == 1) result.tokens = token_scores(run, dataset);
  // Translations are scored on all lines, also on pairs with an empty side, as other programs score
  // a test set; so they are read a second time.
  ParallelTexts texts = read_texts({corpus}, 0, run.config.data);
  result.outputs = translate_split(runs, texts, how, done);
  result.pairs = static_cast<int64_t>(result.outputs.size());
  result.exact = exact_share(result.outputs, texts.references);
  const std::vector<std::vector<std::string>> one{texts.references};
  result.bleu = bleu(result.outputs, one, bleu_options);
  result.chrf = chrf(result.outputs, one, chrf_options(run.config));
  result.ter = ter(result.outputs, one);
  if (const auto& glossary = how.terms.glossary) {
    result.terms = count_terms(*glossary, texts.sources, result.outputs);
    result.reference_terms = count_terms(*glossary, texts.sources, texts.references);
  }
  result.sources = std::move(texts.sources);
  result.references = std::move(texts.references);
  return result;
}

std::string mean_text(const std::vector<SplitResult>& results) {
  if (results.size() < 2) return "";
  double bleu = 0, chrf = 0, ter = 0;
  for (const SplitResult& each : results) {
    bleu += each.bleu.score;
    chrf += each.chrf.score;
    ter += each.ter.score;
  }
  const auto count = static_cast<double>(results.size());
  return fmt::format("mean of {}: BLEU {:.2f}  chrF {:.2f}  TER {:.2f}\n", results.size(),
                     bleu / count, chrf / count, ter / count);
}

std::string to_text(const SplitResult& r, int64_t samples) {
  std::string text;
  const auto pairs = static_cast<int64_t>(r.outputs.size()), shown = std::min(samples, pairs);
  for (int64_t i = 0; i < shown; ++i) {
    const auto at = static_cast<size_t>(i * pairs / shown);
    text += fmt::format("  {}\n  = {}\n  {} {}\n\n", r.sources[at], r.references[at],
                        r.outputs[at] == r.references[at] ? ">" : "!", r.outputs[at]);
  }
  text += fmt::format("{}: {} pairs", r.name, r.pairs);
  if (r.skipped.total() > 0) text += fmt::format("; skipped: {}", r.skipped.text());
  text += '\n';
  if (r.tokens) {
    text += fmt::format("  loss {:.4f}  perplexity {:.3f}  token accuracy {:.2f}%", r.tokens->loss,
                        r.tokens->perplexity, 100 * r.tokens->accuracy);
    if (r.empty.total() > 0) {
      text += fmt::format("  on {} of the {} pairs; left out: {}", r.pairs - r.empty.total(),
                          r.pairs, r.empty.text());
    }
    text += '\n';
  }
  if (r.terms) {
    text += fmt::format("  terms: {}; of the references: {}\n", r.terms->text(),
                        r.reference_terms->text());
  }
  return text + fmt::format("  exact matches {:.2f}%\n  {}\n  {}\n  {}\n", 100 * r.exact,
                            r.bleu.text(2), r.chrf.text(2), r.ter.text(2));
}

}  // namespace calque
