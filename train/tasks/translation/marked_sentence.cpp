#include "train/tasks/translation/marked_sentence.h"

#include "data/markup/tag_placeholders.h"
#include "data/markup/tag_placement.h"
#include "train/tasks/translation/word_links.h"

namespace calque {

std::string marked_input(const TranslationRun& run, const MarkedText& sentence) {
  return aligns_words(run) ? sentence.text : with_tag_placeholders(sentence);
}

MarkedText marked_translation(const TranslationRun& run, const MarkedText& sentence,
                              const std::string& translation) {
  if (!has_words(sentence.text)) return sentence;
  if (sentence.tags.empty()) return {translation};
  if (!aligns_words(run)) return without_tag_placeholders(translation, sentence);
  return with_placed_tags(sentence, translation, attended_links(run, sentence.text, translation));
}

}  // namespace calque
