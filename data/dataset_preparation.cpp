#include "data/dataset_preparation.h"

#include "core/error.h"
#include "data/utf8.h"

namespace calque {

void DatasetPreparation::begin_part(const std::string& name, int64_t lines) {
  DatasetPart part{.name = name, .lines = lines};
  if (!notes_.parts.empty()) {
    const DatasetPart& last = notes_.parts.back();
    part.first_example = last.first_example + last.examples;
    part.first_line = last.first_line + last.lines;
  }
  notes_.parts.push_back(std::move(part));
}

void DatasetPreparation::keep(std::span<const std::string_view> texts,
                              std::span<const std::span<const int32_t>> ids, int64_t line) {
  DatasetPart& part = notes_.parts.back();
  writer_.append(ids, part.first_line + line);
  ++part.examples;
  for (size_t column = 0; column < texts.size(); ++column) {
    notes_.sizes[column].characters += count_code_points(texts[column]);
    notes_.sizes[column].bytes += std::ssize(texts[column]);
  }
}

bool DatasetPreparation::is_duplicate(std::span<const std::string_view> texts) {
  if (!drop_duplicates_) return false;
  ContentHash hash;
  for (const std::string_view text : texts) hash.add_text(text);
  return !seen_.insert(hash.value());
}

Dataset DatasetPreparation::finish() {
  const DatasetPart& last = notes_.parts.back();
  if (last.first_example + last.examples == 0) {
    fail("{}: none of {} {} is left after filtering: {}", notes_.parts.front().name,
         last.first_line + last.lines, plural(noun_),
         notes_.drops.text(static_cast<int>(notes_.sizes.size())));
  }
  Dataset dataset;
  dataset.tokens = std::make_shared<const TokenStore>(writer_.finish(to_text(notes_)));
  dataset.parts = std::move(notes_.parts);
  dataset.drops = std::move(notes_.drops);
  dataset.sizes = std::move(notes_.sizes);
  return dataset;
}

void require_weight(const CorpusShare& share, const std::string& name) {
  if (!(share.weight > 0)) fail("{}: the weight {} is not above 0", name, share.weight);
}

}  // namespace calque
