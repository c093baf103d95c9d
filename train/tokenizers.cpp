#include "train/tokenizers.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/random.h"
#include "data/bpe_dropout.h"
#include "data/content_hash.h"
#include "train/settings.h"

namespace calque {
namespace {

struct Place {
  std::string prefix;
  std::string file;
};

// One place if the tokeniser is joint, two if not.
std::vector<Place> places(const Config& config, const RunFolder& run) {
  const TokenizerKind kind = tokenizer_options(config).kind;
  const auto place = [&](const std::string& ending) {
    const std::string prefix = run.tokenizer() + ending;
    return Place{prefix, Tokenizer::file_name(prefix, kind)};
  };
  if (config.tokenizer.joint) return {place("")};
  return {place(".source"), place(".target")};
}

Tokenizers from_files(const Config& config, const std::vector<std::string>& files) {
  const TokenizerOptions options = tokenizer_options(config);
  Tokenizers tokenizers;
  tokenizers.source = Tokenizer::load(files.front(), options);
  tokenizers.target = files.size() > 1 ? Tokenizer::load(files.back(), options) : tokenizers.source;
  return tokenizers;
}

Tokenizers trained(const Config& config) {
  std::vector<Corpus> corpora;
  for (const CorpusSource& source :
       corpus_sources(config.data.train, config.data, CorpusConfig::Split::train)) {
    corpora.emplace_back(source);
  }
  const auto train = [&](const std::vector<Side>& sides) {
    std::vector<std::string> texts = sample_texts(corpora, sides, config.tokenizer.training_pairs,
                                                  static_cast<uint64_t>(config.training.seed));
    try {
      return train_tokenizer(std::move(texts), tokenizer_options(config),
                             tokenizer_training(config.tokenizer));
    } catch (const Error& error) {
      fail("{} (tokenizer.vocabulary_size is {}, tokenizer.character_coverage {})", error.what(),
           config.tokenizer.vocabulary_size, config.tokenizer.character_coverage);
    }
  };
  if (!config.tokenizer.joint) return {train({Side::source}), train({Side::target})};
  const Tokenizer joint = train({Side::source, Side::target});
  return {joint, joint};
}

}  // namespace

std::string Tokenizers::hash() const {
  std::string text = hexadecimal(source.hash());
  if (target.hash() != source.hash()) text += hexadecimal(target.hash());
  return text;
}

Tokenizers make_tokenizers(const Config& config) {
  return config.tokenizer.files.empty() ? trained(config)
                                        : from_files(config, config.tokenizer.files);
}

Tokenizers load_tokenizers(const Config& config, const RunFolder& run) {
  std::vector<std::string> files;
  for (const Place& place : places(config, run)) files.push_back(place.file);
  return from_files(config, files);
}

Tokenizers begin_tokenizers(const Config& config, const RunFolder& run) {
  const std::vector<Place> kept = places(config, run);
  const Tokenizers made = make_tokenizers(config);
  for (const char* ending : {"", ".source", ".target"}) {  // of another kind, maybe
    for (const char* file : {".model", ".vocab"}) {
      std::error_code not_there;
      std::filesystem::remove(run.tokenizer() + ending + file, not_there);
    }
  }
  made.source.save(kept.front().prefix);
  if (kept.size() > 1) made.target.save(kept.back().prefix);
  return load_tokenizers(config, run);
}

bool has_tokenizers(const Config& config, const RunFolder& run) {
  return std::ranges::all_of(
      places(config, run), [](const Place& place) { return std::filesystem::exists(place.file); });
}

Tokenizers resume_tokenizers(const Config& config, const RunFolder& run, const std::string& hash) {
  if (has_tokenizers(config, run)) return load_tokenizers(config, run);
  const std::vector<Place> kept = places(config, run);
  const Tokenizers made = make_tokenizers(config);
  for (const Place& place : kept) {
    if (std::filesystem::exists(place.file)) continue;
    if (made.hash() != hash) {
      fail(
          "{}: is gone, and what would be made in its place is not what the run's checkpoint was "
          "trained with; restore it, or train anew with --fresh",
          place.file);
    }
    (&place == &kept.front() ? made.source : made.target).save(place.prefix);
  }
  return load_tokenizers(config, run);
}

PairVariation pair_variation(const Config& config, const Tokenizers& tokenizers) {
  const double probability = config.tokenizer.bpe_dropout;
  if (probability == 0) return {};
  const auto dropout_of = [&](const Tokenizer& tokenizer) {
    const SentencePieceModel* model = tokenizer.sentence_piece();
    if (!model || !model->is_bpe()) {
      fail("tokenizer.bpe_dropout: the model of tokenizer.files is no BPE model, it has no merges");
    }
    return BpeDropout(*model, probability);
  };
  constexpr uint32_t source_use = 0x0da7a004, target_use = 0x0da7a005;
  const int64_t longest = config.data.max_length;
  const auto resegment = [longest](const BpeDropout& dropout, const Stream& stream,
                                   std::vector<int32_t>& ids) {
    std::vector<int32_t> other = ids;
    Random random(stream);
    dropout.resegment(other, random);
    if (longest == 0 || std::ssize(other) <= longest) ids = std::move(other);
  };
  return [=, seed = static_cast<uint64_t>(config.training.seed),
          source = dropout_of(tokenizers.source),
          target = dropout_of(tokenizers.target)](int64_t epoch, int64_t pair, TokenPair& tokens) {
    Stream stream{seed, static_cast<uint32_t>(epoch), static_cast<uint32_t>(pair), source_use};
    resegment(source, stream, tokens.source);
    stream.use = target_use;
    resegment(target, stream, tokens.target);
  };
}

}  // namespace calque
