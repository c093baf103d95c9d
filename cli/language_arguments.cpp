#include "cli/language_arguments.h"

namespace calque {

CLI::Option* add_target_language(CLI::App* command, LanguageChoice& languages) {
  return command
      ->add_option("--to", languages.to,
                   "The language to translate into; needed if the run has several")
      ->type_name("LANGUAGE");
}

CLI::Option* add_source_language(CLI::App* command, LanguageChoice& languages) {
  return command
      ->add_option("--from", languages.from,
                   "The language of the input, for its sentences and for codes in files; needed "
                   "there if the run has several")
      ->type_name("LANGUAGE");
}

}  // namespace calque
