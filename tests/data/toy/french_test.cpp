// French as the shipped grammar writes it, against forms and sentences written by hand.
#include <doctest/doctest.h>

#include <array>
#include <string>

#include "data/toy/shipped_grammar.h"

using namespace calque;

namespace {

const Grammar& grammar() { return shipped_grammar("en-fr.grammar"); }

// The French for an English text; "(missing)" if the category does not have the text.
std::string french(const char* category, const char* english,
                   const std::vector<std::string>& values = {}) {
  const auto& pairs = all_pairs(grammar(), category, values);
  const auto found = pairs.find(english);
  return found == pairs.end() ? "(missing)" : found->second;
}

// Spells a number, independently of the grammar. Masculine, as in counting.
std::string french_number(int n, bool last = true) {
  static const std::array<std::string, 17> small{
      "",     "un",  "deux", "trois", "quatre", "cinq",     "six",    "sept", "huit",
      "neuf", "dix", "onze", "douze", "treize", "quatorze", "quinze", "seize"};
  static const std::array<std::string, 7> tens{"",         "dix",       "vingt",   "trente",
                                               "quarante", "cinquante", "soixante"};
  const auto rest = [&](int value) { return value ? " " + french_number(value, last) : ""; };
  if (n >= 1000)
    return (n < 2000 ? "" : small[static_cast<size_t>(n / 1000)] + " ") + "mille" + rest(n % 1000);
  if (n >= 100) {
    const std::string count = n < 200 ? "" : small[static_cast<size_t>(n / 100)] + " ";
    return count + "cent" + (n >= 200 && n % 100 == 0 && last ? "s" : "") + rest(n % 100);
  }
  if (n < 17) return small[static_cast<size_t>(n)];
  if (n < 20) return "dix-" + small[static_cast<size_t>(n - 10)];
  if (n == 80) return last ? "quatre-vingts" : "quatre-vingt";
  if (n > 80) return "quatre-vingt-" + french_number(n - 80);
  const int base = n >= 60 ? 60 : n / 10 * 10;
  const std::string head = tens[static_cast<size_t>(base / 10)];
  if (n == base) return head;
  if (n - base == 1 || n == 71) return head + " et " + french_number(n - base);
  return head + "-" + french_number(n - base);
}

}  // namespace

TEST_CASE("French articles and adjectives agree, and stand before or after the noun") {
  CHECK(french("Plain<Person>", "the small woman") == "la petite femme");
  CHECK(french("Plain<Person>", "the sad women") == "les femmes tristes");
  CHECK(french("Plain<Person>", "a happy girl") == "une fille heureuse");
  CHECK(french("Plain<Animal>", "these white cows") == "ces vaches blanches");
  CHECK(french("Plain<Animal>", "black horses") == "des chevaux noirs");
  CHECK(french("Plain<Animal>", "big horses") == "de grands chevaux");
  CHECK(french("Plain<Food>", "this fresh pear") == "cette poire fraîche");
  CHECK(french("Plain<Machine>", "her expensive cars") == "ses voitures chères");
}

TEST_CASE("French words lose their vowel, or take another form, before a vowel or a silent h") {
  CHECK(french("Plain<Person>", "the man") == "l'homme");
  CHECK(french("Plain<Person>", "the old man") == "le vieil homme");
  CHECK(french("Plain<Person>", "the old men") == "les vieux hommes");
  CHECK(french("Plain<Person>", "this friend") == "cet ami");
  CHECK(french("Plain<Thing>", "my picture") == "mon image");
  CHECK(french("Plain<Thing>", "my beautiful picture") == "ma belle image");
  CHECK(french("Plain<Animal>", "the beautiful bird") == "(missing)");
  CHECK(french("Plain<Openable>", "many windows") == "beaucoup de fenêtres");
  CHECK(french("Plain<Food>", "many eggs") == "beaucoup d'œufs");
  CHECK(french("Spot", "the beautiful hotel") == "le bel hôtel");
  CHECK(french("Spot", "the new hotel") == "le nouvel hôtel");
  CHECK(french("Spot", "her school") == "son école");
}

