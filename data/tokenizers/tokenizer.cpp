#include "data/tokenizers/tokenizer.h"

#include <algorithm>

#include "core/error.h"
#include "data/files/content_hash.h"
#include "data/files/file.h"
#include "data/text/lowercase.h"
#include "data/text/nfkc.h"

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

uint64_t hash_of(const WordPieceModel& model, const TokenizerOptions&) {
  ContentHash hash;
  hash.add_text("WordPiece").add(model.uncased);
  for (int32_t id = 0; id < model.size(); ++id) hash.add_text(model.symbol(id));
  return hash.value();
}

uint64_t hash_of(const BytePairModel& model, const TokenizerOptions& options) {
  return ContentHash()
      .add_text("byte pairs")
      .add(options.lowercase)
      .add_text(model.listing())
      .value();
}

uint64_t hash_of(const ByteModel&, const TokenizerOptions& options) {
  return ContentHash().add_text("bytes").add(options.lowercase).value();
}

uint64_t hash_of(const SentencePieceModel& model, const TokenizerOptions& options) {
  ContentHash hash;
  hash.add_text("pieces").add(options.lowercase).add_text(model.bytes());
  // Without lower case, SentencePiece normalizes by the model's own rules alone.
  if (options.lowercase && !options.nfkc) hash.add_text("no NFKC before lower case");
  return hash.value();
}

}  // namespace

Tokenizer::Tokenizer() : Tokenizer(SymbolModel{}, {.kind = TokenizerKind::words}) {}

Tokenizer::Tokenizer(Model model, const TokenizerOptions& options) : options_(options) {
  hash_ = std::visit([&](const auto& own) { return hash_of(own, options); }, model);
  newline_ = std::visit([](const auto& own) { return own.newline_id(); }, model);
  model_ = std::make_shared<const Model>(std::move(model));
}

Tokenizer Tokenizer::load(const std::string& path, const TokenizerOptions& options) {
  if (options.kind == TokenizerKind::bytes) return {ByteModel::load(path), options};
  if (is_sentence_piece(options.kind)) {
    return {SentencePieceModel(read_file(path, largest_model), path), options};
  }
  if (options.kind == TokenizerKind::word_piece) {
    return {WordPieceModel{Vocabulary::load(path), options.lowercase}, options};
  }
  if (options.kind == TokenizerKind::byte_pairs) return {BytePairModel::load(path), options};
  return {SymbolModel{unit_of(options.kind), Vocabulary::load(path)}, options};
}

std::string Tokenizer::file_name(const std::string& prefix, TokenizerKind kind) {
  return prefix + (is_sentence_piece(kind) ? ".model" : ".vocab");
}

void Tokenizer::save(const std::string& prefix) const {
  if (const BytePairModel* pairs = byte_pairs()) {
    return write_file(prefix + ".vocab", pairs->listing());
  }
  std::string listing;
  for (int32_t id = 0; id < size(); ++id) {
    listing += symbol(id);
    if (const auto* subwords = sentence_piece()) {
      listing += fmt::format("\t{}", subwords->score(id));
    }
    listing += '\n';
  }
  write_file(prefix + ".vocab", listing);
  if (const auto* subwords = sentence_piece()) write_file(prefix + ".model", subwords->bytes());
}

std::string prepare_text(std::string_view text, const TokenizerOptions& options) {
  // WordPiece models normalize by themselves.
  if (options.kind == TokenizerKind::word_piece) return std::string(text);
  // SentencePiece applies NFKC itself. But lower case must come after NFKC, which turns "№" into
  // "No".
  const bool bytes =
      options.kind == TokenizerKind::bytes || options.kind == TokenizerKind::byte_pairs;
  const bool fold =
      options.nfkc && !bytes && (options.lowercase || !is_sentence_piece(options.kind));
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
  require_known(ids);
  std::string text = std::visit([&](const auto& model) { return model.decode(ids); }, *model_);
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
  return text;
}

void Tokenizer::require_known(std::span<const int32_t> ids) const {
  for (const int32_t id : ids) {
    if (id < 0 || id >= size()) fail("id {} is outside the vocabulary of {} symbols", id, size());
  }
}

void Tokenizer::encode_line(std::string_view text, std::vector<int32_t>& out) const {
  const std::string ready = prepare_text(text, options_);
  std::visit([&](const auto& model) { model.encode_line(ready, out); }, *model_);
}

void Tokenizer::encode_document(std::string_view text, std::vector<int32_t>& out) const {
  if (byte_pairs() || (newline_ && !divides_at_line_ends())) return encode(text, out);
  if (!newline_) {
    std::string one_line(text);
    std::ranges::replace(one_line, '\n', ' ');
    return encode_line(one_line, out);
  }
  bool first = true;
  for_each_line(text, [&](std::string_view line) {
    if (!first) out.push_back(*newline_);
    first = false;
    encode_line(line, out);
  });
}

std::vector<int32_t> Tokenizer::encode_document(std::string_view text) const {
  std::vector<int32_t> ids;
  encode_document(text, ids);
  return ids;
}

std::string Tokenizer::decode_document(std::span<const int32_t> ids) const {
  require_known(ids);
  return std::visit([&](const auto& model) { return model.decode_document(ids); }, *model_);
}

std::string Tokenizer::normalize(std::string_view text) const {
  const std::string ready = prepare_text(text, options_);
  return std::visit([&](const auto& model) { return model.normalize(ready); }, *model_);
}

int32_t Tokenizer::size() const {
  return std::visit([](const auto& model) { return model.size(); }, *model_);
}

std::string Tokenizer::symbol(int32_t id) const {
  require_known({&id, 1});
  return std::visit([&](const auto& model) { return model.symbol(id); }, *model_);
}

std::optional<int32_t> Tokenizer::find(std::string_view wanted) const {
  for (int32_t id = 0; id < size(); ++id) {
    if (symbol(id) == wanted) return id;
  }
  return std::nullopt;
}

std::string Tokenizer::spelling(int32_t id) const {
  require_known({&id, 1});
  if (id < special_ids) return "";
  return std::visit([&](const auto& model) { return model.spelling(id); }, *model_);
}

}  // namespace calque
