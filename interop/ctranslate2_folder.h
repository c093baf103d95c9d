#pragma once
// A folder of CTranslate2: model.bin in the form of the current revision, with the settings of
// config.json.

#include <cstdint>
#include <optional>
#include <string>

#include "interop/ctranslate2_file.h"
#include "interop/foreign_json.h"
#include "interop/foreign_pieces.h"
#include "nn/options.h"

namespace calque {

struct Ct2Folder {
  std::string path, place;  // of model.bin
  Ct2Model model;
  ForeignJson config;

  // Throws an Error for a file that is damaged, or a model of another kind.
  explicit Ct2Folder(const std::string& folder);

  // A scalar.
  int64_t whole(const std::string& name, std::optional<int64_t> fallback = {}) const;
  // The same of encoder and decoder.
  int64_t of_both(const std::string& name, std::optional<int64_t> fallback = {}) const;
};

struct Ct2Vocabularies {
  std::vector<ForeignPieces> pieces;  // of source and target
  bool one = false;
};

// The vocabularies and their SentencePiece models. A list without <unk> has it behind its end, if
// the table has a row for it.
Ct2Vocabularies read_ct2_vocabularies(const Ct2Folder& folder, int64_t source_rows,
                                      int64_t target_rows);

}  // namespace calque
