#pragma once
// The words of BERT's tokenizers (Devlin et al. 2019): text between white space; each punctuation
// mark and each Chinese character is a word of its own. Control characters are removed. Uncased
// models also read capitals as small letters and remove accents, by Unicode's canonical
// decompositions. data/text/bert_characters.txt lists the characters of each kind, which follow
// Unicode 8 in BERT's tokenizers, and the letters that the tables of utf8proc 2.8 lack.

#include <functional>
#include <string>
#include <string_view>

namespace calque {

// Requires well-formed UTF-8. The views are valid during the call only.
void for_each_bert_word(std::string_view text, bool uncased,
                        const std::function<void(std::string_view)>& visit);

}  // namespace calque
