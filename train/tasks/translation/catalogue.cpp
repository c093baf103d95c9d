#include "train/tasks/translation/catalogue.h"

#include <optional>

#include "core/error.h"

namespace calque {

namespace {

// The plural forms of messages: those of the header or, as gettext does without them, as many as
// the message has, of which the first is the singular.
class Forms {
 public:
  explicit Forms(const PoFile& file) : file_(file) {}

  size_t count_of(const PoEntry& entry) {
    const PluralForms* const own = entry.plural ? header() : nullptr;
    return own ? own->count() : entry.translations.size();
  }
  // Whether a form is the translation of msgid.
  bool is_singular(const PoEntry& entry, size_t form) {
    if (!entry.plural) return true;
    const PluralForms* const own = header();
    return count_of(entry) > 1 && form == (own ? own->form_of(1) : 0);
  }

 private:
  const PluralForms* header() {
    if (!read_) forms_ = file_.plural_forms();
    read_ = true;
    return forms_ ? &*forms_ : nullptr;
  }

  const PoFile& file_;
  bool read_ = false;
  std::optional<PluralForms> forms_;
};

}  // namespace

FillCounts fill_catalogue(PoFile& file, TranslationMemory memory, TextTranslator& translator,
                          const std::string& name) {
  memory.add(file);
  FillCounts counts;
  struct Missing {
    size_t entry;
    std::vector<size_t> forms;  // the numbers of their texts
  };
  std::vector<Missing> missing;
  std::vector<std::string> texts;
  Forms forms(file);
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
    } else if (const auto known = memory.find(entry, forms.count_of(entry))) {
      file.fill(i, *known);
      ++counts.from_memory;
    } else {
      Missing& own = missing.emplace_back(Missing{i, {}});
      std::optional<size_t> singular, plural;
      for (size_t form = 0; form < forms.count_of(entry); ++form) {
        const bool one = forms.is_singular(entry, form);
        std::optional<size_t>& text = one ? singular : plural;
        if (!text) text = add_text(entry, one ? entry.id : *entry.plural);
        own.forms.push_back(*text);
      }
      ++counts.by_model;
    }
  }
  const std::vector<std::string> found =
      translator.translate(texts, 0, TextTranslator::Order::independent);
  for (const Missing& each : missing) {
    std::vector<std::string> translations;
    for (const size_t text : each.forms) translations.push_back(found[text]);
    file.fill(each.entry, std::move(translations));
  }
  return counts;
}

}  // namespace calque
