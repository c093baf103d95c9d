#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "data/temporary_folder.h"

namespace calque {

// Sets a key of the object in a file of the folder.
template <class Json>
void change_json(const TemporaryFolder& folder, const std::string& file, const std::string& key,
                 const Json& value) {
  Json object = Json::parse(folder.read(file));
  object[key] = value;
  folder.write(file, object.dump());
}

}  // namespace calque
