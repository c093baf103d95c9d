// The keys of data.back_translate, data.distill and data.terms, small maps.
#include "core/error.h"
#include "train/config/schema.h"
#include "train/config/small_map.h"

namespace calque {
namespace {

std::vector<BackTranslationKey> declare_back_translation_keys() {
  std::vector<BackTranslationKey> table;
  Section in(
      "", [](auto& back_translation) -> auto& { return back_translation; }, table);
  constexpr OnResume fixed = OnResume::harmful;
  using B = BackTranslation;
  in.key("run", &B::run, {}, fixed,
         "A run, or one of its checkpoints, that translates from the target to the source "
         "language.");
  in.key("text", &B::text, {}, fixed,
         "Files of text in the target language, one sentence per line, plain, gzip or zstd.");
  in.key("beam", &B::beam, between(1, 1000), fixed,
         "The width of the beam. 1 is greedy search, which is fast; with `tag`, wider beams and "
         "sampling make about as good sources.")
      .idle_if([](const B& b) { return b.sampling; }, "is not used with sampling: true");
  in.key("sampling", &B::sampling, {}, fixed,
         "Draws sources at random instead of searching for the most probable ones. They are more "
         "varied, which helps if the run is trained on millions of pairs.");
  in.key("top_k", &B::top_k, between(0, 1'000'000'000), fixed,
         "Draws each token from the k most probable ones. 0: from all.")
      .idle_if([](const B& b) { return !b.sampling; }, "needs sampling: true");
  in.key("tag", &B::tag, {}, fixed,
         "Begins each source with the token <bt>, so that the model can tell them from those that "
         "people wrote. A tokenizer that the run trains has it as one token.");
  in.key("weight", &B::weight, between(0.0001, 10'000), fixed,
         "How often each pair occurs in an epoch, as that of a corpus.");
  in.key("epochs", &B::epochs, at_least(0), fixed,
         "The number of epochs, from the first on, that use the pairs. 0: all epochs.");
  return table;
}

std::vector<DistillationKey> declare_distillation_keys() {
  std::vector<DistillationKey> table;
  Section in(
      "", [](auto& distillation) -> auto& { return distillation; }, table);
  constexpr OnResume fixed = OnResume::harmful;
  using D = Distillation;
  in.key("run", &D::run, {}, fixed,
         "The teacher: a run, or one of its checkpoints, that translates in the same direction.");
  in.key("beam", &D::beam, between(1, 1000), fixed, "The width of the teacher's beam.");
  in.key("keep", &D::keep, {}, fixed,
         "Trains on the pairs of `data.train` too, and not only on the teacher's.");
  return table;
}

std::vector<TermTrainingKey> declare_term_training_keys() {
  std::vector<TermTrainingKey> table;
  Section in(
      "", [](auto& terms) -> auto& { return terms; }, table);
  constexpr OnResume fixed = OnResume::harmful;
  using T = TermTraining;
  in.key("share", &T::share, between(0.001, 1), fixed,
         "The share of the pairs with terms that are marked, such as 0.1.");
  in.key("file", &T::file, {}, fixed,
         "A glossary: lines of a term, a tab and its translation. Empty: pairs of words that IBM "
         "model 1 learns from the corpora, which also teaches a run to inflect the terms.");
  return table;
}

}  // namespace

const std::vector<TermTrainingKey>& term_training_keys() {
  static const std::vector<TermTrainingKey> keys = declare_term_training_keys();
  return keys;
}

const std::vector<BackTranslationKey>& back_translation_keys() {
  static const std::vector<BackTranslationKey> keys = declare_back_translation_keys();
  return keys;
}

const std::vector<DistillationKey>& distillation_keys() {
  static const std::vector<DistillationKey> keys = declare_distillation_keys();
  return keys;
}

void read_value(const YamlValue& from, std::string_view key, const Range& range,
                BackTranslation& to) {
  if (from.kind != YamlValue::Kind::map) refuse_value(from, key, allowed_values(range, to));
  BackTranslation read;
  read_small_map(from, key, back_translation_keys(), read);
  if (!from.entries.empty() && (read.run.empty() || read.text.empty())) {
    fail("{}: {}: needs run and text", from.place.text(), key);
  }
  to = read;
}

std::string write_value(const BackTranslation& back_translation) {
  return back_translation.run.empty() ? "{}"
                                      : write_small_map(back_translation_keys(), back_translation);
}

std::string allowed_values(const Range&, const BackTranslation&) {
  return "a map such as {run: runs/de-en, text: more.de}";
}

void read_value(const YamlValue& from, std::string_view key, const Range& range, Distillation& to) {
  if (from.kind != YamlValue::Kind::map) refuse_value(from, key, allowed_values(range, to));
  Distillation read;
  read_small_map(from, key, distillation_keys(), read);
  if (!from.entries.empty() && read.run.empty()) {
    fail("{}: {}: needs run, the teacher", from.place.text(), key);
  }
  to = read;
}

std::string write_value(const Distillation& distillation) {
  return distillation.run.empty() ? "{}" : write_small_map(distillation_keys(), distillation);
}

std::string allowed_values(const Range&, const Distillation&) {
  return "a map such as {run: runs/teacher}";
}

void read_value(const YamlValue& from, std::string_view key, const Range& range, TermTraining& to) {
  if (from.kind != YamlValue::Kind::map) refuse_value(from, key, allowed_values(range, to));
  TermTraining read;
  read_small_map(from, key, term_training_keys(), read);
  if (!from.entries.empty() && read.share == 0) fail("{}: {}: needs share", from.place.text(), key);
  to = read;
}

std::string write_value(const TermTraining& terms) {
  return terms.share == 0 ? "{}" : write_small_map(term_training_keys(), terms);
}

std::string allowed_values(const Range&, const TermTraining&) {
  return "a map such as {share: 0.1, file: terms.tsv}";
}

}  // namespace calque
