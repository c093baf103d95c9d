// The command line, with one word per line of the input: it is accepted, or refused with a message
// of one line. No command runs. Each word with a = is also parsed as a value of --set and of
// --sampling, unless it contains "include", which would read files of this machine.

#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/sampling_arguments.h"
#include "core/error.h"
#include "fuzz/memory_file.h"
#include "train/config/load.h"

using namespace calque;

namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words = {"calque"};
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    words.emplace_back(word.substr(0, word.find('\0')));  // main() gets C strings
    begin = end + 1;
  }
  return words;
}

// Whether an option ends in = without a value.
bool one_lacks_value(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") return false;
    if (word.starts_with("--") && word.size() > 3 && word.find('=') == word.size() - 1) return true;
  }
  return false;
}

void parse(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  CLI::App app("", "calque");
  app.set_version_flag("--version", "0");
  app.require_subcommand(1);
  for (const auto add_command : add_commands) add_command(app);
  app.parse_complete_callback([] { throw CLI::Success(); });  // before any command is run
  try {
    parse_words(app, static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::Success&) {
    must(!one_lacks_value(words));
    must(app.help().find("calque") != std::string::npos);
  } catch (const CLI::ParseError& error) {
    const std::string message = one_line(explain(app, error));
    must(message.starts_with("calque"));
    must(message.find('\n') == std::string::npos);
  }
}

template <class Use>
void use_or_refuse(const Use& use) {
  try {
    use();
  } catch (const Error& error) {
    must(error.what()[0] != '\0');
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::vector<std::string> words = words_of(text_of(data, size));
  parse(words);
  for (const std::string& word : words) {
    if (word.find('=') == word.npos || word.find("include") != word.npos) continue;
    use_or_refuse([&] { parse_config("", "c.yaml", {word}); });
    use_or_refuse([&] { parse_sampling(word); });
  }
  return 0;
}
