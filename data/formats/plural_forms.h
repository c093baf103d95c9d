#pragma once
// The field Plural-Forms of a catalogue's header: the number of plural forms, and a C expression
// that selects one of them for a number n.
//
//   nplurals=3; plural=n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20)
//   ? 1 : 2;

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace calque {

class PluralForms {
 public:
  size_t count() const { return count_; }
  // The form for a number of things.
  size_t form_of(uint64_t n) const;

  struct Node {  // of the expression
    enum class Kind {
      number,
      n,
      no,
      times,
      divided,
      modulo,
      plus,
      minus,
      less,
      less_or_equal,
      greater,
      greater_or_equal,
      equal,
      different,
      both,
      either,
      choice
    } kind;
    uint64_t value = 0;                       // of a number
    size_t first = 0, second = 0, third = 0;  // the operands, which precede it
  };

 private:
  friend struct ReadPluralForms read_plural_forms(std::string_view field);

  size_t count_ = 0;
  std::vector<Node> nodes_;  // the last one is the whole expression
};

struct ReadPluralForms {
  std::optional<PluralForms> forms;
  std::string problem;  // why there are none
};

// Reads the value of the field, which further fields may follow. As for msgfmt --check, the form
// must exist for every n up to 1000.
ReadPluralForms read_plural_forms(std::string_view field);

}  // namespace calque
