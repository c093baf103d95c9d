#pragma once
// The option --glossary of the commands that translate.

#include <CLI/CLI.hpp>
#include <memory>
#include <span>
#include <string>

#include "train/tasks/translation/terms/term_use.h"

namespace calque {

inline CLI::Option* add_glossary(CLI::App& command, std::string& path) {
  return command
      .add_option("--glossary", path,
                  "Terms that translations must have: lines of a term, a tab and its translation")
      ->type_name("FILE");
}

// Without a path: no glossary.
inline TermUse term_use_of(const std::string& path, std::span<const TranslationRun> runs,
                           const DecodingConfig& decoding) {
  if (path.empty()) return {};
  return term_use(runs, std::make_shared<const Glossary>(read_glossary(path)),
                  decoding.force_terms);
}

}  // namespace calque
