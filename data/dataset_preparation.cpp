#include "data/dataset_preparation.h"

#include "core/error.h"
#include "data/utf8.h"

namespace calque {

void DatasetPreparation::add(std::span<const std::string_view> texts,
                             std::span<const std::span<const int32_t>> ids, int64_t line,
                             Verdict verdict, const std::function<std::string(int column)>& where) {
  if (verdict.drop == Drop::none && is_duplicate(texts)) verdict = {Drop::duplicate, 0};
  if (verdict.drop != Drop::none) return dataset_.drops.add(verdict.drop, where(verdict.column));
  DatasetPart& part = dataset_.parts.back();
  writer_.append(ids, part.first_line + line);
  ++part.examples;
  for (size_t column = 0; column < texts.size(); ++column) {
    dataset_.sizes[column].characters += count_code_points(texts[column]);
    dataset_.sizes[column].bytes += std::ssize(texts[column]);
  }
}

bool DatasetPreparation::is_duplicate(std::span<const std::string_view> texts) {
  if (!drop_duplicates_) return false;
  ContentHash hash;
  for (const std::string_view text : texts) hash.add_text(text);
  return !seen_.insert(hash.value());
}

Dataset DatasetPreparation::finish() {
  const DatasetPart& last = dataset_.parts.back();
  if (last.first_example + last.examples == 0) {
    fail("{}: none of {} {}s is left after filtering: {}", dataset_.parts.front().name,
         dataset_.lines(), dataset_.noun,
         dataset_.drops.text(static_cast<int>(dataset_.sizes.size())));
  }
  dataset_.tokens = std::make_shared<const TokenStore>(writer_.finish(notes_of(dataset_)));
  return std::move(dataset_);
}

void require_weight(const CorpusShare& share, const std::string& name) {
  if (!(share.weight > 0)) fail("{}: the weight {} is not above 0", name, share.weight);
}

}  // namespace calque