TEST_CASE("the French article keeps its vowel before an aspirated h") {
  CHECK(french("Plain<Animal>", "the owl") == "le hibou");
  CHECK(french("Plain<Animal>", "this owl") == "ce hibou");
  CHECK(french("Plain<Animal>", "the owls") == "les hiboux");
  CHECK(french("Dated", "on the eighth of May") == "le huit mai");
  CHECK(french("Dated", "on the eleventh of May") == "le onze mai");
  CHECK(french("Dated", "on the first of August") == "le premier août");
}

TEST_CASE("French contracts de and à with le and les, but not with l'") {
  CHECK(french("Owned<Animal>", "the dog of the king") == "le chien du roi");
  CHECK(french("Owned<Animal>", "the dog of the queen") == "le chien de la reine");
  CHECK(french("Owned<Animal>", "the dogs of the man") == "les chiens de l'homme");
  CHECK(french("Owned<Animal>", "Anna's dog") == "le chien d'Anne");
  CHECK(french("Owned<Machine>", "Peter's cars") == "les voitures de Pierre");
  CHECK(french("Answering<To,Flat>", "to answer the kings", {"sg", "m", "p3", "end"}) ==
        "répondre aux rois");
  CHECK(french("Answering<To,Flat>", "to answer the child", {"sg", "m", "p3", "end"}) ==
        "répondre à l'enfant");
}

TEST_CASE("French verbs have their irregular forms") {
  const auto form = [](const char* verbs, const char* english,
                       const std::vector<std::string>& values) {
    return french(verbs, english, values);
  };
  CHECK(form("Moving", "come", {"present", "pl", "p3", "m"}) == "viennent");
  CHECK(form("Giving", "send", {"future", "sg", "p1", "m"}) == "enverrai");
  CHECK(form("Eating", "eat", {"present", "pl", "p1", "m"}) == "mangeons");
  CHECK(form("Attempting", "begin", {"present", "pl", "p1", "m"}) == "commençons");
  CHECK(form("Attempting", "try", {"future", "pl", "p3", "f"}) == "essaieront");
  CHECK(form("Trading", "buys", {"present", "sg", "p3", "m"}) == "achète");
  CHECK(form("Writing", "understood", {"participle", "pl", "f", "p3"}) == "comprises");
  CHECK(form("Saying", "hope", {"future", "sg", "p1", "m"}) == "espérerai");
}

TEST_CASE("French numbers from 1 to 9999 are spelled as in France") {
  const auto& pairs = all_pairs(grammar(), "Number<Name>", {"m"});
  CHECK(pairs.size() == 9999);
  CHECK(pairs.at("twenty-one") == "vingt et un");
  CHECK(pairs.at("seventy") == "soixante-dix");
  CHECK(pairs.at("seventy-one") == "soixante et onze");
  CHECK(pairs.at("eighty") == "quatre-vingts");
  CHECK(pairs.at("eighty-one") == "quatre-vingt-un");
  CHECK(pairs.at("ninety-one") == "quatre-vingt-onze");
  CHECK(pairs.at("ninety-nine") == "quatre-vingt-dix-neuf");
  CHECK(pairs.at("two hundred") == "deux cents");
  CHECK(pairs.at("two hundred and one") == "deux cent un");
  CHECK(pairs.at("three hundred and eighty") == "trois cent quatre-vingts");
  CHECK(pairs.at("one thousand and one") == "mille un");
  CHECK(pairs.at("five thousand six hundred") == "cinq mille six cents");
  for (int n = 1; n <= 9999; ++n) {
    const auto found = pairs.find(english_number(n));
    REQUIRE_MESSAGE(found != pairs.end(), english_number(n));
    CHECK(found->second == french_number(n));
  }
}

TEST_CASE("one is feminine in French before a feminine noun") {
  CHECK(french("Counted<Food>", "twenty-one pears") == "vingt et une poires");
  CHECK(french("Counted<Text>", "twenty-one books") == "vingt et un livres");
  CHECK(french("Counted<Food>", "one hundred and eighty-one apples") ==
        "cent quatre-vingt-une pommes");
}

TEST_CASE("French clock times and years are written out") {
  CHECK(french("At", "at half past three") == "à trois heures et demie");
  CHECK(french("At", "at a quarter to eight") == "à huit heures moins le quart");
  CHECK(french("At", "at ten past one") == "à une heure dix");
  CHECK(french("Year", "in nineteen eighty") == "en mille neuf cent quatre-vingt");
  CHECK(french("Year", "in nineteen ninety-nine") == "en mille neuf cent quatre-vingt-dix-neuf");
}
