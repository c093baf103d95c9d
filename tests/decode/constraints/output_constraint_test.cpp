// Which tokens a constraint allows: against a search by brute force, with vocabularies that cannot
// spell everything, and through sample().
#include "decode/constraints/output_constraint.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <regex>

#include "core/error.h"
#include "decode/constraints/json_text.h"
#include "decode/constraints/output_format.h"
#include "decode/constraints/random_output.h"
#include "decode/constraints/regular_expression.h"
#include "decode/markov_model.h"
#include "decode/search/sampling.h"

namespace calque {
namespace {

using Constraint = std::shared_ptr<const OutputConstraint>;

Constraint constrained(std::string_view expression, std::vector<std::string> spellings,
                       std::optional<int32_t> line_end = {}) {
  return std::make_shared<OutputConstraint>(
      std::make_shared<SpelledVocabulary>(std::move(spellings), line_end),
      Grammar{{regular_expression(expression)}});
}

std::string problem_of(std::string_view expression, std::vector<std::string> spellings) {
  try {
    constrained(expression, std::move(spellings));
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

// All texts over a few letters of at most `longest` that match.
std::vector<std::string> all_matches(const std::string& expression, const std::string& letters,
                                     size_t longest) {
  const std::regex peer(expression);
  std::vector<std::string> texts = {""}, matches;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (std::regex_match(texts[i], peer)) matches.push_back(texts[i]);
    if (texts[i].size() == longest) continue;
    for (const char letter : letters) texts.push_back(texts[i] + letter);
  }
  return matches;
}

}  // namespace

TEST_CASE("the allowed tokens are those with which some match begins") {
  const std::vector<std::string> spellings = {"",   "",   "",   "a",  "b",   "c",
                                              "aa", "ab", "ba", "ca", "abc", "abca"};
  std::mt19937 random(3);
  for (const char* expression :
       {"(a|b)*", "abc?(ca)*", "a{2,4}b?", "(ab|ba){2}", "c(a|bc)*a?", "(abca|aa)b*"}) {
    const std::vector<std::string> matches = all_matches(expression, "abc", 8);
    const Constraint constraint = constrained(expression, spellings);
    for (int run = 0; run < 20; ++run) {
      ConstrainedText text(constraint, {end_id}, {});
      std::string written;
      while (written.size() <= 4 && !text.is_complete()) {
        std::vector<int32_t> expected;
        for (int32_t id = special_ids; id < std::ssize(spellings); ++id) {
          const std::string longer = written + spellings[static_cast<size_t>(id)];
          const bool begins = std::ranges::any_of(
              matches, [&](const std::string& match) { return match.starts_with(longer); });
          if (begins) expected.push_back(id);
        }
        const bool ends = std::ranges::count(matches, written) > 0;
        if (ends) expected.insert(expected.begin(), end_id);
        const std::vector<int32_t> allowed =
            allowed_tokens(text, static_cast<int32_t>(spellings.size()));
        CHECK_MESSAGE(allowed == expected, expression, " after ", written);
        if (allowed.empty() || (ends && expected.size() == 1)) break;
        int32_t id = end_id;
        while (id == end_id) id = allowed[random() % allowed.size()];
        written += spellings[static_cast<size_t>(id)];
        text.append(id);
      }
      if (text.is_complete()) CHECK(std::ranges::count(matches, written) > 0);
    }
  }
}

TEST_CASE("every output matches, whatever is drawn") {
  std::mt19937 random(4);
  for (const char* expression :
       {"[ab]{3,5}|\\d+-\\d+", "(true|null|12)( (true|12)){2,}", "[^a]{1,4}é?", "a.b.c",
        "€{2}[^\\n]?", "(a|b)*a(a|b){8}", "\\s*\\{\"a\": -?\\d{1,3}\\}", "x?"}) {
    const Constraint constraint = constrained(expression, small_spellings());
    for (int run = 0; run < 30; ++run) {
      const auto text = random_output(constraint, random);
      REQUIRE_MESSAGE(text.has_value(), expression);
      CHECK_MESSAGE(constraint->accepts(*text), expression, " on ", *text);
      CHECK_MESSAGE(!find_invalid_utf8(*text), *text);
    }
  }
}

TEST_CASE("a vocabulary that cannot spell a character leads to no dead end") {
  // Without b alone, "ab" is no way into "abab" or to the end of "ab+".
  const std::vector<std::string> letters = {"", "", "", "a", "c", "d", "é", "\xC3", "ab"};
  const Constraint constraint = constrained("a*(bb|cd|éa|è)", letters);
  std::mt19937 random(5);
  for (int run = 0; run < 50; ++run) {
    const auto text = random_output(constraint, random);
    REQUIRE(text.has_value());
    CHECK((text->ends_with("cd") || text->ends_with("éa")));
  }
  CHECK(problem_of("b+", letters) == "the model's vocabulary cannot spell any text that matches");
  CHECK(problem_of("[^\\x01-\\U]", letters) ==
        "character 8 of the regular expression: \\U is not supported");
  CHECK(problem_of("a[^\\x01-\\ud7ff\\ue000-\\uffff]", {"", "", "", "a"}) ==
        "the model's vocabulary cannot spell any text that matches");
}

TEST_CASE("at the beginning of a line the first space of a token adds nothing") {
  // 3 is a line end.
  const std::vector<std::string> spellings = {"", "", "", "\n", " ", "a", " a", "b", " b"};
  const Constraint constraint = constrained("a\\nb( b)?", spellings, 3);
  ConstrainedText text(constraint, {end_id}, std::vector<int32_t>{begin_id});
  CHECK(allowed_tokens(text, 9) == std::vector<int32_t>{4, 5, 6});
  CHECK(text.spelling(6) == "a");
  text.append(6);
  CHECK(allowed_tokens(text, 9) == std::vector<int32_t>{3});
  text.append(3);
  CHECK(allowed_tokens(text, 9) == std::vector<int32_t>{4, 7, 8});
  text.append(4);
  CHECK(allowed_tokens(text, 9) == std::vector<int32_t>{7});
  text.append(7);
  CHECK(allowed_tokens(text, 9) == std::vector<int32_t>{end_id, 4, 8});
  text.append(8);
  CHECK(text.is_complete());
  ConstrainedText after_text(constraint, {end_id}, std::vector<int32_t>{begin_id, 5});
  CHECK(allowed_tokens(after_text, 9) == std::vector<int32_t>{5});
}

TEST_CASE("sample() writes what the constraint of an item allows, with the model's probabilities") {
  std::vector<std::string> spellings = {"", "", "", "a", "b", "c"};
  MarkovModel model(6);  // prefers what is forbidden
  for (int32_t id = 0; id < 6; ++id) model.prefer(id, 5), model.prefer(id, end_id);
  const Constraint constraint = constrained("a{2}b|b{3}a*", spellings);
  std::vector<DecodingItem> items(2);
  for (DecodingItem& item : items) item.longest = 10;
  items[0].constraint = ConstrainedText(constraint, {end_id}, {});
  items[1].longest = 2;
  items[1].constraint = items[0].constraint;
  const DecodingModel decoding = model.decoding();
  const auto found = sample({&decoding, 1}, items, {.samples = 50, .close_at_longest = false});
  for (const Hypothesis& each : found[0]) {
    std::string text;
    for (const int32_t id : each.ids) text += spellings[static_cast<size_t>(id)];
    CHECK(each.finished == constraint->accepts(text));
    if (!each.finished) CHECK(text.size() == 10);
    // "aab" ends without </s>, because nothing can follow.
    const double drawn = double(each.ids.size()) + (text != "aab" && each.finished ? 1 : 0);
    const double other = std::log(4 + 2 * std::exp(5.0));
    const double last = text != "aab" && each.finished ? 5 : 0;
    CHECK(each.log_probability == doctest::Approx(last - drawn * other));
  }
  for (const Hypothesis& each : found[1]) CHECK(!each.finished);
}

TEST_CASE("states and masks that no text needs are forgotten, and computed again") {
  const Constraint constraint = constrained("([ab]{3}|c){1,9}d", small_spellings());
  Automaton automaton(ByteNetwork({{regular_expression("(abc|abd){2}")}}, {{'a', 'd'}}));
  const Automaton::State* state = automaton.start().get();
  for (const char c : {'a', 'b', 'c', 'a'}) state = automaton.step(state, static_cast<uint8_t>(c));
  const Automaton::Held held = Automaton::hold(state);
  CHECK(automaton.accepts("abcabdx") == false);
  const int64_t before = automaton.size();
  automaton.forget();
  CHECK(automaton.size() < before);
  const Automaton::State* next = automaton.step(held.get(), 'b');
  REQUIRE(next != nullptr);
  CHECK(automaton.step(next, 'd')->complete);
  CHECK(automaton.accepts("abcabd"));
}

TEST_CASE("the constraint of a recent format is kept, apart for each closing text") {
  const OutputConstraints constraints{Tokenizer(ByteModel(), {.kind = TokenizerKind::bytes})};
  const OutputFormat digits{OutputFormat::Kind::regex, "\\d", "regex"};
  const Constraint first = constraints.of(digits);
  CHECK(constraints.of({}) == nullptr);
  CHECK(constraints.of({OutputFormat::Kind::json_schema, "{}", "schema"}) != first);
  CHECK(constraints.of(digits) == first);
  CHECK(constraints.of(digits, {"<end>"}) != first);
  for (const char* other : {"a", "b", "c", "d"}) {
    CHECK(constraints.of({OutputFormat::Kind::regex, other, "regex"})->accepts(other));
  }
  CHECK(constraints.of(digits) != first);
  const OutputConstraints of_words{Tokenizer()};
  CHECK_THROWS_WITH_AS(of_words.of(digits),
                       "regex: the output of a model with a tokenizer of the kind words cannot be "
                       "constrained",
                       Error);
}

TEST_CASE("a closing text may follow a match, and is no part of a longer one") {
  Grammar grammar = json_object_grammar();
  grammar.closings = {"<|end|>"};
  const auto constraint = std::make_shared<OutputConstraint>(
      std::make_shared<SpelledVocabulary>(small_spellings()), grammar);
  CHECK(constraint->accepts("{}"));
  CHECK(constraint->accepts("{}<|end|>"));
  CHECK_FALSE(constraint->accepts("{}<|end"));
  ConstrainedText text(constraint, {end_id}, {});
  text.append(special_ids + '{');
  CHECK_FALSE(text.is_complete());
  text.append(special_ids + '}');
  CHECK(text.is_complete());
}

}  // namespace calque
