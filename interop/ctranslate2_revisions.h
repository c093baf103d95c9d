#pragma once
// Old models of CTranslate2 in the form of current ones, as CTranslate2 itself reads them.
// Binary version 1 has no name of a specification. Revision 1 has the variable names of OpenNMT-tf,
// revisions below 3 no number of heads, and those below 5 no attributes of encoder and decoder, but
// of both. Versions below 6 have attributes in place of config.json.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "interop/ctranslate2_file.h"

namespace calque {

// The variable of that name; nothing if there is none.
const Ct2Variable* find_ct2(const Ct2Model& model, std::string_view name);
// A scalar that is a whole number; nothing if there is none. Throws an Error for anything else.
std::optional<int64_t> ct2_whole(const Ct2Model& model, const std::string& name,
                                 const std::string& place);

// Changes the names and attributes to those of revision 7. Throws an Error that names the place for
// a specification or revision that calque does not import.
void update_ct2(Ct2Model& model, const std::string& place);

// The settings that versions below 6 have as attributes, under their names in config.json. Removes
// the attributes that are texts.
nlohmann::json take_ct2_settings(Ct2Model& model, const std::string& place);

}  // namespace calque
