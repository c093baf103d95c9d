#pragma once
// The options that choose the languages of a multilingual run.

#include <CLI/CLI.hpp>

#include "train/tasks/translation/languages.h"

namespace calque {

// The options --to LANGUAGE and --from LANGUAGE.
CLI::Option* add_target_language(CLI::App* command, LanguageChoice& languages);
CLI::Option* add_source_language(CLI::App* command, LanguageChoice& languages);

}  // namespace calque
