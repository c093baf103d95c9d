// German as the shipped grammar writes it, against paradigms and sentences written by hand.
#include <doctest/doctest.h>

#include <array>
#include <string>

#include "data/toy/shipped_grammar.h"

using namespace calque;

namespace {

const Grammar& grammar() { return shipped_grammar("en-de.grammar"); }

using Paradigm = std::array<const char*, 4>;  // nominative, accusative, dative, genitive

void check_paradigm(const char* category, const char* english, const Paradigm& german) {
  constexpr std::array cases{"nom", "acc", "dat", "gen"};
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto& pairs = all_pairs(grammar(), category, {cases[i]});
    const auto found = pairs.find(english);
    REQUIRE_MESSAGE(found != pairs.end(), english);
    CHECK(found->second == german[i]);
  }
}

const std::array<std::string, 20> below_twenty{
    "",         "ein",      "zwei",     "drei",     "vier",     "fünf",    "sechs",
    "sieben",   "acht",     "neun",     "zehn",     "elf",      "zwölf",   "dreizehn",
    "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn"};
const std::array<std::string, 10> tens{"",        "",        "zwanzig", "dreißig", "vierzig",
                                       "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"};

// Spells a number, independently of the grammar.
std::string german_number(int n, bool within = false) {
  if (n >= 1000) {
    return (n >= 2000 ? below_twenty[static_cast<size_t>(n / 1000)] : "") + "tausend" +
           (n % 1000 ? german_number(n % 1000, true) : "");
  }
  if (n >= 100) {
    const bool plain = n < 200 && !within;
    return (plain ? "" : below_twenty[static_cast<size_t>(n / 100)]) + "hundert" +
           (n % 100 ? german_number(n % 100) : "");
  }
  if (n == 1) return "eins";
  if (n < 20) return below_twenty[static_cast<size_t>(n)];
  const std::string unit = below_twenty[static_cast<size_t>(n % 10)];
  return (unit.empty() ? "" : unit + "und") + tens[static_cast<size_t>(n / 10)];
}

}  // namespace

TEST_CASE("German articles, adjectives and nouns agree in all four cases") {
  const char* person = "Plain<Person>";
  check_paradigm(person, "the old man",
                 {"der alte Mann", "den alten Mann", "dem alten Mann", "des alten Mannes"});
  check_paradigm(person, "the old woman",
                 {"die alte Frau", "die alte Frau", "der alten Frau", "der alten Frau"});
  check_paradigm(person, "the old child",
                 {"das alte Kind", "das alte Kind", "dem alten Kind", "des alten Kindes"});
  check_paradigm(person, "the old children",
                 {"die alten Kinder", "die alten Kinder", "den alten Kindern", "der alten Kinder"});
  check_paradigm(person, "a tired man",
                 {"ein müder Mann", "einen müden Mann", "einem müden Mann", "eines müden Mannes"});
  check_paradigm(
      person, "a tired girl",
      {"ein müdes Mädchen", "ein müdes Mädchen", "einem müden Mädchen", "eines müden Mädchens"});
  check_paradigm(person, "many rich aunts",
                 {"viele reiche Tanten", "viele reiche Tanten", "vielen reichen Tanten",
                  "vieler reicher Tanten"});
  check_paradigm(person, "rich kings",
                 {"reiche Könige", "reiche Könige", "reichen Königen", "reicher Könige"});
  check_paradigm(person, "no happy queen",
                 {"keine glückliche Königin", "keine glückliche Königin",
                  "keiner glücklichen Königin", "keiner glücklichen Königin"});
  check_paradigm(person, "our small brothers",
                 {"unsere kleinen Brüder", "unsere kleinen Brüder", "unseren kleinen Brüdern",
                  "unserer kleinen Brüder"});
}

TEST_CASE(
    "German nouns of the weak declension end in -n everywhere but in the nominative singular") {
  check_paradigm("Plain<Person>", "the boy",
                 {"der Junge", "den Jungen", "dem Jungen", "des Jungen"});
  check_paradigm("Plain<Person>", "this neighbour",
                 {"dieser Nachbar", "diesen Nachbarn", "diesem Nachbarn", "dieses Nachbarn"});
}

TEST_CASE("a German adjective may lose a vowel when it is inflected") {
  check_paradigm("Plain<Machine>", "an expensive car",
                 {"ein teures Auto", "ein teures Auto", "einem teuren Auto", "eines teuren Autos"});
  CHECK(all_pairs(grammar(), "Quality<Machine>", {"bare", "sg", "m", "nom"}).at("expensive") ==
        "teuer");
}

