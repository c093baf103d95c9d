#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "train/config/config.h"

namespace calque {

struct Contradiction {
  std::string key;  // the key that the message blames
  std::string message;
};

using Contradictions = std::vector<Contradiction>;

template <class... Args>
void blame(Contradictions& all, std::string key, fmt::format_string<Args...> message,
           Args&&... args) {
  all.push_back({std::move(key), fmt::format(message, std::forward<Args>(args)...)});
}

}  // namespace calque
