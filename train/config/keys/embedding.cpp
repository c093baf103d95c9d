// The keys of model.embeddings, a small map.
#include "core/error.h"
#include "train/config/schema.h"
#include "train/config/small_map.h"

namespace calque {
namespace {

using Embeddings = EmbeddingConfig;

std::vector<EmbeddingKey> declare_embedding_keys() {
  std::vector<EmbeddingKey> table;
  Section in(
      "", [](auto& embeddings) -> auto& { return embeddings; }, table);
  constexpr OnResume fixed = OnResume::harmful;
  in.key("source", &Embeddings::source, {}, fixed,
         "A file of word vectors for the embedding table of the source language, or for the only "
         "table. Their dimension must be d_model. Only a new run reads the file.");
  in.key("target", &Embeddings::target, {}, fixed,
         "The same for the target language of task: translation. With model.tied: all, it fills "
         "the rows of the shared table for which source has no vector.");
  in.key("freeze", &Embeddings::freeze, {}, fixed,
         "Excludes the tables that start from a file from training: all of their rows, and an "
         "output projection that is tied to one of them.");
  return table;
}

}  // namespace

const std::vector<EmbeddingKey>& embedding_keys() {
  static const std::vector<EmbeddingKey> keys = declare_embedding_keys();
  return keys;
}

void read_value(const YamlValue& from, std::string_view key, const Range& range,
                EmbeddingConfig& to) {
  if (from.kind != YamlValue::Kind::map) refuse_value(from, key, allowed_values(range, to));
  EmbeddingConfig embeddings;
  read_small_map(from, key, embedding_keys(), embeddings);
  if (!from.entries.empty() && embeddings.source.empty() && embeddings.target.empty()) {
    fail("{}: {}: needs source or target, a file of word vectors", from.place.text(), key);
  }
  to = embeddings;
}

std::string write_value(const EmbeddingConfig& embeddings) {
  return embeddings == EmbeddingConfig() ? "{}" : write_small_map(embedding_keys(), embeddings);
}

std::string allowed_values(const Range&, const EmbeddingConfig&) {
  return "a map such as {source: vectors.txt, freeze: true}";
}

}  // namespace calque
