#include "cli/tasks/split_corpora.h"

#include "core/error.h"
#include "train/tasks/data_settings.h"

namespace calque {
namespace {

std::vector<CorpusOfSplit> find_corpora(const DataConfig& data, const std::string& split) {
  using Split = CorpusConfig::Split;
  const auto list = [](const Corpora& corpora, Split part, const std::string& only) {
    std::vector<CorpusOfSplit> chosen;
    for (const CorpusConfig& corpus : corpora) {
      if (only.empty() || corpus_name(corpus) == only) chosen.push_back({corpus, part});
    }
    return chosen;
  };
  if (split == "train") return list(data.train, Split::train, "");
  if (split == "validation") return list(data.validation, Split::validation, "");
  std::vector<CorpusOfSplit> named = list(data.test, Split::test, split);
  if (named.empty() && split == "test") named = list(data.test, Split::test, "");
  return named;
}

}  // namespace

std::vector<CorpusOfSplit> corpora_of_split(const Config& config, const std::string& split,
                                            const std::string& files) {
  const DataConfig& data = config.data;
  std::vector<CorpusOfSplit> found = find_corpora(data, split);
  if (!found.empty()) return found;
  std::string known = "train";
  if (!data.validation.empty()) known += ", validation";
  if (!data.test.empty()) known += ", test";
  for (const CorpusConfig& corpus : data.test) {
    if (corpus_name(corpus) != "test") known += ", " + corpus_name(corpus);
  }
  fail("--split {}: the run's config has no such corpus; give {}, or a split that it has: {}",
       split, files, known);
}

}  // namespace calque
