// Placeholders: which parts of a text they are, and that no translation loses one.
#include "data/placeholders/placeholders.h"

#include <doctest/doctest.h>

#include "core/random.h"
#include "data/placeholders/accelerator.h"
#include "data/placeholders/kept_batch.h"
#include "data/placeholders/kept_text.h"

namespace calque {
namespace {

using Texts = std::vector<std::string>;

Texts found_in(std::string_view text, const PlaceholderKinds& kinds = PlaceholderKinds::all()) {
  Texts found;
  for (const TextRange& range : find_placeholders(text, kinds)) found.emplace_back(range.of(text));
  return found;
}

TEST_CASE("directives, braces, tags, addresses and numbers are placeholders") {
  CHECK(found_in("%s of %1$d, %-5.2f%% or %(name)s, %lld, %*d, %L1 and %n") ==
        Texts{"%s", "%1$d", "%-5.2f", "%%", "%(name)s", "%lld", "%*d", "%L1", "%n"});
  CHECK(found_in("{} {0} {name} {{ user.name }} ${HOME} {0:.2f} $(dir)") ==
        Texts{"{}", "{0}", "{name}", "{{ user.name }}", "${HOME}", "{0:.2f}", "$(dir)"});
  CHECK(found_in("[X1X]a [X12X], [X] [XX] [X1] [x1x]", PlaceholderKinds::all_but_numbers()) ==
        Texts{"[X1X]", "[X12X]"});
  CHECK(found_in("<a href=\"x\">this</a><br/> &amp; a < b > c") ==
        Texts{"<a href=\"x\">", "</a>", "<br/>", "&amp;"});
  CHECK(found_in("see (https://x.org/a_(b)?c=d). Or www.y.de, jo.e@z.com!") ==
        Texts{"https://x.org/a_(b)?c=d", "www.y.de", "jo.e@z.com"});
  CHECK(found_in("3 of 1,000.5 on 2024-05-01") == Texts{"3", "1,000.5", "2024-05-01"});
  CHECK(found_in("50 % of it, 100%, a & b, { x }, if a<b", PlaceholderKinds::all_but_numbers())
            .empty());
  CHECK(found_in("%s {a} 3", {}).empty());
}

TEST_CASE("a translation has the same placeholders if none is lost, added, changed or confused") {
  const auto same = [](const char* source, const char* translation) {
    return same_placeholders(source, translation, PlaceholderKinds::all());
  };
  CHECK(same("%1$s of %2$s in {a}", "{a}: %2$s von %1$s"));
  CHECK(same("1,000.5 cm", "1.000,5 cm"));
  CHECK_FALSE(same("%s of %d", "%d von %s"));
  CHECK_FALSE(same("{} of {}", "{}"));
  CHECK_FALSE(same("<b>a</b>", "<b>a<b>"));
  CHECK_FALSE(same("none", "%s"));
}

TEST_CASE("a masked text has words for its placeholders, which the translation gives back") {
  const KeptText text("Open %s, <b>not</b>X1{a}.", PlaceholderKinds::all());
  CHECK(text.masked() == "Open XX1, XX2 not XX3 X XX4 XX5.");
  CHECK(text.unmasked("XX1 öffnen, xx2 nicht xx3 X XX4 XX5.") == "%s öffnen, <b>nicht</b>X1{a}.");
  CHECK_FALSE(text.unmasked("XX1 öffnen, XX2 nicht XX3 X XX4."));
  CHECK_FALSE(text.unmasked("XX1 XX1, XX2 nicht XX3 X XX4 XX5."));
  CHECK_FALSE(text.unmasked("XX11, XX2 nicht XX3 X XX4 XX5."));
}

TEST_CASE("the segments of a text are its words between the placeholders") {
  const KeptText text("(Open %s): it's <b>not</b>, %d.", PlaceholderKinds::all());
  CHECK(text.segments() == Texts{"Open", "it's", "not"});
  CHECK(text.joined(Texts{"Öffne", "ist.", "nicht"}) == "(Öffne %s): ist <b>nicht</b>, %d.");
  CHECK(text.joined(Texts{"%s", "ist", ""}) == "(Open %s): ist <b>not</b>, %d.");
}

TEST_CASE("whatever the model writes, each placeholder is in the translation exactly once") {
  constexpr std::string_view parts[] = {"%s",       "%d",  "{a}", "{",    "<b>", "</b>", "%",
                                        "1",        "2.5", " ",   "word", "X1",  "X2",   "ä",
                                        "www.x.de", ".",   "&",   "amp;", "é",   "$s"};
  Random random(Stream{.seed = 5});
  const auto draw = [&] {
    std::string text;
    for (uint64_t i = random.below(8); i > 0; --i) text += parts[random.below(std::size(parts))];
    return text;
  };
  KeptCounts counts;
  for (int round = 0; round < 2000; ++round) {
    const Texts texts = {draw(), draw(), draw()};
    const auto model = [&](const Texts& inputs) {
      Texts outputs;
      for (const std::string& input : inputs) outputs.push_back(random.below(2) ? input : draw());
      return outputs;
    };
    const Texts found = translate_keeping(texts, PlaceholderKinds::all(), model, counts);
    for (size_t i = 0; i < texts.size(); ++i) {
      CAPTURE(texts[i]);
      CAPTURE(found[i]);
      CHECK(same_placeholders(texts[i], found[i], PlaceholderKinds::all()));
    }
  }
  CHECK(counts.whole > 0);
  CHECK(counts.masked > 0);
  CHECK(counts.in_segments > 0);
  CHECK(counts.whole + counts.masked + counts.in_segments == 6000);
}

TEST_CASE("a batch has all that its sentences may need, and chooses from it") {
  const KeptBatch batch({"one", "see www.x.de now", "to a@b.de"}, {});
  CHECK(batch.inputs() ==
        Texts{"one", "see www.x.de now", "to a@b.de", "see X1 now", "see", "now", "to X1", "to"});
  const std::vector<Texts> found = {{"eins", "ein"},     {"siehe", "www.x.de jetzt"},
                                    {"an", "a@b.de"},    {"siehe X1 jetzt"},
                                    {"siehe"},           {"jetzt"},
                                    {"an X1 X1", "x1s"}, {"an"}};
  CHECK(batch.chosen(found) == std::vector<Texts>{{"eins", "ein"},
                                                  {"siehe www.x.de jetzt", "www.x.de jetzt"},
                                                  {"an a@b.de", "a@b.de"}});
}

TEST_CASE("an accelerator is taken from a label and put into its translation") {
  const auto moved = [](const char* label, const char* translation) {
    const std::optional<Accelerator> found = find_accelerator(label);
    return found ? found->text + " | " +
                       with_accelerator(translation, *found, PlaceholderKinds::all())
                 : "none";
  };
  CHECK(moved("&Save as", "Sichern als") == "Save as | &Sichern als");
  CHECK(moved("_Open %s", "%o öffnen") == "Open %s | %o _öffnen");
  CHECK(moved("E&xit", "Beenden") == "Exit | &Beenden");
  CHECK(moved("E_xit", "Verlassen, Xaver") == "Exit | Verlassen, _Xaver");
  CHECK(moved("Sa&ve", "aktiv") == "Save | akti&v");
  CHECK(moved("&File...", "文件...") == "File... | 文件(&F)...");
  CHECK(moved("&1", "?!") == "1 | ?!");
  for (const char* label :
       {"AT&T", "a & b", "file_name", "a _ b", "&amp;", "&&x", "&One &Two", ""}) {
    CAPTURE(label);
    CHECK(moved(label, "x") == "none");
  }
}

TEST_CASE("texts with parts of markup are masked at once, alone and in a batch") {
  const std::string kept =
                        "\uFDD0"
                        "7\uFDD1",
                    text = "run " + kept + " now";
  const PlaceholderKinds kinds{.markup = true};
  CHECK(found_in("\uFDD0"
                 "7\uFDD1 \uFDD0x\uFDD1",
                 kinds) == Texts{kept});
  Texts seen;
  KeptCounts counts;
  const auto loud = [&](const Texts& inputs) {
    seen = inputs;
    return Texts{"X1 ab"};
  };
  CHECK(translate_keeping(Texts{text}, kinds, loud, counts) == Texts{kept + " ab"});
  CHECK(seen == Texts{"run X1 now"});
  CHECK(counts.masked == 1);
  const KeptBatch batch({text}, kinds);
  CHECK(batch.inputs() == Texts{"run X1 now", "run", "now"});
  CHECK(batch.chosen({{"X1 ab", "ab"}, {"c"}, {"d"}}) ==
        std::vector<Texts>{{kept + " ab", "c " + kept + " d"}});
}

TEST_CASE("masks are words that the text does not have") {
  const auto masked = [](const char* text) { return KeptText(text, {}).masked(); };
  CHECK(masked("X2 or X0 at a@b.de") == "X2 or X0 at X1");
  CHECK(masked("X1 or aXX12 at a@b.de") == "X1 or aXX12 at XXX1");
  const KeptText text("a@b.de and c@d.de", {});
  CHECK(text.unmasked("x2 X12 X01 X1") == "c@d.de X12 X01 a@b.de");
  CHECK(!text.unmasked("X2 X1 x1"));
  CHECK(!text.unmasked("X2 X1a"));
}

TEST_CASE("a text with very many placeholders is masked in time that grows with its length") {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "see www.x.de ";
  const KeptText kept(text, {});
  CHECK(kept.unmasked(kept.masked()) == text);
}

}  // namespace
}  // namespace calque
