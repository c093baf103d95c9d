#pragma once
// An enum's values with their names, as settings and messages spell them. The table of names is
// declared near its enum: name_of(tyings, Tying::all) is "all".

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace calque {

template <class Choice>
struct Named {
  std::string_view name;
  Choice choice;
};

// Empty if the table lacks the choice.
template <class Choice>
constexpr std::string_view name_of(std::span<const Named<Choice>> names,
                                   std::type_identity_t<Choice> choice) {
  for (const Named<Choice>& named : names) {
    if (named.choice == choice) return named.name;
  }
  return {};
}

template <class Choice, size_t count>
constexpr std::string_view name_of(const Named<Choice> (&names)[count], Choice choice) {
  return name_of(std::span<const Named<Choice>>(names), choice);
}

// The first choice of that name, if there is one.
template <class Choice, size_t count>
constexpr std::optional<Choice> choice_named(const Named<Choice> (&names)[count],
                                             std::string_view name) {
  for (const Named<Choice>& named : names) {
    if (named.name == name) return named.choice;
  }
  return {};
}

}  // namespace calque
