#include "data/toy/grammar_words.h"

#include <algorithm>

#include "core/parse_number.h"

namespace calque {
namespace {

constexpr size_t most_cells = 4096;
constexpr size_t most_values = 31;
constexpr size_t most_letter_sets = 32;

bool is_digit(char c) { return c >= '1' && c <= '9'; }

// A token's text: _ is a space, ^ is silent, and a + at an end is not part of it.
Token read_token(std::string_view written) {
  Token token;
  token.joins_left = written.size() > 1 && written.front() == '+';
  token.joins_right = written.size() > 1 && written.back() == '+';
  if (token.joins_left) written.remove_prefix(1);
  if (token.joins_right) written.remove_suffix(1);
  for (const char c : written) {
    if (c != '^') token.text += c == '_' ? ' ' : c;
  }
  return token;
}

}  // namespace

void WordReader::read_feature(const GrammarBlock& block) {
  const GrammarLine& line = *block.head;
  if (line.fields.size() < 3) line.fail("write: feature NAME VALUE VALUE...");
  if (grammar_.features.size() == most_features) line.fail("more than {} features", most_features);
  Feature feature{line.fields[1], {line.fields.begin() + 2, line.fields.end()}};
  if (feature.values.size() > most_values) line.fail("more than {} values", most_values);
  for (const Feature& other : grammar_.features) {
    if (other.name == feature.name) line.fail("there is a feature '{}' already", feature.name);
  }
  grammar_.features.push_back({feature.name, {}});
  for (const std::string& name : feature.values) {
    if (value(name)) {
      line.fail("'{}' is a value of the feature '{}' already", name,
                grammar_.features[value(name)->first].name);
    }
    grammar_.features.back().values.push_back(name);
  }
}

void WordReader::read_letters(const GrammarBlock& block) {
  const GrammarLine& line = *block.head;
  if (line.fields.size() < 3) line.fail("write: letters NAME LETTER LETTER...");
  if (letters_.size() == most_letter_sets) line.fail("more than {} letter sets", most_letter_sets);
  letters_.emplace_back(line.fields[1],
                        std::vector<std::string>(line.fields.begin() + 2, line.fields.end()));
}

void WordReader::read_table(const GrammarBlock& block) {
  const GrammarLine& line = *block.head;
  if (line.fields.size() < 2) line.fail("write: table NAME FEATURE...");
  Table table;
  size_t cells = 1;
  for (size_t i = 2; i < line.fields.size(); ++i) {
    const auto found = std::find_if(grammar_.features.begin(), grammar_.features.end(),
                                    [&](const Feature& f) { return f.name == line.fields[i]; });
    if (found == grammar_.features.end()) line.fail("no feature '{}'", line.fields[i]);
    table.features.push_back(static_cast<size_t>(found - grammar_.features.begin()));
    cells *= found->values.size();
    if (cells > most_cells) line.fail("a table of more than {} cells", most_cells);
  }
  table.cells.resize(cells);
  for (const GrammarLine& row : block.body) read_row(table, row);
  check_table(line.fields[1], table, line);
  for (const std::string& cell : table.cells) {
    for (const char c : cell) table.parts = std::max(table.parts, is_digit(c) ? c - '0' : 0);
  }
  if (!tables_.emplace(line.fields[1], std::move(table)).second) {
    line.fail("there is a table '{}' already", line.fields[1]);
  }
}

// A row fills the cells of the values that it names, and of every value of a feature that it does
// not name. A row has one form, or one for each value of the last feature. Later rows replace
// earlier ones.
void WordReader::read_row(Table& table, const GrammarLine& line) const {
  const auto sides = split_fields(line.fields, ":");
  if (sides.size() != 2 || sides[1].empty()) line.fail("write a row as VALUE... : FORM...");
  std::vector<uint32_t> allowed(table.features.size(), 0);
  for (const std::string& name : sides[0]) {
    const auto found = value(name);
    if (!found) line.fail("no feature has the value '{}'", name);
    const auto at = std::ranges::find(table.features, found->first);
    if (at == table.features.end()) {
      line.fail("the table does not depend on '{}'", grammar_.features[found->first].name);
    }
    allowed[at - table.features.begin()] |= 1u << found->second;
  }
  const std::vector<std::string>& cells = sides[1];
  const size_t columns =
      table.features.empty() ? 1 : grammar_.features[table.features.back()].values.size();
  if (cells.size() != 1 && (cells.size() != columns || allowed.back() != 0)) {
    line.fail("a row has one form, or {}: one for each value of the last feature", columns);
  }
  for (size_t cell = 0; cell < table.cells.size(); ++cell) {
    bool fits = true;
    size_t rest = cell;
    for (size_t i = table.features.size(); i-- > 0;) {
      const size_t values = grammar_.features[table.features[i]].values.size();
      fits = fits && (allowed[i] == 0 || (allowed[i] >> (rest % values + 1) & 1) != 0);
      rest /= values;
    }
    if (fits) table.cells[cell] = cells.size() == 1 ? cells[0] : cells[cell % columns];
  }
}

void WordReader::check_table(const std::string& name, const Table& table,
                             const GrammarLine& line) const {
  const auto empty = std::ranges::find(table.cells, "");
  if (empty == table.cells.end()) return;
  auto rest = static_cast<size_t>(empty - table.cells.begin());
  std::string place;
  for (size_t i = table.features.size(); i-- > 0;) {
    const auto& values = grammar_.features[table.features[i]].values;
    const std::string& value = values[rest % values.size()];
    place = place.empty() ? value : fmt::format("{} {}", value, place);
    rest /= values.size();
  }
  line.fail("the table '{}' has no form for: {}", name, place);
}

const WordReader::Table& WordReader::table(const std::string& name, const GrammarLine& line) const {
  const auto found = tables_.find(name);
  if (found == tables_.end()) line.fail("no table '{}'", name);
  return found->second;
}

Forms WordReader::fill(const Table& table, const std::string& name,
                       std::span<const std::string> parts, const GrammarLine& line) {
  if (static_cast<int>(parts.size()) != table.parts) {
    line.fail("the table '{}' takes {} parts, not {}", name, table.parts, parts.size());
  }
  Forms forms;
  int32_t stride = 1;
  for (size_t i = table.features.size(); i-- > 0;) {
    forms.axes.push_back({static_cast<uint8_t>(table.features[i]), stride});
    stride *= static_cast<int32_t>(grammar_.features[table.features[i]].values.size());
  }
  for (const std::string& cell : table.cells) {
    std::string written;
    for (const char c : cell) {
      if (is_digit(c)) {
        written += parts[c - '1'];
      } else {
        written += c;
      }
    }
    forms.tokens.push_back(token(written));
  }
  return forms;
}

void WordReader::read_words(const GrammarBlock& block) {
  const GrammarLine& line = *block.head;
  const auto head = split_fields({line.fields.begin() + 1, line.fields.end()}, "|");
  const bool usual = head.size() == 2 && head[0].size() <= 2 && head[1].size() <= 1;
  if (head[0].empty() || (head.size() != 1 && !usual)) {
    line.fail("write: words NAME, or words NAME TABLE | TABLE");
  }
  const std::string source = head[0].size() > 1 ? head[0][1] : "";
  const std::string target = head.size() > 1 && !head[1].empty() ? head[1][0] : "";
  Class& words = classes_[head[0][0]];
  if (words.line != nullptr) line.fail("there are words '{}' already", head[0][0]);
  words.line = block.head;
  for (const GrammarLine& entry : block.body) {
    std::vector<std::string> fields = entry.fields;
    Word word;
    word.line = entry.number;
    word.weight = take_weight(fields, entry);
    const auto sides = split_fields(fields, "|");
    if (sides.size() != 2) entry.fail("write a word as SOURCE | TARGET");
    std::string unused;
    word.forms[0] = read_side(sides[0], source, word.features, word.name, entry);
    word.forms[1] = read_side(sides[1], target, word.features, unused, entry);
    words.words.push_back(static_cast<int32_t>(grammar_.words.size()));
    grammar_.words.push_back(std::move(word));
  }
  if (words.words.empty()) line.fail("no words below");
}

// [VALUE... TABLE:] PART...
Forms WordReader::read_side(const std::vector<std::string>& fields, const std::string& usual,
                            Features& features, std::string& name, const GrammarLine& line) {
  const auto colon = std::ranges::find_if(
      fields, [](const std::string& field) { return field.size() > 1 && field.back() == ':'; });
  std::string table_name = usual;
  auto first = fields.begin();
  if (colon != fields.end()) {
    for (; first != colon; ++first) set_value(*first, features, line);
    table_name = colon->substr(0, colon->size() - 1);
    ++first;
  }
  const std::span<const std::string> parts(first, fields.end());
  name = parts.empty() ? table_name : parts[0];
  if (!table_name.empty()) return fill(table(table_name, line), table_name, parts, line);
  if (parts.size() != 1) line.fail("a word without a table has one part, not {}", parts.size());
  return {{}, {token(parts[0])}};
}

int32_t WordReader::token(const std::string& written) {
  if (written == "-") return no_token;
  const auto [found, added] =
      tokens_.emplace(written, static_cast<int32_t>(grammar_.tokens.size()));
  if (added) {
    grammar_.tokens.push_back(read_token(written));
    written_.push_back(written);
  }
  return found->second;
}

std::optional<std::pair<size_t, uint8_t>> WordReader::value(const std::string& name) const {
  for (size_t i = 0; i < grammar_.features.size(); ++i) {
    const auto& values = grammar_.features[i].values;
    const auto found = std::ranges::find(values, name);
    if (found != values.end()) return {{i, static_cast<uint8_t>(found - values.begin() + 1)}};
  }
  return std::nullopt;
}

void WordReader::set_value(const std::string& name, Features& features,
                           const GrammarLine& line) const {
  const auto found = value(name);
  if (!found) line.fail("no feature has the value '{}'", name);
  features[found->first] = found->second;
}

std::optional<int32_t> WordReader::plain_table(const std::string& name, const GrammarLine& line) {
  const auto found = tables_.find(name);
  if (found == tables_.end()) return std::nullopt;
  const auto [place, added] =
      plain_tables_.emplace(name, static_cast<int32_t>(grammar_.tables.size()));
  if (added) grammar_.tables.push_back(fill(found->second, name, {}, line));
  return place->second;
}

uint32_t WordReader::letter_set(const std::string& name, const GrammarLine& line) const {
  for (size_t i = 0; i < letters_.size(); ++i) {
    if (letters_[i].first == name) return 1u << i;
  }
  line.fail("no letter set '{}'", name);
}

void WordReader::mark_letters() {
  for (size_t t = 0; t < written_.size(); ++t) {
    std::string_view text = written_[t];
    if (grammar_.tokens[t].joins_left) text.remove_prefix(1);
    for (size_t set = 0; set < letters_.size(); ++set) {
      for (const std::string& letter : letters_[set].second) {
        if (text.starts_with(letter)) grammar_.tokens[t].letters |= 1u << set;
      }
    }
  }
}

int64_t WordReader::take_weight(std::vector<std::string>& fields, const GrammarLine& line) {
  if (fields.empty() || !fields.back().starts_with('*')) return 1;
  const std::string text = fields.back().substr(1);
  fields.pop_back();
  const auto weight = parse_number<int>(text);
  if (!weight || *weight < 1 || *weight > 10000) {
    line.fail("'*{}' is not a weight: write * and a whole number from 1 to 10000", text);
  }
  return *weight;
}

}  // namespace calque