TEST_CASE("a German adjective after a name in the genitive has strong endings") {
  check_paradigm(
      "Owned<Animal>", "Anna's old dog",
      {"Annas alter Hund", "Annas alten Hund", "Annas altem Hund", "Annas alten Hundes"});
}

TEST_CASE("German numbers from 1 to 9999 are spelled correctly") {
  const auto& pairs = all_pairs(grammar(), "Number<Name>");
  CHECK(pairs.size() == 9999);
  CHECK(pairs.at("one") == "eins");
  CHECK(pairs.at("sixteen") == "sechzehn");
  CHECK(pairs.at("seventeen") == "siebzehn");
  CHECK(pairs.at("twenty-one") == "einundzwanzig");
  CHECK(pairs.at("twenty-three") == "dreiundzwanzig");
  CHECK(pairs.at("thirty") == "dreißig");
  CHECK(pairs.at("sixty-six") == "sechsundsechzig");
  CHECK(pairs.at("seventy-seven") == "siebenundsiebzig");
  CHECK(pairs.at("one hundred") == "hundert");
  CHECK(pairs.at("one hundred and one") == "hunderteins");
  CHECK(pairs.at("two hundred and twelve") == "zweihundertzwölf");
  CHECK(pairs.at("nine hundred and ninety-nine") == "neunhundertneunundneunzig");
  CHECK(pairs.at("one thousand") == "tausend");
  CHECK(pairs.at("one thousand and one") == "tausendeins");
  CHECK(pairs.at("one thousand one hundred") == "tausendeinhundert");
  CHECK(pairs.at("two thousand three hundred and forty-five") ==
        "zweitausenddreihundertfünfundvierzig");
  CHECK(pairs.at("nine thousand and ninety") == "neuntausendneunzig");
}

TEST_CASE("every German number equals its English number, spelled independently of the grammar") {
  const auto& pairs = all_pairs(grammar(), "Number<Name>");
  for (int n = 1; n <= 9999; ++n) {
    const auto found = pairs.find(english_number(n));
    REQUIRE_MESSAGE(found != pairs.end(), english_number(n));
    CHECK(found->second == german_number(n));
  }
}

TEST_CASE("German clock times are written out, and half past three is halb vier") {
  const auto& pairs = all_pairs(grammar(), "At");
  CHECK(pairs.size() == 12 * 10);
  CHECK(pairs.at("at half past three") == "um halb vier");
  CHECK(pairs.at("at half past twelve") == "um halb eins");
  CHECK(pairs.at("at one o'clock") == "um ein Uhr");
  CHECK(pairs.at("at a quarter past one") == "um Viertel nach eins");
  CHECK(pairs.at("at twenty to ten") == "um zwanzig vor zehn");
}

TEST_CASE("German dates and years are written out") {
  CHECK(all_pairs(grammar(), "Dated").at("on the third of May") == "am dritten Mai");
  CHECK(all_pairs(grammar(), "Dated").at("on the twenty-first of March") ==
        "am einundzwanzigsten März");
  CHECK(all_pairs(grammar(), "Year").at("in nineteen eighty-nine") ==
        "im Jahr neunzehnhundertneunundachtzig");
}

TEST_CASE("a separable verb is split in a main clause and joined in a subordinate clause") {
  const auto write = [&](const char* category, std::vector<std::string> values,
                         const char* english) {
    values.insert(values.end(), {"sg", "p3"});
    return all_pairs(grammar(), category, values).at(english);
  };
  CHECK(write("Group<Opening,Present>", {"finite"}, "does") == "macht");
  CHECK(all_pairs(grammar(), "Opening", {"present", "sg", "p3", "finite"}).at("opens") == "macht");
  CHECK(all_pairs(grammar(), "Opening", {"present", "sg", "p3", "end"}).at("opens") == "auf");
  CHECK(all_pairs(grammar(), "Opening", {"past", "pl", "p3", "whole"}).at("opened") ==
        "aufmachten");
  CHECK(all_pairs(grammar(), "Opening", {"to", "pl", "p3", "whole"}).at("open") == "aufzumachen");
  CHECK(write("Group<Opening,Perfect>", {"whole"}, "has opened") == "aufgemacht hat");
  CHECK(write("Group<Moving,Perfect>", {"whole"}, "has got up") == "aufgestanden ist");
  CHECK(write("Group<Meeting,Past>", {"whole"}, "invited") == "einlud");
  CHECK(write("Group<Meeting,Modal>", {"whole"}, "must invite") == "einladen muss");
  CHECK(write("Group<Meeting,Future>", {"whole"}, "will call") == "anrufen wird");
}
