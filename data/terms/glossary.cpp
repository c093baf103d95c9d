#include "data/terms/glossary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/error.h"
#include "data/files/content_hash.h"
#include "data/files/text_lines.h"
#include "data/terms/term_marks.h"
#include "data/text/trimmed.h"
#include "data/text/utf8.h"
#include "data/text/words.h"

namespace calque {
namespace {

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find('\t', begin), line.size());
    fields.emplace_back(trimmed(line.substr(begin, end - begin), " "));
    begin = end + 1;
  }
  // A spreadsheet writes as many fields on every line.
  while (fields.size() > 2 && fields.back().empty()) fields.pop_back();
  return fields;
}

Term term_of(std::string_view line, const std::string& where) {
  std::vector<std::string> fields = fields_of(line);
  if (fields.size() < 2) fail("{}: has no tab; write the term, a tab and its translation", where);
  for (size_t i = 0; i < fields.size(); ++i) {
    const std::string problem = objection_to_term(fields[i]);
    if (!problem.empty()) fail("{}: column {} {}", where, i + 1, problem);
  }
  Term term{.source = std::move(fields.front()), .targets = {}};
  term.targets.assign(fields.begin() + 1, fields.end());
  return term;
}

}  // namespace

Glossary::Glossary(const std::vector<Term>& terms) {
  std::map<std::vector<std::string>, size_t> known;
  for (const Term& term : terms) {
    const std::vector<std::string> words = TermText(term.source).words;
    require(!words.empty() && !term.targets.empty(), "Glossary: an empty term");
    const auto [at, added] = known.emplace(words, terms_.size());
    if (added) {
      terms_.push_back({term.source, {}});
      by_first_word_[words.front()].push_back({words, at->second});
    }
    std::vector<std::string>& targets = terms_[at->second].targets;
    for (const std::string& target : term.targets) {
      if (std::ranges::count(targets, target) == 0) targets.push_back(target);
    }
  }
  for (auto& [word, entries] : by_first_word_) {
    std::ranges::stable_sort(entries, std::greater<>(),
                             [](const Entry& entry) { return entry.words.size(); });
  }
}

uint64_t Glossary::hash() const {
  ContentHash hash;
  for (const Term& term : terms_) {
    hash.add_text(term.source).add(term.targets.size());
    for (const std::string& target : term.targets) hash.add_text(target);
  }
  return hash.value();
}

std::vector<FoundTerm> Glossary::find(std::string_view text) const {
  std::vector<FoundTerm> found;
  const TermText own(text);
  for (size_t i = 0; i < own.words.size();) {
    size_t length = 1;
    if (const auto entries = by_first_word_.find(own.words[i]); entries != by_first_word_.end()) {
      const auto matches = [&](const Entry& entry) {
        return entry.words.size() <= own.words.size() - i &&
               std::equal(entry.words.begin(), entry.words.end(), own.words.begin() + i);
      };
      const auto entry = std::ranges::find_if(entries->second, matches);
      if (entry != entries->second.end()) {
        length = entry->words.size();
        found.push_back(
            {{own.ranges[i].begin, own.ranges[i + length - 1].end}, &terms_[entry->term]});
      }
    }
    i += length;
  }
  return found;
}

std::string objection_to_term(std::string_view text) {
  constexpr size_t most_bytes = 400;
  if (text.empty()) return "is empty; write a term";
  if (std::string problem = utf8_problem(text); !problem.empty()) return "is " + problem;
  if (text.size() > most_bytes) {
    return fmt::format("has {} bytes; a term has at most {}", text.size(), most_bytes);
  }
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') {
      return fmt::format("has a control character (U+{:04X})", static_cast<unsigned char>(c));
    }
  }
  if (word_ranges(text, true).empty()) return "is white space; write a term";
  for (const std::string_view mark : term_marks) {
    if (text.find(mark) != text.npos) return fmt::format("has {}, which marks terms", mark);
  }
  return "";
}

Glossary read_glossary(const std::string& path) {
  const TextLines lines(path);
  std::vector<Term> terms;
  for (int64_t i = 0; i < lines.count(); ++i) {
    const std::string line = lines.line(i), problem = utf8_problem(line);
    if (!problem.empty()) fail("{}: {}", lines.where(i), problem);
    if (trimmed(line, " \t").empty()) continue;
    terms.push_back(term_of(line, lines.where(i)));
  }
  if (terms.empty()) fail("{}: has no terms; write a term, a tab and its translation", path);
  return Glossary(terms);
}

TermMatch match_term(const TermText& translation, const Term& term) {
  TermMatch best = match_term(translation, term.targets.front());
  for (size_t i = 1; i < term.targets.size() && best == TermMatch::none; ++i) {
    if (match_term(translation, term.targets[i]) != TermMatch::none) best = TermMatch::form;
  }
  return best;
}

}  // namespace calque
