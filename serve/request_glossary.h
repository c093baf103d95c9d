#pragma once
// The glossary of a request: its own, or the one of the translator.

#include <string>

#include "serve/fields.h"
#include "serve/served_runs.h"

namespace calque {

// The search of a request. The field `glossary` is an object of terms and their translations, each
// a text or a list of texts: {"cow": "Kuh", "dog": ["Hund", "Hunde"]}. Throws an HttpError for
// another value and for a text that is no term.
TextSearch search_of(const ServedTranslator& translator, const Fields& fields);

// Of what the terms of a search decide, for requests that are translated together; empty without.
std::string glossary_group(const TextSearch& search);

}  // namespace calque
