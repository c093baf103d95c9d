#include "train/tasks/run_tokenizers.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/error.h"
#include "data/files/content_hash.h"
#include "train/storage/checkpoints.h"

namespace calque {
namespace {

class TokenizerFolder {
 public:
  TokenizerFolder(const Config& config, const RunFolder& run,
                  const std::vector<TokenizerSlot>& slots)
      : config_(config), run_(run), slots_(slots) {}

  std::vector<Tokenizer> make() const {
    if (!config_.tokenizer.files.empty()) return read(config_.tokenizer.files);
    std::vector<Tokenizer> made;
    for (const TokenizerSlot& slot : slots_) made.push_back(slot.train());
    return made;
  }

  std::vector<Tokenizer> load() const {
    std::vector<std::string> files;
    for (const TokenizerSlot& slot : slots_) files.push_back(file_of(slot));
    return read(files);
  }

  bool complete() const {
    return std::ranges::all_of(
        slots_, [&](const TokenizerSlot& slot) { return std::filesystem::exists(file_of(slot)); });
  }

  // Removes the run's tokenizer files, which may be of another kind, and saves `made`.
  void replace(const std::vector<Tokenizer>& made) const {
    for (const auto& entry : std::filesystem::directory_iterator(run_.path)) {
      if (entry.path().filename().string().starts_with("tokenizer.")) {
        std::error_code ignored;
        std::filesystem::remove(entry.path(), ignored);
      }
    }
    for (size_t i = 0; i < slots_.size(); ++i) made[i].save(prefix_of(slots_[i]));
  }

  // Saves those of `made` whose file is missing. Throws an Error if the hash of `made` is not
  // `hash`.
  void restore(const std::vector<Tokenizer>& made, const std::string& hash) const {
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (std::filesystem::exists(file_of(slots_[i]))) continue;
      if (hash_of(made) != hash) {
        fail(
            "{}: is missing, and training it again gives another tokenizer than the checkpoint's; "
            "restore the file, or start over with --fresh",
            file_of(slots_[i]));
      }
      made[i].save(prefix_of(slots_[i]));
    }
  }

 private:
  std::string prefix_of(const TokenizerSlot& slot) const { return run_.tokenizer() + slot.ending; }
  std::string file_of(const TokenizerSlot& slot) const {
    return Tokenizer::file_name(prefix_of(slot), tokenizer_options(config_).kind);
  }

  std::vector<Tokenizer> read(const std::vector<std::string>& files) const {
    std::vector<Tokenizer> tokenizers;
    for (const std::string& file : files) {
      tokenizers.push_back(Tokenizer::load(file, tokenizer_options(config_)));
    }
    return tokenizers;
  }

  const Config& config_;
  const RunFolder& run_;
  const std::vector<TokenizerSlot>& slots_;
};

}  // namespace

std::vector<Tokenizer> open_tokenizers(const Config& config, const RunFolder& run,
                                       const TaskStart& start,
                                       const std::vector<TokenizerSlot>& slots) {
  const TokenizerFolder folder(config, run, slots);
  switch (start.purpose) {
    case TaskStart::Purpose::begin:
      folder.replace(folder.make());
      return folder.load();
    case TaskStart::Purpose::resume:
      if (!folder.complete()) folder.restore(folder.make(), start.tokenizer_hash);
      return folder.load();
    case TaskStart::Purpose::plan:
      // Training a run without a checkpoint replaces its tokenizer files.
      if (Checkpoints(real_files(), run.path).steps().empty()) return folder.make();
      return folder.complete() ? folder.load() : folder.make();
    case TaskStart::Purpose::use:
      break;
  }
  return folder.load();
}

std::string hash_of(const std::vector<Tokenizer>& tokenizers) {
  std::string text = hexadecimal(tokenizers.front().hash());
  for (const Tokenizer& tokenizer : tokenizers) {
    if (tokenizer.hash() != tokenizers.front().hash()) text += hexadecimal(tokenizer.hash());
  }
  return text;
}

TokenizerOptions tokenizer_options(const Config& config) {
  return {config.tokenizer.kind, config.data.lowercase, config.data.nfkc};
}

TokenizerTraining tokenizer_training(const TokenizerConfig& tokenizer) {
  return {static_cast<int32_t>(tokenizer.vocabulary_size), tokenizer.minimum_count,
          tokenizer.character_coverage, tokenizer.byte_fallback};
}

Tokenizer trained_tokenizer(const Config& config, std::vector<std::string> texts,
                            const TokenizerTraining& training) {
  try {
    return train_tokenizer(std::move(texts), tokenizer_options(config), training);
  } catch (const Error& error) {
    fail("{} (tokenizer.vocabulary_size is {}, tokenizer.character_coverage {})", error.what(),
         config.tokenizer.vocabulary_size, config.tokenizer.character_coverage);
  }
}

}  // namespace calque
