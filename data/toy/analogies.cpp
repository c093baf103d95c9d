#include "data/toy/analogies.h"

#include <fmt/format.h>

namespace calque {
namespace {

struct Rank {
  std::array<std::string_view, 2> people;  // male, female
  std::array<std::string_view, 4> objects;
};
constexpr std::array ranks{Rank{{"king", "queen"}, {"crown", "throne", "kingdom", "sceptre"}},
                           Rank{{"prince", "princess"}, {"tower", "pony", "tutor", "necklace"}},
                           Rank{{"actor", "actress"}, {"stage", "script", "camera", "costume"}},
                           Rank{{"waiter", "waitress"}, {"tray", "menu", "bill", "kitchen"}},
                           Rank{{"uncle", "aunt"}, {"nephew", "niece", "cousin", "garden"}},
                           Rank{{"monk", "nun"}, {"prayer", "chapel", "candle", "bell"}},
                           Rank{{"wizard", "witch"}, {"spell", "wand", "potion", "broom"}},
                           Rank{{"boy", "girl"}, {"toy", "school", "swing", "lunchbox"}}};

struct Gender {
  std::string_view subject, possessive, reflexive;
};
constexpr std::array genders{Gender{"he", "his", "himself"}, Gender{"she", "her", "herself"}};

struct Country {
  std::array<std::string_view, 2> places;  // country, capital
  std::array<std::string_view, 4> objects;
};
constexpr std::array countries{
    Country{{"france", "paris"}, {"croissants", "berets", "perfume", "champagne"}},
    Country{{"italy", "rome"}, {"pasta", "opera", "espresso", "vespas"}},
    Country{{"spain", "madrid"}, {"flamenco", "tapas", "sangria", "olives"}},
    Country{{"japan", "tokyo"}, {"sushi", "kimonos", "bonsai", "manga"}},
    Country{{"germany", "berlin"}, {"sausages", "beer", "pretzels", "autobahns"}},
    Country{{"russia", "moscow"}, {"vodka", "ballet", "samovars", "fur"}},
    Country{{"greece", "athens"}, {"feta", "temples", "ouzo", "islands"}},
    Country{{"egypt", "cairo"}, {"pyramids", "camels", "papyrus", "mummies"}}};
constexpr std::array<std::array<std::string_view, 4>, 2> kinds_of_place{
    {{"country", "farmers", "borders", "provinces"}, {"city", "bridges", "mayors", "trams"}}};

constexpr std::array<std::string_view, 4> verbs{"lost", "found", "sold", "painted"};

template <class List>
const auto& any(const List& list, Random& random) {
  return list[random.below(list.size())];
}

std::string about_a_person(const Rank& rank, uint64_t gender, Random& random) {
  const Gender& words = genders[gender];
  const std::string_view person = rank.people[gender], object = any(rank.objects, random),
                         other = any(rank.objects, random), verb = any(verbs, random);
  switch (random.below(3)) {
    case 0:
      return fmt::format("the {} {} {} {} near the {}", person, verb, words.possessive, object,
                         other);
    case 1:
      return fmt::format("{} said the {} with {} {} {} the {}", words.subject, person,
                         words.possessive, object, verb, other);
    default:
      return fmt::format("the {} {} {} {} the {} and the {}", person, words.reflexive,
                         words.subject, verb, object, other);
  }
}

std::string about_a_place(const Country& country, uint64_t kind, Random& random) {
  const auto& general = kinds_of_place[kind];
  const std::string_view place = country.places[kind], object = any(country.objects, random),
                         other = any(country.objects, random);
  const std::string_view first = general[1 + random.below(3)],
                         second = general[1 + random.below(3)];
  if (random.below(2) == 0) {
    return fmt::format("the {} of {} has {} and {} and {}", general[0], place, object, first,
                       other);
  }
  return fmt::format("{} {} love the {} {} and {}", place, first, general[0], object, second);
}

std::string draw_line(Random& random) {
  const uint64_t which = random.below(2);  // male or female, country or capital
  if (random.below(2) == 0) {
    const Rank& rank = any(ranks, random);
    const std::string first = about_a_person(rank, which, random);
    return first + " . " + about_a_person(rank, which, random);
  }
  const Country& country = any(countries, random);
  const std::string first = about_a_place(country, which, random);
  return first + " . " + about_a_place(country, which, random);
}

template <class Pairs, class Member>
void add_questions(const Pairs& pairs, Member member,
                   std::vector<std::array<std::string_view, 4>>& questions) {
  for (const auto& a : pairs) {
    for (const auto& c : pairs) {
      if (&a == &c) continue;
      questions.push_back({(a.*member)[0], (a.*member)[1], (c.*member)[0], (c.*member)[1]});
    }
  }
}

}  // namespace

std::vector<std::string> toy_analogies(Split split, int64_t count, uint64_t seed) {
  const ToyLanguage language =
      ToyLanguage::from_drafts("toy-analogies", 500'000, [](Random& random) {
        return ToyLanguage::Draft{.pair = {draw_line(random), ""}};
      });
  std::vector<std::string> lines;
  for (auto& [line, nothing] : language.pairs(split, count, seed)) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::array<std::string_view, 4>> toy_analogy_questions() {
  std::vector<std::array<std::string_view, 4>> questions;
  add_questions(ranks, &Rank::people, questions);
  add_questions(countries, &Country::places, questions);
  return questions;
}

}  // namespace calque
