#include "train/tasks/masked_lm/windows.h"

#include "data/tokenizers/vocabulary.h"

namespace calque {

Masking masking_of(const Config& config, const Tokenizer& tokenizer) {
  Masking masking{.share = config.data.mask_share,
                  .seed = static_cast<uint64_t>(config.training.seed),
                  .vocabulary = tokenizer.size()};
  if (config.data.whole_words) masking.begins_word = word_beginnings(tokenizer);
  return masking;
}

void MaskedWindows::read(int64_t epoch, int64_t window, std::vector<int32_t>& ids,
                         std::vector<int32_t>& expected) const {
  std::vector<int32_t> inputs;
  windows_.read(epoch, window, inputs, ids);
  ids.insert(ids.begin(), begin_id);
  expected = mask_tokens(ids, masking_, epoch, window);
}

}  // namespace calque
