// Small grammars, and the errors about wrong grammars.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "data/toy/derivation.h"
#include "data/toy/shipped_grammar.h"
#include "support/message_of.h"

using namespace calque;

namespace {

std::string error_of(const std::string& text) {
  return message_of([&] { parse_grammar(text, "g"); });
}

// All texts of the start category, as "source | target" lines in order.
std::string all_of(const std::string& text) {
  const Grammar grammar = parse_grammar("languages en xx\nstart S\n" + text, "g");
  std::string lines;
  Writer write(grammar);
  const auto count = static_cast<uint64_t>(grammar.categories[0].count);
  for (uint64_t i = 0; i < count; ++i) {
    const Derivation tree = nth_derivation(grammar, grammar.start, i);
    lines += write(tree, 0) + " | " + write(tree, 1) + "\n";
  }
  return lines;
}

}  // namespace

TEST_CASE("a rule writes its children in the order of each side") {
  CHECK(all_of("words A\n  a | x\n  b | y\n"
               "rule S -> A\n  en \"one\" A\n  xx A \"eins\"\n") ==
        "One a | X eins\nOne b | Y eins\n");
}

TEST_CASE("a side without a line of its own writes the children in order") {
  CHECK(all_of("words A\n  a | x\nrule S -> A Other:A\n") == "A a | X x\n");
}

TEST_CASE("features pass up from the children marked ^ and down to all children") {
  CHECK(all_of("feature number sg pl\n"
               "table noun number\n  : 1 1s\n"
               "table verb number\n  : 1t 1en\n"
               "words Noun noun | noun\n  sg noun: cat | noun: kat\n  pl noun: cat | noun: kat\n"
               "words Verb | verb\n  sleep | slaf\n"
               "rule S -> Noun^ Verb\n") == "Cat sleep | Kat slaft\nCats sleep | Kats slafen\n");
}

TEST_CASE(
    "the features of an item are those of the children in its brackets, then the values there") {
  const std::string words =
      "feature number sg pl\ntable t number\n  : one many\n"
      "words A\n  a | sg t:\nwords B\n  b | pl t:\n";
  CHECK(all_of(words + "rule S -> A B\n  xx t[A] t[B] t[A pl] t[B A]\n") ==
        "A b | One many many one\n");
}

TEST_CASE("the first line whose guard holds is written, and nothing if no guard holds") {
  const std::string rules =
      "feature mood calm loud\nwords A\n  a | x\n"
      "rule S -> T\n  en T[calm]\n  xx T[loud]\n";
  CHECK(all_of(rules +
               "rule T -> A\n  en[loud] \"L\" A\n  en A\n  xx[calm] A\n  xx[loud] A \"!\"\n") ==
        "A | X !\n");
  CHECK(all_of(rules + "rule T -> A\n  xx[calm] A\n") == "A | \n");
}

TEST_CASE("rules with parameters are instantiated for each argument used") {
  CHECK(all_of("words Cat\n  cat | kat\nwords Dog\n  dog | hund\n"
               "rule The<X> -> X\n  en \"the\" X\n  xx \"de\" X\n"
               "rule The<Dog> -> Dog\n  en \"that\" Dog\n  xx \"den\" Dog\n"
               "rule S -> The<Cat> | The<Dog>\n") ==
        "The cat | De kat\nThe dog | De hund\nThat dog | Den hund\n");
}

TEST_CASE(
    "a plus joins a token to its neighbour, an underscore is a space, a caret writes nothing") {
  CHECK(all_of("words A\n  ice_cream | a^b\nrule S -> A\n  en A \"+.\"\n"
               "  xx \"l'+\" A \"+-+\" A \"++\" A\n") == "Ice cream. | L'ab-abab\n");
}

TEST_CASE("a dash writes nothing") {
  CHECK(all_of("words A\n  - | x\nrule S -> A\n  en A \"b\"\n") == "B | X\n");
}

