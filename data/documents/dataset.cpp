#include "data/documents/dataset.h"

#include <algorithm>

#include "core/error.h"
#include "core/threads/ordered_chunks.h"
#include "data/datasets/preparation.h"
#include "data/text/utf8.h"

namespace calque {
namespace {

// Increase it when the same input gives other ids or another choice of documents.
constexpr int document_preparation_version = 2;

constexpr int64_t documents_at_once = 1 << 14, document_bytes_at_once = 8 << 20;
constexpr int64_t documents_per_chunk = 64, slices_per_chunk = 16;
constexpr size_t slice_size = 64 << 10;  // bytes

uint64_t key_of(const std::vector<DocumentSource>& sources, const Tokenizer& tokenizer,
                const DocumentOptions& options) {
  ContentHash hash;
  hash.add_text("documents").add(document_preparation_version).add(tokenizer.hash());
  hash.add(options.drop_duplicates).add(options.invalid);
  for (const DocumentSource& source : sources) hash.add(content_hash(source));
  return hash.value();
}

// Consecutive documents.
struct DocumentBlock {
  std::vector<std::string> texts;
  std::vector<Drop> drops;
};

// Lines of a document that are tokenized together.
struct Slice {
  size_t document;
  std::string_view text;
  std::vector<int32_t> ids = {};
};

// The end of the block that begins with document `first` and holds at least one document.
int64_t block_end(const Documents& documents, int64_t first) {
  const int64_t limit = std::min(documents.count(), first + documents_at_once);
  int64_t bytes = 0, end = first;
  while (end < limit && (end == first || bytes + documents.bytes(end) <= document_bytes_at_once)) {
    bytes += documents.bytes(end++);
  }
  return end;
}

DocumentBlock read_block(const Documents& documents, int64_t first, int64_t end,
                         InvalidText invalid) {
  DocumentBlock block{.texts = std::vector<std::string>(end - first),
                      .drops = std::vector<Drop>(end - first)};
  parallel_chunks(end - first, documents_per_chunk, [&](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) {
      std::string text = documents.text(first + i);
      Drop& drop = block.drops[i];
      drop = check_text(text);
      if (drop == Drop::none) {
        block.texts[i] = std::move(text);
      } else if (invalid == InvalidText::error) {
        fail("{}; fix the line or set data.invalid_utf8: skip", documents.problem(first + i));
      }
    }
  });
  return block;
}

// Cuts a long text at line ends if the tokenizer has a newline id.
void add_slices(size_t document, std::string_view text, bool divisible,
                std::vector<Slice>& slices) {
  while (divisible && text.size() > slice_size) {
    const size_t cut = text.find('\n', slice_size);
    if (cut == text.npos) break;
    slices.push_back({document, text.substr(0, cut)});
    text.remove_prefix(cut + 1);
  }
  slices.push_back({document, text});
}

// The ids of each document of a block; empty for those that are dropped.
std::vector<std::vector<int32_t>> tokenize(const DocumentBlock& block, const Tokenizer& tokenizer) {
  std::vector<Slice> slices;
  for (size_t i = 0; i < block.texts.size(); ++i) {
    add_slices(i, block.texts[i], tokenizer.divides_at_line_ends(), slices);
  }
  parallel_chunks(std::ssize(slices), slices_per_chunk, [&](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) {
      Slice& slice = slices[i];
      tokenizer.encode_document(slice.text, slice.ids);
    }
  });
  std::vector<std::vector<int32_t>> ids(block.texts.size());
  size_t previous = block.texts.size();
  for (Slice& slice : slices) {
    std::vector<int32_t>& out = ids[slice.document];
    if (slice.document == previous) {
      out.push_back(*tokenizer.newline_id());
      out.insert(out.end(), slice.ids.begin(), slice.ids.end());
    } else {
      out = std::move(slice.ids);
    }
    previous = slice.document;
  }
  return ids;
}

void add_documents(const Documents& documents, const Tokenizer& tokenizer, InvalidText invalid,
                   DatasetPreparation& preparation) {
  for (int64_t first = 0; first < documents.count();) {
    const int64_t end = block_end(documents, first);
    const DocumentBlock block = read_block(documents, first, end, invalid);
    const std::vector<std::vector<int32_t>> ids = tokenize(block, tokenizer);
    for (size_t i = 0; i < ids.size(); ++i) {
      const std::string_view text = block.texts[i];
      const std::span<const int32_t> own = ids[i];
      Drop drop = block.drops[i];
      if (drop == Drop::none && own.empty()) drop = Drop::empty;
      const int64_t line = first + static_cast<int64_t>(i);
      preparation.add({&text, 1}, {&own, 1}, line, {drop, 0},
                      [&](int) { return documents.where(line); });
    }
    first = end;
  }
}

}  // namespace

Dataset load_documents(const std::vector<DocumentSource>& sources, const Tokenizer& tokenizer,
                       const DocumentOptions& options) {
  require(!sources.empty(), "load_documents: no sources");
  const CacheKey key{
      .key = key_of(sources, tokenizer, options), .columns = 1, .vocabulary = tokenizer.size()};
  return load_sources(sources, options.cache_folder, key, "document", options.drop_duplicates,
                      [&](const DocumentSource& source, DatasetPreparation& preparation) {
                        const Documents documents(source);
                        preparation.begin_part(documents.name(), documents.count());
                        add_documents(documents, tokenizer, options.invalid, preparation);
                      });
}

}  // namespace calque
