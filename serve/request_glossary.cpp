#include "serve/request_glossary.h"

#include "core/error.h"
#include "data/files/content_hash.h"
#include "serve/http/error.h"

namespace calque {
namespace {

using nlohmann::json;

std::string term_text(const json& value, const std::string& source) {
  if (!value.is_string()) refuse(400, "glossary: '{}' needs a text or a list of texts", source);
  const std::string text = value.get<std::string>();
  if (const std::string problem = objection_to_term(text); !problem.empty()) {
    refuse(400, "glossary: '{}': a term {}", source, problem);
  }
  return text;
}

Glossary glossary_of(const json& value) {
  constexpr size_t most = 10'000;
  if (!value.is_object()) refuse(400, "glossary: must be an object of terms and translations");
  if (value.size() > most) refuse(400, "glossary: {} terms; at most {}", value.size(), most);
  std::vector<Term> terms;
  for (const auto& [source, targets] : value.items()) {
    Term term{term_text(source, source), {}};
    if (targets.is_array()) {
      for (const json& target : targets) term.targets.push_back(term_text(target, source));
      if (term.targets.empty()) refuse(400, "glossary: '{}' has no translation", source);
    } else {
      term.targets.push_back(term_text(targets, source));
    }
    terms.push_back(std::move(term));
  }
  return Glossary(terms);
}

}  // namespace

TextSearch search_of(const ServedTranslator& translator, const Fields& fields) {
  TextSearch search = translator.options;
  if (!fields.has("glossary")) return search;
  Glossary glossary = glossary_of(fields.values().at("glossary"));
  search.terms = {};
  if (glossary.empty()) return search;
  try {
    search.terms =
        term_use(std::span(&translator.run, 1),
                 std::make_shared<const Glossary>(std::move(glossary)), translator.forces_terms);
  } catch (const Error& error) {
    refuse(400, "glossary: {}", error.what());
  }
  return search;
}

std::string glossary_group(const TextSearch& search) {
  return search.terms.glossary ? " " + hexadecimal(search.terms.glossary->hash()) : "";
}

}  // namespace calque
