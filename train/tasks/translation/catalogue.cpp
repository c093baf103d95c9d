#include "train/tasks/translation/catalogue.h"

#include "core/error.h"

namespace calque {

FillCounts fill_catalogue(PoFile& file, TranslationMemory memory, TextTranslator& translator,
                          const std::string& name) {
  memory.add(file);
  FillCounts counts;
  struct Form {
    size_t entry;
    size_t text;  // in `texts`
  };
  std::vector<std::vector<Form>> missing;
  std::vector<std::string> texts;
  const auto add_text = [&](const PoEntry& entry, const std::string& text) {
    const std::string problem = translator.objection(text);
    if (!problem.empty()) fail("{}:{}: {}", name, entry.line, problem);
    texts.push_back(text);
    return texts.size() - 1;
  };
  for (size_t i = 0; i < file.entries().size(); ++i) {
    const PoEntry& entry = file.entries()[i];
    if (entry.is_header() || entry.obsolete) continue;
    ++counts.messages;
    if (!entry.is_empty()) {
      ++(entry.is_translated() ? counts.translated : counts.fuzzy);
    } else if (const auto known = memory.find(entry)) {
      file.fill(i, *known);
      ++counts.from_memory;
    } else {
      std::vector<Form>& forms = missing.emplace_back();
      const size_t count = entry.translations.size();
      const bool has_singular = !entry.plural || count > 1;
      if (has_singular) forms.push_back({i, add_text(entry, entry.id)});
      while (forms.size() < count) {
        const bool again = forms.size() > 1;
        forms.push_back({i, again ? forms.back().text : add_text(entry, *entry.plural)});
      }
      ++counts.by_model;
    }
  }
  const std::vector<std::string> found =
      translator.translate(texts, 0, TextTranslator::Order::independent);
  for (const std::vector<Form>& forms : missing) {
    std::vector<std::string> translations;
    for (const Form& form : forms) translations.push_back(found[form.text]);
    file.fill(forms.front().entry, std::move(translations));
  }
  return counts;
}

}  // namespace calque
