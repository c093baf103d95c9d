#pragma once
// Options from keyword arguments, and back: LayerOptions from d_model=64, heads=4. The fields of
// the structs come from their headers (generate/write.py).

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <string>

#include "fields.h"
#include "module/core/inputs.h"

namespace calque::python {

class KeywordReader {
 public:
  KeywordReader(const char* what, const py::dict& keywords)
      : what_(what), left_(keywords.attr("copy")()) {}

  template <class Field>
  void operator()(const char* name, Field& field) {
    known_ += fmt::format("{}{}", known_.empty() ? "" : ", ", name);
    if (!left_.contains(name)) return;
    const py::object value = left_.attr("pop")(name);
    try {
      set(name, field, value);
    } catch (const py::cast_error&) {
      throw py::type_error(
          fmt::format("{}: {} cannot be {}", what_, name, py::repr(value).cast<std::string>()));
    }
  }

  // Throws a TypeError if keywords are left.
  void finish() const {
    for (const auto& [name, value] : left_) {
      throw py::type_error(fmt::format("{}: there is no option '{}'; the options are {}", what_,
                                       name.cast<std::string>(), known_));
    }
  }

 private:
  template <class Field>
  void set(const char* name, Field& field, const py::object& value) const {
    if constexpr (std::is_enum_v<Field>) {
      field = to_choice(names_of(Field()), value);
    } else if constexpr (std::is_class_v<Field>) {
      if (value.is_none()) return;
      KeywordReader inner(name, value.cast<py::dict>());
      each_field(field, inner);
      inner.finish();
    } else {
      field = value.cast<Field>();
    }
  }

  std::string what_;
  py::dict left_;
  std::string known_;
};

template <class Options>
Options options_from(const char* what, const py::dict& keywords) {
  Options options;
  KeywordReader reader(what, keywords);
  each_field(options, reader);
  reader.finish();
  return options;
}

class KeywordWriter {
 public:
  template <class Field>
  void operator()(const char* name, Field& field) {
    if constexpr (std::is_enum_v<Field>) {
      const std::string_view choice = name_of(names_of(field), field);
      dict[name] = choice.empty() ? "none" : std::string(choice);
    } else if constexpr (std::is_class_v<Field>) {
      KeywordWriter inner;
      each_field(field, inner);
      dict[name] = inner.dict;
    } else {
      dict[name] = field;
    }
  }
  py::dict dict;
};

template <class Options>
py::dict keywords_of(Options options) {
  KeywordWriter writer;
  each_field(options, writer);
  return writer.dict;
}

}  // namespace calque::python

namespace pybind11::detail {

template <class Enum>
struct type_caster<calque::python::Choice<Enum>> {
  PYBIND11_TYPE_CASTER(calque::python::Choice<Enum>, const_name("str"));
  bool load(handle object, bool) {
    value.value = calque::python::to_choice(calque::python::names_of(Enum()), object);
    return true;
  }
};

}  // namespace pybind11::detail
