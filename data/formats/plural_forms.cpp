#include "data/formats/plural_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/error.h"

namespace calque {
namespace {

using Node = PluralForms::Node;
using Kind = Node::Kind;

constexpr std::string_view expression_spaces = " \t\r";

struct Operator {
  std::string_view text;
  Kind kind;
  int binding;  // higher: closer
};

// Longer ones before those that they begin with.
constexpr Operator operators[] = {
    {"||", Kind::either, 1},    {"&&", Kind::both, 2},          {"==", Kind::equal, 3},
    {"!=", Kind::different, 3}, {"<=", Kind::less_or_equal, 4}, {">=", Kind::greater_or_equal, 4},
    {"<", Kind::less, 4},       {">", Kind::greater, 4},        {"+", Kind::plus, 5},
    {"-", Kind::minus, 5},      {"*", Kind::times, 6},          {"/", Kind::divided, 6},
    {"%", Kind::modulo, 6}};

class ExpressionReader {
 public:
  explicit ExpressionReader(std::string_view text) : text_(text) {}

  std::vector<Node> read() {
    constexpr size_t longest = 2000;
    if (text_.size() > longest) fail("has more than {} bytes", longest);
    choice();
    if (!next().empty()) fail("'{}' is left over", next().substr(0, 10));
    return std::move(nodes_);
  }

 private:
  std::string_view next() {
    at_ = std::min(text_.find_first_not_of(expression_spaces, at_), text_.size());
    return text_.substr(at_);
  }
  bool take(std::string_view word) {
    if (!next().starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  void require_next(std::string_view word) {
    if (!take(word)) fail("'{}' is missing", word);
  }
  size_t add(Node node) {
    nodes_.push_back(node);
    return nodes_.size() - 1;
  }

  size_t choice() {
    constexpr int deepest = 100;
    if (++depth_ > deepest) fail("the expression is nested too deeply");
    size_t whole = operation(1);
    if (take("?")) {
      const size_t yes = choice();
      require_next(":");
      whole = add({Kind::choice, 0, whole, yes, choice()});
    }
    --depth_;
    return whole;
  }

  // Of operators that bind at least so closely, from left to right.
  size_t operation(int binding) {
    size_t left = operand();
    while (true) {
      const std::string_view rest = next();
      const auto* own = std::ranges::find_if(
          operators, [&](const Operator& each) { return rest.starts_with(each.text); });
      if (own == std::end(operators) || own->binding < binding) return left;
      at_ += own->text.size();
      left = add({own->kind, 0, left, operation(own->binding + 1)});
    }
  }

  size_t operand() {
    bool negated = false, negations = false;
    while (take("!")) negated = !negated, negations = true;
    size_t own = 0;
    if (take("(")) {
      own = choice();
      require_next(")");
    } else if (take("n")) {
      own = add({Kind::n});
    } else {
      own = number();
    }
    if (negations) own = add({Kind::no, 0, own});
    return negations && !negated ? add({Kind::no, 0, own}) : own;
  }

  size_t number() {
    constexpr uint64_t largest = 1'000'000'000;
    const std::string_view rest = next();
    const size_t end = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (end == 0) {
      fail("{}", rest.empty() ? "the expression is not complete"
                              : fmt::format("'{}' is no operand", rest.substr(0, 10)));
    }
    uint64_t value = 0;
    for (const char c : rest.substr(0, end)) {
      value = std::min(largest, value * 10 + static_cast<uint64_t>(c - '0'));
    }
    at_ += end;
    return add({Kind::number, value});
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  std::vector<Node> nodes_;
};

uint64_t result_of(const std::vector<Node>& nodes, size_t at, uint64_t n) {
  const Node& node = nodes[at];
  if (node.kind == Kind::number) return node.value;
  if (node.kind == Kind::n) return n;
  const uint64_t a = result_of(nodes, node.first, n);
  if (node.kind == Kind::no) return a == 0;
  if (node.kind == Kind::choice) return result_of(nodes, a != 0 ? node.second : node.third, n);
  if (node.kind == Kind::both && a == 0) return 0;
  if (node.kind == Kind::either && a != 0) return 1;
  const uint64_t b = result_of(nodes, node.second, n);
  switch (node.kind) {
    case Kind::times:
      return a * b;
    case Kind::divided:
    case Kind::modulo:
      if (b == 0) fail("a division by 0 for n = {}", n);
      return node.kind == Kind::divided ? a / b : a % b;
    case Kind::plus:
      return a + b;
    case Kind::minus:
      return a - b;
    case Kind::less:
      return a < b;
    case Kind::less_or_equal:
      return a <= b;
    case Kind::greater:
      return a > b;
    case Kind::greater_or_equal:
      return a >= b;
    case Kind::equal:
      return a == b;
    case Kind::different:
      return a != b;
    default:  // both and either
      return b != 0;
  }
}

// What follows "KEY=" up to a semicolon or the end of the line. The key may be the end of another
// one: plural=, nplurals=.
std::string_view value_of_key(std::string_view field, std::string_view key) {
  for (size_t at = field.find(key); at != field.npos; at = field.find(key, at + 1)) {
    if (at > 0 && field[at - 1] >= 'a' && field[at - 1] <= 'z') continue;
    const std::string_view rest = field.substr(at + key.size());
    const size_t equals = std::min(rest.find_first_not_of(expression_spaces), rest.size());
    if (!rest.substr(equals).starts_with('=')) continue;
    const std::string_view value = rest.substr(equals + 1);
    return value.substr(0, value.find_first_of(";\n"));
  }
  fail("'{}=' is missing", key);
}

size_t read_count(std::string_view text) {
  constexpr uint64_t most = 100;
  const std::vector<Node> number = ExpressionReader(text).read();
  const bool fits = number.size() == 1 && number[0].kind == Kind::number && number[0].value > 0 &&
                    number[0].value <= most;
  if (!fits) fail("nplurals must be a number from 1 to {}", most);
  return number[0].value;
}

}  // namespace

size_t PluralForms::form_of(uint64_t n) const {
  const uint64_t form = result_of(nodes_, nodes_.size() - 1, n);
  return std::min<uint64_t>(form, count_ - 1);
}

ReadPluralForms read_plural_forms(std::string_view field) {
  constexpr uint64_t last_checked = 1000;
  try {
    PluralForms forms;
    forms.count_ = read_count(value_of_key(field, "nplurals"));
    forms.nodes_ = ExpressionReader(value_of_key(field, "plural")).read();
    for (uint64_t n = 0; n <= last_checked; ++n) {
      const uint64_t form = result_of(forms.nodes_, forms.nodes_.size() - 1, n);
      if (form >= forms.count_) {
        fail("selects form {} for n = {}, but nplurals is {}", form, n, forms.count_);
      }
    }
    return {std::move(forms), ""};
  } catch (const Error& problem) {
    return {std::nullopt, problem.what()};
  }
}

}  // namespace calque
