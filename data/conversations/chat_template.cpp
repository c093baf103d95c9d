// Chat templates are programs, and calque runs none: it knows some by a digest of their text, in
// which white space between tokens does not count. Those of Qwen and SmolLM2 have a default system
// text, which is cut out before the digest.
#include <algorithm>

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

}  // namespace

TurnOptions turns_of_template(std::string_view program, std::string begin, std::string end) {
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
