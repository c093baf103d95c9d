#pragma once
// The option --glossary of the commands that translate.

#include <CLI/CLI.hpp>
#include <memory>
#include <span>
#include <string>

#include "cli/output.h"
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
  TermUse use =
      term_use(runs, std::make_shared<const Glossary>(read_glossary(path)), decoding.force_terms);
  const std::string remark = unwritable_terms(use, runs.front().tokenizers.target);
  if (!remark.empty()) note("calque: {}: {}\n", path, remark);
  return use;
}

}  // namespace calque
