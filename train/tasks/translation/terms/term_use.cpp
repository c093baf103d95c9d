#include "train/tasks/translation/terms/term_use.h"

#include <algorithm>

#include "core/error.h"
#include "data/terms/term_marks.h"
#include "data/tokenizers/vocabulary.h"
#include "train/tasks/translation/terms/marked_corpora.h"
#include "train/tasks/translation/terms/term_counts.h"

namespace calque {
namespace {

void limit(int64_t most, int64_t& longest) {
  if (most > 0) longest = longest == 0 ? most : std::min(longest, most);
}

// Empty if the vocabulary cannot write the text.
std::vector<int32_t> tokens_of(const std::string& text, const Tokenizer& target) {
  std::vector<int32_t> ids = target.encode(text);
  if (std::ranges::count(ids, unknown_id) > 0) ids.clear();
  return ids;
}

// The forms of a term, and the one that the translation has.
RequiredPhrase phrase_of(const Term& term, const Tokenizer& target, const TermText& words,
                         const std::string& translation) {
  RequiredPhrase phrase;
  std::vector<std::string> forms = term.targets;
  for (const std::string& form : term.targets) {
    if (const auto range = find_term(words, form)) forms.emplace_back(range->of(translation));
  }
  for (const std::string& form : forms) {
    std::vector<int32_t> ids = tokens_of(form, target);
    if (!ids.empty() && std::ranges::count(phrase.forms, ids) == 0) {
      phrase.forms.push_back(std::move(ids));
    }
  }
  return phrase;
}

}  // namespace

TermUse term_use(std::span<const TranslationRun> runs, std::shared_ptr<const Glossary> glossary,
                 bool force) {
  TermUse use{.glossary = std::move(glossary), .marks = true, .forces = force};
  for (const TranslationRun& run : runs) {
    use.marks = use.marks && marks_terms(run.config.data);
    limit(run.config.data.max_length, use.longest);
    limit(run.model().learned_positions() - 1, use.longest);
  }
  if (!use.marks && !force) {
    fail("{}: was not trained with data.terms; set decoding.force_terms=true to use a glossary",
         runs.front().folder.path);
  }
  if (force) use.borders = std::make_shared<const WordBorders>(runs.front().tokenizers.target);
  return use;
}

std::string with_terms(const TermUse& use, const Tokenizer& source, const std::string& text) {
  if (!use.glossary || !use.marks) return text;
  std::vector<TermMark> marks;
  for (const FoundTerm& found : use.glossary->find(text)) {
    marks.push_back({found.range, found.term->targets.front()});
  }
  if (marks.empty()) return text;
  std::string marked = with_term_marks(text, marks);
  if (use.longest > 0 && std::ssize(source.encode(marked)) > use.longest) return text;
  return marked;
}

std::string unwritable_terms(const TermUse& use, const Tokenizer& target) {
  if (!use.glossary || !use.forces) return "";
  const std::vector<Term>& terms = use.glossary->terms();
  const Term* first = nullptr;
  int64_t count = 0;
  for (const Term& term : terms) {
    const bool writable = std::ranges::any_of(
        term.targets, [&](const std::string& form) { return !tokens_of(form, target).empty(); });
    if (writable) continue;
    if (!first) first = &term;
    ++count;
  }
  if (!first) return "";
  return fmt::format(
      "the vocabulary cannot write {} of {} terms, which are not required: the first is {}", count,
      terms.size(), first->targets.front());
}

std::shared_ptr<const RequiredPhrases> missing_terms(const TermUse& use, const Tokenizer& target,
                                                     const std::string& text,
                                                     const std::string& translation) {
  if (!use.glossary || !use.forces) return nullptr;
  const TermText words(translation);
  bool missing = false;
  std::vector<RequiredPhrase> phrases;
  for (const Term* term : distinct_terms(*use.glossary, text)) {
    RequiredPhrase phrase = phrase_of(*term, target, words, translation);
    if (phrase.forms.empty()) continue;
    phrases.push_back(std::move(phrase));
    missing = missing || match_term(words, *term) == TermMatch::none;
  }
  if (!missing) return nullptr;
  return std::make_shared<const RequiredPhrases>(std::move(phrases), use.borders);
}

}  // namespace calque
