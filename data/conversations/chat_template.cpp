// Chat templates are programs, and calque runs none: it knows those that it writes, and others by a
// digest of their text, in which white space between tokens does not count. Those of Qwen and
// SmolLM2 have a default system text, which is cut out before the digest.
#include <algorithm>
#include <optional>

#include "core/error.h"
#include "data/conversations/turns.h"
#include "data/files/content_hash.h"

namespace calque {
namespace {

struct KnownTemplate {
  uint64_t digest;
  TurnFormat format;
};
constexpr KnownTemplate known_templates[] = {
    {0x6cbd296fe88bc128, TurnFormat::chatml},   // without a system text: OpenHermes, SmolLM
    {0x4a5432b9262b47ec, TurnFormat::chatml},   // Qwen 2, SmolLM2
    {0x73b69fd0970c08a9, TurnFormat::chatml},   // Qwen 2.5
    {0xfa25595ac98a30e3, TurnFormat::gemma},    // Gemma 1 and 2
    {0x04cfa618aa510e92, TurnFormat::gemma},    // Gemma 3
    {0xda439332e369d8f5, TurnFormat::llama3},   // Llama 3
    {0x3ce64e117c4d464b, TurnFormat::mistral},  // Mixtral, Mistral 7B v0.2
};

constexpr bool is_template_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The program without white space outside of its texts, with all quotes single and line ends in
// texts as \n.
std::string normalized_program(std::string_view program) {
  std::string out;
  char quote = 0;
  for (size_t i = 0; i < program.size(); ++i) {
    const char c = program[i];
    if (quote == 0) {
      if (c == '\'' || c == '"') {
        quote = c;
        out += '\'';
      } else if (!is_template_white(c)) {
        out += c;
      }
    } else if (c == quote) {
      quote = 0;
      out += '\'';
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
      if (c == '\\' && i + 1 < program.size()) out += program[++i];
    }
  }
  return out;
}

// Removes the default system text from the program, and returns it.
std::string take_system(std::string& program) {
  constexpr std::string_view head = "<|im_start|>system\\n", tail = "<|im_end|>";
  for (size_t at = 0; (at = program.find(head, at)) != std::string::npos;) {
    at += head.size();
    const size_t end = program.find(tail, at);
    if (end == std::string::npos) return "";
    const std::string system = program.substr(at, end - at);
    if (system.empty() || system.find('\'') != std::string::npos) continue;
    for (size_t found; (found = program.find(system)) != std::string::npos;) {
      program.erase(found, system.size());
    }
    return system;
  }
  return "";
}

// The templates that calque writes. %S% is the system text of conversations without one.
constexpr std::string_view chatml_program =
    "{% set usual = '%S%' %}{% if usual and messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\\n' + usual + '<|im_end|>\\n' }}{% endif %}"
    "{% for m in messages %}"
    "{{ '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";
constexpr std::string_view llama3_program =
    "{{ bos_token }}{% for m in messages %}{{ '<|start_header_id|>' + m['role'] + "
    "'<|end_header_id|>\\n\\n' + m['content'] | trim + '<|eot_id|>' }}{% endfor %}"
    "{% if add_generation_prompt %}"
    "{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}";
constexpr std::string_view gemma_program =
    "{{ bos_token }}{% set system = messages[0]['role'] == 'system' %}"
    "{% for m in (messages[1:] if system else messages) %}{{ '<start_of_turn>' + "
    "('model' if m['role'] == 'assistant' else 'user') + '\\n' + "
    "(messages[0]['content'] + '\\n\\n' if system and loop.first else '') + "
    "m['content'] | trim + '<end_of_turn>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}";
constexpr std::string_view mistral_program =
    "{{ bos_token }}{% set system = messages[0]['role'] == 'system' %}"
    "{% for m in (messages[1:] if system else messages) %}{% if m['role'] == 'user' %}"
    "{{ '[INST] ' + (messages[0]['content'] + '\\n\\n' if system and loop.first else '') + "
    "m['content'] + ' [/INST]' }}{% else %}{{ m['content'] + eos_token }}{% endif %}{% endfor %}";
constexpr std::string_view alpaca_program =
    "{{ bos_token }}{% set system = messages[0]['role'] == 'system' %}"
    "{{ (messages[0]['content'] if system else '%S%') + '\\n\\n' }}"
    "{% for m in (messages[1:] if system else messages) %}{% if m['role'] == 'user' %}"
    "{{ '### Instruction:\\n' + m['content'] + '\\n\\n### Response:\\n' }}"
    "{% else %}{{ m['content'] + eos_token }}{% endif %}{% endfor %}";

constexpr std::string_view system_place = "%S%";

struct WrittenTemplate {
  TurnFormat format;
  std::string_view program;
};
constexpr WrittenTemplate written_templates[] = {{TurnFormat::chatml, chatml_program},
                                                 {TurnFormat::llama3, llama3_program},
                                                 {TurnFormat::gemma, gemma_program},
                                                 {TurnFormat::mistral, mistral_program},
                                                 {TurnFormat::alpaca, alpaca_program}};

// A text between the quotes of a program, and back.
std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '\'') out += '\\';
    if (c == '\n') out += "\\n";
    if (c != '\n') out += c;
  }
  return out;
}

std::string unquoted(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size();
    if (escape) ++i;
    out += escape && text[i] == 'n' ? '\n' : text[i];
  }
  return out;
}

}  // namespace

std::string template_of_turns(const TurnOptions& options) {
  const auto* found =
      std::ranges::find(written_templates, options.format, &WrittenTemplate::format);
  require(found != std::end(written_templates), "template_of_turns: there is no format");
  std::string program(found->program);
  const size_t at = program.find(system_place);
  if (at != program.npos) program.replace(at, system_place.size(), quoted(usual_system(options)));
  return program;
}

namespace {

// The options of a template that calque has written.
std::optional<TurnOptions> turns_of_written(std::string_view program) {
  for (const auto& [format, written] : written_templates) {
    const size_t place = std::min(written.find(system_place), written.size());
    const std::string_view head = written.substr(0, place);
    const std::string_view tail =
        written.substr(std::min(place + system_place.size(), written.size()));
    if (program.size() < head.size() + tail.size()) continue;
    TurnOptions options{
        format, unquoted(program.substr(head.size(), program.size() - head.size() - tail.size()))};
    if (options.system == usual_system({format})) options.system.clear();
    if (template_of_turns(options) == program) return options;
  }
  return {};
}

}  // namespace

TurnOptions turns_of_template(std::string_view program, std::string begin, std::string end) {
  if (std::optional<TurnOptions> written = turns_of_written(program)) {
    written->begin = std::move(begin);
    written->end = std::move(end);
    return *written;
  }
  std::string text = normalized_program(program);
  TurnOptions turns;
  turns.system = take_system(text);
  const uint64_t digest = content_hash(text);
  const auto* known = std::ranges::find(known_templates, digest, &KnownTemplate::digest);
  if (known == std::end(known_templates)) return {};
  turns.format = known->format;
  turns.begin = std::move(begin);
  turns.end = std::move(end);
  return turns;
}

}  // namespace calque
