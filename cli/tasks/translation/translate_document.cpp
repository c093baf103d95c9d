#include "cli/tasks/translation/translate_document.h"

#include "cli/output.h"
#include "cli/progress.h"
#include "cli/result_file.h"

namespace calque {

void translate_document(const std::string& path, const std::string& output,
                        DocumentTranslator& translator) {
  const Progress progress;
  const std::string written =
      translator.translate(MarkupFile::read(path), path, [&](int64_t sentences) {
        progress.show("sentences", sentences, translator.tokens_written());
      });
  progress.end();
  write_result(output, written);
  const DocumentCounts& counts = translator.counts();
  note("calque: {}: {}, {}, {} within them\n", path, counted(counts.texts, "text"),
       counted(counts.sentences, "sentence"), counted(counts.tags, "tag"));
  if (counts.long_sentences > 0) {
    note("calque: {}: {} too long: the first has {}\n", path,
         counted(counts.long_sentences, "sentence"), counts.first_warning);
  }
}

}  // namespace calque
