#include "data/tokenizers/sentence_piece.h"

#include <fmt/ranges.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/error.h"
#include "data/files/text_lines.h"
#include "data/tokenizers/piece_model_check.h"
#include "data/tokenizers/sentence_list.h"
#include "data/tokenizers/vocabulary.h"

namespace calque {
namespace {

// The model's ids in the order of calque's ids; -1 for a special symbol that the model lacks.
std::vector<int32_t> ids_in_order(const sentencepiece::SentencePieceProcessor& processor) {
  const std::array special = {processor.unk_id(), processor.bos_id(), processor.eos_id()};
  std::vector<int32_t> order(special.begin(), special.end());
  for (int id = 0; id < processor.GetPieceSize(); ++id) {
    const bool other = std::ranges::find(special, id) == special.end();
    if (other && id != processor.pad_id()) order.push_back(id);
  }
  return order;
}

// The library's message without its source position.
std::string reason(const sentencepiece::util::Status& status) {
  const std::string text = status.ToString();
  const size_t bracket = text.rfind("] ");
  return bracket == text.npos ? text : text.substr(bracket + 2);
}

}  // namespace

SentencePieceModel::SentencePieceModel(std::string bytes, const std::string& name)
    : bytes_(std::move(bytes)) {
  const PieceModelReport report = check_piece_model(bytes_);
  if (report.fault) fail("{}: not a usable SentencePiece model: {}", name, *report.fault);
  auto processor = std::make_shared<sentencepiece::SentencePieceProcessor>();
  const auto status = processor->LoadFromSerializedProto(bytes_);
  if (!status.ok()) fail("{}: not a usable SentencePiece model: {}", name, reason(status));
  to_model_ = ids_in_order(*processor);
  from_model_.assign(processor->GetPieceSize(), unknown_id);
  for (int32_t id = 0; id < size(); ++id) {
    if (to_model_[id] >= 0) from_model_[to_model_[id]] = id;
  }
  bpe_ = report.bpe;
  for (const int32_t id : to_model_) found_.push_back(id >= 0 && report.found[id]);
  processor_ = std::move(processor);
}

std::string SentencePieceModel::piece(int32_t id) const {
  if (id >= special_ids) return processor_->IdToPiece(to_model_[id]);
  const int32_t taken = from_model_[processor_->PieceToId(special_symbols[id])];
  return std::string(taken < special_ids ? special_symbols[id]
                                         : processor_->IdToPiece(to_model_[id]));
}

std::string SentencePieceModel::symbol(int32_t id) const {
  const std::string own = piece(id);
  return own == "\n" ? std::string(newline_symbol) : own;
}

std::string SentencePieceModel::spelling(int32_t id) const {
  const std::string own = piece(id);
  if (is_control(id) || processor_->IsUnused(to_model_[id])) return "";
  if (processor_->IsByte(to_model_[id])) {  // such as <0x0A>
    return {static_cast<char>(std::stoi(own.substr(3, 2), nullptr, 16))};
  }
  std::string text;
  for (size_t at = 0; at < own.size();) {
    const size_t mark = std::min(own.find(space_mark, at), own.size());
    text += own.substr(at, mark - at);
    if (mark < own.size()) text += ' ';
    at = mark + space_mark.size();
  }
  return text;
}

bool SentencePieceModel::is_control(int32_t id) const {
  return to_model_[id] >= 0 && processor_->IsControl(to_model_[id]);
}

bool SentencePieceModel::is_user_defined(int32_t id) const {
  const bool plain = is_found(id) || is_control(id) || to_model_[id] < 0;
  if (plain || to_model_[id] == processor_->unk_id()) return false;
  return !processor_->IsByte(to_model_[id]) && !processor_->IsUnused(to_model_[id]);
}

float SentencePieceModel::score(int32_t id) const {
  return to_model_[id] < 0 ? 0 : processor_->GetScore(to_model_[id]);
}

void SentencePieceModel::encode(std::string_view text, std::vector<int32_t>& out) const {
  if (text.find('\0') != text.npos) fail("SentencePiece: the text holds a NUL");
  std::vector<int> ids;
  const auto status = processor_->Encode(text, &ids);
  if (!status.ok()) fail("SentencePiece: {}", reason(status));
  out.reserve(out.size() + ids.size());
  for (const int id : ids) out.push_back(from_model_[id]);
}

std::string SentencePieceModel::decode(std::span<const int32_t> ids) const {
  std::vector<int> model_ids;
  model_ids.reserve(ids.size());
  for (const int32_t id : ids) {
    if (id != begin_id && id != end_id) model_ids.push_back(to_model_[id]);
  }
  std::string text;
  const auto status = processor_->Decode(model_ids, &text);
  if (!status.ok()) fail("SentencePiece: {}", reason(status));
  return text;
}

// Decodes line by line, because the library drops the space only before the first piece of a text.
std::string SentencePieceModel::decode_document(std::span<const int32_t> ids) const {
  const std::optional<int32_t> newline = newline_id();
  std::string text;
  for (auto begin = ids.begin();;) {
    const auto end = newline ? std::find(begin, ids.end(), *newline) : ids.end();
    text += decode({begin, end});
    if (end == ids.end()) return text;
    text += '\n';
    begin = end + 1;
  }
}

std::optional<int32_t> SentencePieceModel::newline_id() const {
  for (const char* piece : {"\n", "<0x0A>"}) {
    const int id = processor_->PieceToId(piece);
    if (id != processor_->unk_id() && from_model_[id] != unknown_id) return from_model_[id];
  }
  return std::nullopt;
}

bool SentencePieceModel::joins_line_ends() const {
  return processor_->PieceToId("\n\n") != processor_->unk_id();
}

std::string SentencePieceModel::normalize(std::string_view text) const {
  if (text.find('\0') != text.npos) fail("SentencePiece: the text holds a NUL");
  std::vector<std::string> pieces;
  std::string normal;
  auto status = processor_->Encode(text, &pieces);
  if (status.ok()) status = processor_->Decode(pieces, &normal);
  if (!status.ok()) fail("SentencePiece: {}", reason(status));
  return normal;
}

std::string train_sentence_piece(std::span<const std::string> texts,
                                 const SentencePieceTraining& options) {
  // The number of threads is fixed: the result of the unigram trainer depends on it.
  std::unordered_map<std::string, std::string> settings = {
      {"model_type", options.unigram ? "unigram" : "bpe"},
      {"vocab_size", fmt::format("{}", options.vocabulary_size)},
      {"character_coverage", fmt::format("{}", options.character_coverage)},
      {"normalization_rule_name", options.nfkc ? "nmt_nfkc" : "identity"},
      {"byte_fallback", options.byte_fallback ? "true" : "false"},
      {"unk_id", "0"},
      {"bos_id", "1"},
      {"eos_id", "2"},
      {"pad_id", "-1"},
      {"num_threads", "4"},
      {"minloglevel", "2"}};
  std::vector<std::string> symbols = options.symbols;
  if (options.newline) {
    symbols.insert(symbols.begin(), "\n");
    settings["max_sentence_length"] = fmt::format("{}", longest_line);
  }
  if (!symbols.empty())
    settings["user_defined_symbols"] = fmt::format("{}", fmt::join(symbols, ","));
  if (!options.marks.empty()) {
    settings["control_symbols"] = fmt::format("{}", fmt::join(options.marks, ","));
  }
  std::string model;
  const auto train = [&] {
    SentenceList list(texts);
    return sentencepiece::SentencePieceTrainer::Train(settings, &list, &model);
  };
  auto status = train();
  if (!status.ok()) {  // perhaps the text is too short for this size: allow a smaller one
    settings["hard_vocab_limit"] = "false";
    status = train();
  }
  if (!status.ok()) fail("training the tokenizer: {}", reason(status));
  return model;
}

}  // namespace calque
