#pragma once
// A folder of CTranslate2: model.bin, updated to the newest revision, and the settings of
// config.json.

#include <cstdint>
#include <optional>
#include <string>

#include "interop/ctranslate2/file.h"
#include "interop/files/json.h"
#include "interop/tokenizers/pieces.h"
#include "nn/options.h"

namespace calque {

struct Ct2Folder {
  std::string path, place;  // of the folder, and of its model.bin
  Ct2Model model;
  ForeignJson config;

  // Throws an Error if a required file is missing or damaged, or if calque does not import the
  // model's specification or revision.
  explicit Ct2Folder(const std::string& folder);

  // A scalar of the model that is a whole number. Returns the fallback if it is missing. Throws an
  // Error if there is no fallback, or if the scalar is not a whole number.
  int64_t whole(const std::string& name, std::optional<int64_t> fallback = {}) const;
  // The same for encoder and decoder. Throws an Error if their values differ.
  int64_t of_both(const std::string& name, std::optional<int64_t> fallback = {}) const;
};

// The vocabularies and their SentencePiece models. If a list lacks <unk>, the row of <unk> follows
// the last token, provided that the table has that row.
ForeignLanguages read_ct2_vocabularies(const Ct2Folder& folder, int64_t source_rows,
                                       int64_t target_rows);

}  // namespace calque
