#include "cli/decoding_arguments.h"

#include "cli/command_line.h"

namespace calque {

CLI::Option* add_beam(CLI::App* command, int64_t& beam) {
  return command
      ->add_option("--beam", beam, "Width of the beam; 1 is greedy search (default: the config's)")
      ->check(whole_number(1, 1000))
      ->type_name("N");
}

std::array<CLI::Option*, 2> add_minimum_risk(CLI::App* command, DecodingChoice& decoding) {
  CLI::Option* samples = command->add_option(
      "--mbr", decoding.mbr,
      "Minimum Bayes risk: draw N translations and take the one most similar to the others");
  samples->check(whole_number(1, 1000))->type_name("N");
  CLI::Option* metric =
      command->add_option("--mbr-metric", decoding.mbr_metric,
                          "How --mbr compares translations: chrf or bleu (default: the config's)");
  metric->check(CLI::IsMember({"chrf", "bleu"}))->needs(samples)->type_name("NAME");
  return {samples, metric};
}

CLI::Option* add_decoding_settings(CLI::App* command, std::vector<std::string>& settings) {
  return add_settings(
             command, settings,
             "Override a key of the config's section decoding, such as "
             "decoding.max_length_ratio=1.5 (calque config keys lists them); may be repeated")
      ->check(CLI::Validator(
          [](std::string& setting) {
            if (setting.starts_with("decoding.precision")) return std::string("use --precision");
            return setting.starts_with("decoding.")
                       ? std::string()
                       : setting +
                             ": only decoding.* can be set here; the model is already trained";
          },
          ""));
}

}  // namespace calque