TEST_CASE("rewriting goes from right to left and sees the tokens already changed") {
  const std::string rules =
      "letters vowel a e i o u h\nwords A\n  a | roi\n  b | homme\n  c | ^hibou\n"
      "rule S -> A\n  xx \"de le\" A\n"
      "rewrite xx\n  de le -> du\n  le <vowel> -> l'+\n";
  CHECK(all_of(rules) == "A | Du roi\nB | De l'homme\nC | Du hibou\n");
}

TEST_CASE("rewrites that lead to one another terminate") {
  CHECK(all_of("letters l b\nwords A\n  a | b\nrule S -> A\n  xx \"x\" A\n"
               "rewrite xx\n  x <l> -> y\n  y <l> -> x\n")
            .starts_with("A | "));
}

TEST_CASE("a sentence begins with a capital, also an accented one") {
  CHECK(all_of("words A\n  a | à\n  a | école\n  a | über\n  a | ÷\nrule S -> A\n") ==
        "A | À\nA | École\nA | Über\nA | ÷\n");
}

TEST_CASE("alternatives are drawn in proportion to their weights") {
  const Grammar grammar =
      parse_grammar("languages en xx\nstart S\nwords A\n  a | x *3\n  b | y\nrule S -> A\n", "g");
  Random random(Stream{.seed = 1});
  Derivation tree;
  Writer write(grammar);
  int often = 0;
  for (int i = 0; i < 10'000; ++i) {
    derive(grammar, grammar.start, random, tree);
    often += write(tree, 0) == "A";
  }
  CHECK(often > 7'200);
  CHECK(often < 7'800);
}

TEST_CASE("the label nearest above a word is its construction") {
  const Grammar grammar = parse_grammar(
      "languages en xx\nstart S\nwords A\n  a | x\n  b | y\n"
      "rule S -> Inner @outer | Plain @outer\nrule Inner -> A @inner\n  en \"i\" A\n"
      "rule Plain -> A\nunseen outer : a\n",
      "g");
  Writer write(grammar);
  std::vector<std::string> unseen;
  for (uint64_t i = 0; i < 4; ++i) {
    const Derivation tree = nth_derivation(grammar, grammar.start, i);
    if (tree.unseen) unseen.push_back(write(tree, 0));
  }
  CHECK(unseen == std::vector<std::string>{"A"});
}

TEST_CASE("the error about a grammar names the file, the line and the fix") {
  const std::string head = "languages en xx\nstart S\nfeature number sg pl\n";
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {"", "g: no start category: write start NAME"},
      {"langages en de\n",
       "g:1: 'langages' is not a statement; the statements are: feature, languages, letters, "
       "rewrite, rule, start, table, unseen, words"},
      {"  a | b\n", "g:1: an indented line without a statement above it"},
      {"languages en\n", "g:1: write: languages SOURCE TARGET"},
      {head + "feature case nom sg\n", "g:4: 'sg' is a value of the feature 'number' already"},
      {head + "feature number a\n", "g:4: there is a feature 'number' already"},
      {head + "table t tense\n  : a\n", "g:4: no feature 'tense'"},
      {head + "table t number\n  sg : a\n", "g:4: the table 't' has no form for: pl"},
      {head + "table t number\n  : a b c\n",
       "g:5: a row has one form, or 2: one for each value of the last feature"},
      {head + "table t number\n  sg a\n", "g:5: write a row as VALUE... : FORM..."},
      {head + "table t\n  sg : a\n", "g:5: the table does not depend on 'number'"},
      {head + "table t number\n  : 1 2\nwords A t | t\n  a b | c\n",
       "g:7: the table 't' takes 2 parts, not 1"},
      {head + "words A\n  a b\n", "g:5: write a word as SOURCE | TARGET"},
      {head + "words A\n  a | dual t: b\n", "g:5: no feature has the value 'dual'"},
      {head + "words A\n  a | t: b\n", "g:5: no table 't'"},
      {head + "words A\n  a | b *0\n",
       "g:5: '*0' is not a weight: write * and a whole number from 1 to 10000"},
      {head + "words A\n  a | b *x\n",
       "g:5: '*x' is not a weight: write * and a whole number from 1 to 10000"},
      {head + "words A\n", "g:4: no words below"},
      {head + "words A\n  a | b\nwords A\n  a | b\n", "g:6: there are words 'A' already"},
      {head + "rule S A\n", "g:4: write: rule NAME -> CHILD..."},
      {head + "rule S -> A\n", "g:4: no words or rules for 'A'"},
      {head + "rule S<X -> A\n", "g:4: 'S<X' is not a category: write Name or Name<Argument>"},
      {head + "rule S -> A A\n", "g:4: two children are called 'A': write other:A for one"},
      {head + "words A\n  a | b\nrule S -> A\n  de A\n", "g:7: 'de' is not one of the languages"},
      {head + "words A\n  a | b\nrule S -> A\n  en B\n",
       "g:7: 'B' is neither a child of the rule nor a table; texts are in quotes"},
      {head + "words A\n  a | b\nrule S -> A\n  en A[dual]\n",
       "g:7: no feature has the value 'dual'"},
      {head + "words A\n  a | b\nrule S -> A\n  en \"x A\n", "g:7: a \" is missing"},
      {head + "words A\n  a | b\nrule S -> A\n  en A[sg\n", "g:7: a ] is missing"},
      {head + "rule S -> S\n", "g:2: 'S' contains itself: a grammar must be finite"},
      {head + "words A\n  a | b\nrule S -> A\nrule T -> A\n", "g:7: no rule leads to 'T'"},
      {head + "words A\n  a | b\nrule S -> A\nwords B\n  a | b\n",
       "g:7: no rule leads to the words 'B'"},
      {head + "words S\n  a | b\nrule S -> S\n", "g:6: 'S' has words: it can have no rules"},
      {head + "words S\n  a | b\nrewrite de\n", "g:6: 'de' is not one of the languages"},
      {head + "words S\n  a | b\nrewrite xx\n  a <v> -> b\n", "g:7: no letter set 'v'"},
      {head + "words S\n  a | b\nrewrite xx\n  a b\n", "g:7: write: LEFT RIGHT -> RESULT"},
      {head + "words S\n  a | b\nunseen q : a\n", "g:6: no rule has the label '@q'"},
      {head + "words A\n  a | b\nrule S -> A @q\nunseen q : c\n", "g:7: no word 'c'"},
  };
  for (const auto& [text, message] : mistakes) CHECK(error_of(text) == message);
}

TEST_CASE("a rule that leads to ever larger categories is an error") {
  const std::string message =
      error_of("languages en xx\nstart S\nrule S -> A<B>\nrule A<X> -> A<C<X,X>>\n");
  CHECK(message.starts_with("g:4: this leads to infinitely many categories"));
}

TEST_CASE("a form that depends on a feature without a value is an error that names the line") {
  const Grammar grammar = parse_grammar(
      "languages en xx\nstart S\nfeature number sg pl\ntable t number\n  : a b\n"
      "words A\n  a | t:\nrule S -> A\n",
      "g");
  Writer write(grammar);
  const Derivation tree = nth_derivation(grammar, grammar.start, 0);
  CHECK(write(tree, 0) == "A");
  CHECK_THROWS_WITH_AS(write(tree, 1),
                       "g:7: the form depends on the feature 'number', which has no value here",
                       Error);
}

TEST_CASE("a damaged grammar file still works or is refused with an error that names it") {
  for (const std::string name : {"en-de.grammar", "en-fr.grammar"}) {
    const std::string whole = grammar_text(name);
    Random random(Stream{.seed = 3});
    for (int i = 0; i < 150; ++i) {
      std::string text = whole;
      if (i % 3 == 0) text.resize(random.below(text.size()));
      for (int damage = 0; damage < 1 + i % 5 && !text.empty(); ++damage) {
        text[random.below(text.size())] = static_cast<char>(random.below(256));
      }
      try {
        const Grammar grammar = parse_grammar(text, "g");
        Derivation tree;
        derive(grammar, grammar.start, random, tree);
        Writer write(grammar);
        write(tree, 0);
        write(tree, 1);
      } catch (const Error& error) {
        CHECK(std::string(error.what()).starts_with("g:"));
      }
    }
  }
}
