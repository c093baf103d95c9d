#pragma once
// Converts old models of CTranslate2 to the current form, as CTranslate2 itself does. Binary
// version 1 does not name the specification. Revision 1 has the variable names of OpenNMT-tf;
// revisions below 3 do not store the number of heads; revisions below 5 store attributes once for
// encoder and decoder together. Binary versions below 6 store attributes in place of config.json.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "interop/ctranslate2/file.h"

namespace calque {

// The variable of that name; nothing if there is none.
const Ct2Variable* find_ct2(const Ct2Model& model, std::string_view name);
// The value of a scalar; nothing if there is none of that name. Throws an Error if the variable is
// not a whole number.
std::optional<int64_t> ct2_whole(const Ct2Model& model, const std::string& name,
                                 const std::string& place);

// Changes the names and attributes to those of revision 7. Throws an Error that names the place for
// a specification or revision that calque does not import.
void upgrade_to_current_revision(Ct2Model& model, const std::string& place);

// The settings that binary versions below 6 store as attributes, under their names in config.json.
// Removes the attributes that are texts from the model.
nlohmann::json take_ct2_settings(Ct2Model& model, const std::string& place);

}  // namespace calque
