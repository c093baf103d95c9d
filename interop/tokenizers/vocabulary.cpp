#include "interop/tokenizers/vocabulary.h"

#include <set>
#include <unordered_map>

#include "data/files/protobuf.h"
#include "interop/files/protobuf.h"

namespace calque {
namespace {

// The fields of SentencePiece's messages.
enum ModelField : uint64_t {
  model_piece = 1,
  model_trainer = 2,
  model_normalizer = 3,
  model_tests = 4
};
enum PieceField : uint64_t { piece_text = 1, piece_score = 2, piece_type = 3 };
enum TrainerField : uint64_t { trainer_type = 3, trainer_byte_fallback = 35 };
enum NormalizerField : uint64_t {
  normalizer_name = 1,
  normalizer_rules = 2,
  normalizer_prefix = 3,
  normalizer_removes_spaces = 4
};

std::string piece_field(const NewPiece& piece) {
  return protobuf_text(model_piece,
                       protobuf_text(piece_text, piece.text) +
                           protobuf_float(piece_score, piece.score) +
                           protobuf_number(piece_type, static_cast<uint64_t>(piece.kind)));
}

// The texts of <unk>, <s> and </s>.
using Symbols = std::array<std::string, special_ids>;

// The usual texts where a model has none, and for all symbols if two have the same text.
Symbols with_defaults(const Symbols& own) {
  Symbols usual, symbols = own;
  for (int32_t id = 0; id < special_ids; ++id) {
    usual[id] = special_symbols[id];
    if (own[id].empty()) symbols[id] = usual[id];
  }
  const std::set<std::string> distinct(symbols.begin(), symbols.end());
  return distinct.size() == symbols.size() ? symbols : usual;
}

std::string special_pieces(const Symbols& symbols) {
  std::string out;
  for (int32_t id = 0; id < special_ids; ++id) {
    out +=
        piece_field({symbols[id], 0, id == unknown_id ? PieceKind::unknown : PieceKind::control});
  }
  return out;
}

std::string_view text_of(std::string_view piece) {
  std::string_view text;
  for (ProtobufFields fields(piece); fields.next();) {
    if (fields.number == piece_text) text = fields.text;
  }
  return text;
}

// The ids and names of the special symbols; a later field replaces an earlier one. The fields of
// <s> and </s> follow those of <unk>, 40 and 45.
std::string special_symbol_fields(const Symbols& symbols) {
  constexpr uint64_t id_fields = 40, name_fields = 45, padding = 43;
  std::string fields = protobuf_number(padding, ~uint64_t{0});  // -1: none
  for (int32_t id = 0; id < special_ids; ++id) {
    const auto next = static_cast<uint64_t>(id);
    fields +=
        protobuf_number(id_fields + next, next) + protobuf_text(name_fields + next, symbols[id]);
  }
  return fields;
}

}  // namespace

PieceNormalization piece_normalization(std::string_view model) {
  PieceNormalization found;
  for (ProtobufFields fields(model); fields.next();) {
    if (fields.number != model_normalizer) continue;
    for (ProtobufFields own(fields.text); own.next();) {
      if (own.number == normalizer_rules) found.charsmap = own.text;
      if (own.number == normalizer_prefix) found.dummy_prefix = own.value != 0;
      if (own.number == normalizer_removes_spaces) found.removes_spaces = own.value != 0;
    }
  }
  return found;
}

std::string piece_model_bytes(const NewPieceModel& model) {
  const Symbols symbols = with_defaults(model.symbols);
  std::string out = special_pieces(symbols);
  bool bytes = false;
  for (const NewPiece& piece : model.pieces) {
    bytes = bytes || piece.kind == PieceKind::byte;
    out += piece_field(piece);
  }
  const PieceNormalization& rules = model.normalization;
  return out +
         protobuf_text(model_trainer, protobuf_number(trainer_type, model.unigram ? 1 : 2) +
                                          protobuf_number(trainer_byte_fallback, bytes) +
                                          special_symbol_fields(symbols)) +
         protobuf_text(model_normalizer,
                       protobuf_text(normalizer_name, "imported") +
                           protobuf_text(normalizer_rules, rules.charsmap) +
                           protobuf_number(normalizer_prefix, rules.dummy_prefix) +
                           protobuf_number(normalizer_removes_spaces, rules.removes_spaces));
}

std::string with_pieces(std::string_view model, const std::vector<std::string>& pieces) {
  const Symbols symbols = with_defaults({});
  std::unordered_map<std::string_view, std::string_view> own;  // the field of each piece
  std::string settings;
  for (ProtobufFields fields(model); fields.next();) {
    if (fields.number == model_piece) {
      own.emplace(text_of(fields.text), fields.bytes);
    } else if (fields.number == model_trainer) {
      settings +=
          protobuf_text(model_trainer, std::string(fields.text) + special_symbol_fields(symbols));
    } else if (fields.number != model_tests) {
      settings += fields.bytes;
    }
  }
  std::string out = special_pieces(symbols);
  for (const std::string& piece : pieces) {
    const auto found = own.find(piece);
    out += found == own.end() ? piece_field({piece, 0, PieceKind::unused})
                              : std::string(found->second);
  }
  return out + settings;
}

}  // namespace calque
