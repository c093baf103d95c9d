// TER against values by hand and published ones, and its properties for any text.
#include "train/metrics/translation/ter.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "core/random.h"
#include "train/metrics/sentence_scores.h"
#include "train/metrics/translation/edit_distance.h"

using namespace calque;

namespace {

using Lines = std::vector<std::string>;
using Streams = std::vector<Lines>;
using Words = std::vector<int32_t>;

doctest::Approx near(double value) { return doctest::Approx(value).epsilon(1e-9); }

double rate(const std::string& hypothesis, const std::string& reference) {
  return sentence_ter(hypothesis, Lines{reference}).score;
}

// The standard edit distance, over the whole table.
int64_t plain_distance(const Words& a, const Words& b) {
  std::vector<int64_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    int64_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const int64_t replace = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replace, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

Words random_words(Random& random, size_t length) {
  Words words(length);
  for (int32_t& word : words) word = static_cast<int32_t>(random.below(6));
  return words;
}

}  // namespace

TEST_CASE("each kind of edit costs one") {
  CHECK(rate("a b c d", "a b c d") == 0);
  CHECK(rate("a b d", "a b c d") == near(25));        // insert
  CHECK(rate("a b x c d", "a b c d") == near(25));    // delete
  CHECK(rate("a x c d", "a b c d") == near(25));      // substitute
  CHECK(rate("c d e a b", "a b c d e") == near(20));  // shift
  CHECK(rate("d e f g h a b c", "a b c d e f g h") == near(100.0 / 8));
  CHECK(rate("", "a") == near(100));
  CHECK(rate("dddd eeee ffff", "aaaa bbbb cccc") == near(100));
}

TEST_CASE("German sentences have the value published in sacreBLEU's own tests") {
  const Lines hypotheses = {
      "wählen Sie \" Bild neu berechnen , \" um beim Ändern der Bildgröße Pixel hinzuzufügen oder "
      "zu "
      "entfernen , damit das Bild ungefähr dieselbe Größe aufweist wie die andere Größe .",
      "wenn Sie alle Aufgaben im aktuellen Dokument aktualisieren möchten , wählen Sie im Menü des "
      "Aufgabenbedienfelds die Option \" Alle Aufgaben aktualisieren . \"",
      "klicken Sie auf der Registerkarte \" Optionen \" auf die Schaltfläche \" Benutzerdefiniert "
      "\" "
      "und geben Sie Werte für \" Fehlerkorrektur-Level \" und \" Y / X-Verhältnis \" ein .",
      "Sie können beispielsweise ein Dokument erstellen , das ein Auto über die Bühne enthält .",
      "wählen Sie im Dialogfeld \" Neu aus Vorlage \" eine Vorlage aus und klicken Sie auf \" Neu "
      ". "
      "\""};
  Lines reference = hypotheses;
  reference[0] =
      "wählen Sie \" Bild neu berechnen , \" um beim Ändern der Bildgröße Pixel hinzuzufügen oder "
      "zu "
      "entfernen , damit die Darstellung des Bildes in einer anderen Größe beibehalten wird .";
  reference[2] =
      "klicken Sie auf der Registerkarte \" Optionen \" auf die Schaltfläche \" Benutzerdefiniert "
      "\" "
      "und geben Sie für \" Fehlerkorrektur-Level \" und \" Y / X-Verhältnis \" niedrigere Werte "
      "ein "
      ".";
  reference[3] =
      "Sie können beispielsweise ein Dokument erstellen , das ein Auto enthalt , das sich über die "
      "Bühne bewegt .";
  CHECK(ter(hypotheses, Streams{reference}).score == near(13.6));
}

TEST_CASE("a segment has the fewest edits of any reference and the mean of their lengths") {
  const TerScore score = ter(Lines{"a b c"}, Streams{{"a b c d"}, {"x y"}});
  CHECK(score.edits == 1);
  CHECK(score.reference_length == 3);
  CHECK(score.score == near(100.0 / 3));
}

TEST_CASE("empty references cost every word of the translation") {
  CHECK(rate("", "") == 0);
  CHECK(rate("a b", "") == near(100));
  CHECK(ter(Lines{"a b", "c"}, Streams{{"", "c d"}}).score == near(150));
}

TEST_CASE("case counts only if requested, and the signature shows it") {
  CHECK(rate("A B", "a b") == 0);
  const TerScore score = sentence_ter("A B", Lines{"a b"}, {.case_sensitive = true});
  CHECK(score.text() ==
        "TER|nrefs:1|case:mixed|tok:tercom|norm:no|punct:yes|asian:no|version:2.x/calque-0.1.0 = "
        "100.0");
}

TEST_CASE("without shifts the edit distance is the standard one, for texts of any length") {
  Random random({.seed = 6});
  for (int round = 0; round < 400; ++round) {
    const Words hypothesis = random_words(random, random.below(24));
    const Words reference = random_words(random, 1 + random.below(20));
    EditTable table(reference, hypothesis.size());
    const int64_t distance = table.distance(hypothesis);
    CHECK(distance == plain_distance(hypothesis, reference));
    // The edits turn the hypothesis into the reference, at that cost.
    int64_t cost = 0, read = 0, written = 0;
    for (const Edit edit : table.edits()) {
      cost += edit == Edit::keep ? 0 : 1;
      read += edit == Edit::insert ? 0 : 1;
      written += edit == Edit::remove ? 0 : 1;
      if (edit == Edit::keep) REQUIRE(hypothesis[read - 1] == reference[written - 1]);
    }
    CHECK(cost == distance);
    CHECK(read == static_cast<int64_t>(hypothesis.size()));
    CHECK(written == static_cast<int64_t>(reference.size()));
  }
}

TEST_CASE("a reused table gives the same result as a new one") {
  Random random({.seed = 7});
  const Words reference = random_words(random, 40);
  EditTable used(reference, 35);
  Words hypothesis = random_words(random, 35);
  for (int round = 0; round < 50; ++round) {
    hypothesis[random.below(35)] = static_cast<int32_t>(random.below(6));
    EditTable fresh(reference, 35);
    CHECK(used.distance(hypothesis) == fresh.distance(hypothesis));
    CHECK(used.edits() == fresh.edits());
  }
}

TEST_CASE(
    "the edits are at least the length difference, and at most the edit distance without shifts") {
  Random random({.seed = 8});
  for (int round = 0; round < 300; ++round) {
    const Words hypothesis = random_words(random, random.below(16));
    const Words reference = random_words(random, 1 + random.below(16));
    const int64_t edits = translation_edits(hypothesis, reference);
    const auto difference =
        static_cast<int64_t>(hypothesis.size()) - static_cast<int64_t>(reference.size());
    CHECK(edits <= plain_distance(hypothesis, reference));
    CHECK(edits >= std::abs(difference));
    CHECK(translation_edits(reference, reference) == 0);
  }
}

TEST_CASE("long lines, and lines of very different lengths, are compared") {
  const Words many(20000, 1), few = {2, 1, 3};
  CHECK(translation_edits(few, many) == 19999);
  CHECK(translation_edits(many, few) == 19999);
  Words counted(3000), turned(3000);
  std::iota(counted.begin(), counted.end(), 0);
  std::ranges::rotate_copy(counted, counted.begin() + 5, turned.begin());
  CHECK(translation_edits(turned, counted) <= 10);
}
