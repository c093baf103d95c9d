#pragma once
// Looks a SentencePiece model over before the library gets it. The packaged library trusts what it
// reads: a hostile or damaged file can make it read outside its tables (the double array of the
// normalisation rules, the fixed buffers of its prefix searches). What passes here cannot.

#include <optional>
#include <string>
#include <string_view>

namespace calque {

// What is wrong with the model, if anything.
std::optional<std::string> piece_model_fault(std::string_view bytes);

}  // namespace calque
