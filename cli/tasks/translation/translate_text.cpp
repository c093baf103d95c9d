#include "cli/tasks/translation/translate_text.h"

#include "cli/tasks/translation/line_warnings.h"
#include "core/error.h"

namespace calque {

void translate_text(LineInput& input, LineOutput& output, TextTranslator& translator,
                    int64_t buffer, const Progress& progress) {
  int64_t translated = 0;
  LineWarnings warnings(input, progress);
  std::vector<std::string> lines, ends;
  const auto flush = [&] {
    std::string text;
    const std::vector<std::string> found = translator.translate(lines, translated);
    for (size_t i = 0; i < found.size(); ++i) text += found[i] + ends[i];
    output.write(text);
    warnings.add(translator.take_warnings());
    translated += std::ssize(lines);
    lines.clear(), ends.clear();
    progress.show("sentences", translator.sentences(), translator.tokens_written());
  };
  const auto read = [&](std::string& line) {
    try {
      if (!input.next(line)) return false;
      const std::string objection = translator.objection(line);
      if (!objection.empty()) fail("{}: {}", input.where(), objection);
      return true;
    } catch (const Error&) {
      flush();  // the lines before the one that failed
      throw;
    }
  };
  for (std::string line; read(line);) {
    lines.push_back(line), ends.push_back(input.line_end());
    if (std::ssize(lines) >= buffer) flush();
  }
  flush();
  progress.end();
  warnings.end();
}

}  // namespace calque
