#include "data/toy/text.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <string_view>

#include "data/toy/derivation.h"

namespace calque {

extern const std::string_view en_de_grammar;

namespace {

struct Person {
  std::string_view name, pronoun;
};
constexpr std::array persons{
    Person{"Clara", "She"}, Person{"Hugo", "He"},   Person{"Ida", "She"},   Person{"Otto", "He"},
    Person{"Nora", "She"},  Person{"Felix", "He"},  Person{"Vera", "She"},  Person{"Bruno", "He"},
    Person{"Mila", "She"},  Person{"Anton", "He"},  Person{"Lotte", "She"}, Person{"Karl", "He"},
    Person{"Emma", "She"},  Person{"Victor", "He"}, Person{"Olga", "She"},  Person{"Leo", "He"}};

constexpr std::array<std::string_view, 12> trades{"baker",   "painter",  "doctor",    "farmer",
                                                  "teacher", "sailor",   "tailor",    "lawyer",
                                                  "singer",  "gardener", "carpenter", "pilot"};
constexpr std::array<std::string_view, 12> towns{"Lyon",    "Bremen", "Turin",  "Ghent",
                                                 "Porto",   "Krakow", "Bergen", "Dublin",
                                                 "Seville", "Zurich", "Athens", "Riga"};
constexpr std::array<std::string_view, 12> habits{
    "likes tea",          "walks to the market", "reads a letter",     "sings at night",
    "sleeps very little", "has three brothers",  "swims in the river", "wants a new hat",
    "laughs a lot",       "knows the king",      "collects old maps",  "rides a grey horse"};

// One combination in twelve is held out of training. Each trade and each town has eleven others.
bool held_out_trade(uint64_t trade, uint64_t town) { return (trade + 5 * town) % 12 == 0; }

ToyLanguage::Draft draw_text(const Grammar& grammar, Random& random) {
  const Person& person = persons[random.below(persons.size())];
  const uint64_t trade = random.below(trades.size()), town = random.below(towns.size());
  ToyLanguage::Draft draft;
  draft.unseen = held_out_trade(trade, town);
  std::string& text = draft.pair.first;
  text = fmt::format("{} is a {} from {}.", person.name, trades[trade], towns[town]);
  Writer write(grammar);
  Derivation tree;
  for (uint64_t left = 3 + random.below(4); left > 0; --left) {
    if (random.below(2) == 0) {
      derive(grammar, grammar.start, random, tree);
      draft.unseen = draft.unseen || tree.unseen;
      text += " " + write(tree, 0);
    } else {
      text += fmt::format(" {} {}.", person.pronoun, habits[random.below(habits.size())]);
    }
  }
  text += fmt::format("\nSo says {}, the {} from {}.", person.name, trades[trade], towns[town]);
  return draft;
}

ToyLanguage toy_text_language() {
  const auto grammar =
      std::make_shared<const Grammar>(parse_grammar(en_de_grammar, "en-de.grammar"));
  const double sentences = grammar->categories[grammar->start].count;
  const double introductions = static_cast<double>(persons.size() * trades.size() * towns.size());
  return ToyLanguage::from_drafts("toy-text", introductions * sentences, [grammar](Random& random) {
    return draw_text(*grammar, random);
  });
}

}  // namespace

std::vector<std::string> toy_text(Split split, int64_t count, uint64_t seed) {
  std::vector<std::string> documents;
  for (auto& [document, nothing] : toy_text_language().pairs(split, count, seed)) {
    documents.push_back(std::move(document));
  }
  return documents;
}

}  // namespace calque
