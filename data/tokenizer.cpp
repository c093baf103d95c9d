#include "data/tokenizer.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "data/content_hash.h"
#include "data/file.h"
#include "data/lowercase.h"
#include "data/nfkc.h"

namespace calque {
namespace {

constexpr int64_t largest_model = 256 << 20;

SymbolUnit unit_of(TokenizerKind kind) {
  return kind == TokenizerKind::words ? SymbolUnit::word : SymbolUnit::character;
}

uint64_t hash_of(const SymbolModel& model, const TokenizerOptions& options) {
  ContentHash hash;
  hash.add_text("symbols").add(model.unit).add(options.lowercase).add(options.nfkc);
  for (int32_t id = 0; id < model.vocabulary.size(); ++id) {
    hash.add_text(model.vocabulary.symbol(id));
  }
  return hash.value();
}

uint64_t hash_of(const SentencePieceModel& model, const TokenizerOptions& options) {
  ContentHash hash;
  hash.add_text("pieces").add(options.lowercase).add_text(model.bytes());
  // Without lower case it is SentencePiece that folds, by the model's own rules.
  if (options.lowercase && !options.nfkc) hash.add_text("no NFKC before lower case");
  return hash.value();
}

}  // namespace

Tokenizer::Tokenizer() : Tokenizer(SymbolModel{}, {.kind = TokenizerKind::words}) {}

Tokenizer::Tokenizer(SymbolModel model, const TokenizerOptions& options)
    : options_(options), hash_(hash_of(model, options)) {
  model_ = std::make_shared<const std::variant<SymbolModel, SentencePieceModel>>(std::move(model));
}

Tokenizer::Tokenizer(SentencePieceModel model, const TokenizerOptions& options)
    : options_(options), hash_(hash_of(model, options)) {
  model_ = std::make_shared<const std::variant<SymbolModel, SentencePieceModel>>(std::move(model));
}

Tokenizer Tokenizer::load(const std::string& path, const TokenizerOptions& options,
                          std::optional<uint64_t> expected) {
  Tokenizer tokenizer =
      is_sentence_piece(options.kind)
          ? Tokenizer(SentencePieceModel(read_file(path, largest_model), path), options)
          : Tokenizer(SymbolModel{unit_of(options.kind), Vocabulary::load(path)}, options);
  if (expected && tokenizer.hash() != *expected) {
    fail(
        "{}: not the vocabulary that the model was trained with (hash {:016x}, the model's {:016x})"
        "; put the one of its run folder there",
        path, tokenizer.hash(), *expected);
  }
  return tokenizer;
}

std::string Tokenizer::file_name(const std::string& prefix, TokenizerKind kind) {
  return prefix + (is_sentence_piece(kind) ? ".model" : ".vocab");
}

void Tokenizer::save(const std::string& prefix) const {
  if (const auto* symbols = std::get_if<SymbolModel>(model_.get())) {
    write_file(prefix + ".vocab", symbols->vocabulary.file_text());
    return;
  }
  const auto& pieces = std::get<SentencePieceModel>(*model_);
  std::string listing;
  for (int32_t id = 0; id < pieces.size(); ++id) {
    listing += fmt::format("{}\t{}\n", pieces.piece(id), pieces.score(id));
  }
  write_file(prefix + ".vocab", listing);
  write_file(prefix + ".model", pieces.bytes());
}

std::string prepare_text(std::string_view text, const TokenizerOptions& options) {
  // SentencePiece does it itself, but only then, where lower case has to come after: NFKC makes
  // capitals, of "№" and the like.
  const bool fold = options.nfkc && (options.lowercase || !is_sentence_piece(options.kind));
  std::string out = fold ? nfkc(text) : std::string(text);
  return options.lowercase ? lowercase(out) : out;
}

void Tokenizer::encode(std::string_view text, std::vector<int32_t>& out) const {
  const std::string ready = prepare_text(text, options_);
  std::visit([&](const auto& model) { model.encode(ready, out); }, *model_);
}

std::vector<int32_t> Tokenizer::encode(std::string_view text) const {
  std::vector<int32_t> ids;
  encode(text, ids);
  return ids;
}

std::string Tokenizer::decode(std::span<const int32_t> ids) const {
  for (const int32_t id : ids) {
    if (id < 0 || id >= size()) fail("id {} is outside the vocabulary of {} symbols", id, size());
  }
  std::string text = std::visit([&](const auto& model) { return model.decode(ids); }, *model_);
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
  return text;
}

std::string Tokenizer::normalize(std::string_view text) const {
  const std::string ready = prepare_text(text, options_);
  if (const auto* pieces = std::get_if<SentencePieceModel>(model_.get())) {
    return pieces->normalize(ready);
  }
  return collapse_spaces(ready);
}

int32_t Tokenizer::size() const {
  if (const auto* symbols = std::get_if<SymbolModel>(model_.get())) {
    return symbols->vocabulary.size();
  }
  return std::get<SentencePieceModel>(*model_).size();
}

std::string Tokenizer::symbol(int32_t id) const {
  if (id < 0 || id >= size()) fail("id {} is outside the vocabulary of {} symbols", id, size());
  if (const auto* symbols = std::get_if<SymbolModel>(model_.get())) {
    return symbols->vocabulary.symbol(id);
  }
  return std::get<SentencePieceModel>(*model_).piece(id);
}

}  // namespace calque
