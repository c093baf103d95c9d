// Windows over documents: small cases by hand, and properties of all cases.

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "data/documents/dataset.h"
#include "data/documents/windows.h"
#include "data/tokenizers/vocabulary.h"

using namespace calque;

namespace {

using Ids = std::vector<int32_t>;
using Texts = std::vector<std::string>;

Dataset dataset_of(const std::vector<Texts>& parts) {
  std::vector<DocumentSource> sources;
  for (const Texts& texts : parts) sources.push_back({documents_in_memory("text", texts)});
  return load_documents(sources, {ByteModel(), {.kind = TokenizerKind::bytes}}, {});
}

// A window as text: its inputs, a slash, and its expected ids; < is <s>, > is </s>.
std::string shown(const TextWindows& windows, int64_t epoch, int64_t window) {
  Ids inputs, expected;
  windows.read(epoch, window, inputs, expected);
  CHECK(std::ssize(inputs) == windows.length(window));
  CHECK(std::ssize(expected) == windows.length(window));
  std::string text;
  const auto add = [&](int32_t id) {
    text += id == begin_id ? '<' : id == end_id ? '>' : static_cast<char>(id - special_ids);
  };
  std::ranges::for_each(inputs, add);
  text += '/';
  std::ranges::for_each(expected, add);
  return text;
}

Texts shown(const TextWindows& windows, int64_t epoch = 0) {
  Texts texts;
  for (int64_t i = 0; i < windows.count(); ++i) texts.push_back(shown(windows, epoch, i));
  return texts;
}

// How often each step occurs in an epoch. Its input and expected characters identify a step.
std::map<std::string, int> visits(const TextWindows& windows, int64_t epoch) {
  std::map<std::string, int> counts;
  for (const std::string& text : shown(windows, epoch)) {
    const size_t length = text.size() / 2;
    for (size_t i = 0; i < length; ++i) ++counts[{text[i], text[length + 1 + i]}];
  }
  return counts;
}

// Parts with documents of random lengths, in which no character occurs twice.
std::vector<Texts> random_parts(uint64_t seed) {
  Random random({.seed = seed});
  std::vector<Texts> parts;
  char next = '0';
  for (uint64_t p = 1 + random.below(3); p > 0; --p) {
    Texts texts;
    for (uint64_t d = 1 + random.below(4); d > 0; --d) {
      std::string text;
      for (uint64_t n = 1 + random.below(6); n > 0; --n) {
        if (next == '<') next = 'A';
        text += next++;
      }
      texts.push_back(text);
    }
    parts.push_back(texts);
  }
  return parts;
}

int64_t steps_of(const std::vector<Texts>& parts) {
  int64_t steps = 0;
  for (const Texts& texts : parts) {
    for (const std::string& text : texts) steps += std::ssize(text) + 1;
  }
  return steps;
}

}  // namespace

TEST_CASE(
    "for evaluation, windows are cut from the start, across documents or within each document") {
  const Dataset dataset = dataset_of({{"abc", "de"}, {"f"}});
  const TextWindows across(dataset, {.context = 3, .use = WindowUse::evaluation});
  CHECK(shown(across) == Texts{"<ab/abc", "c<d/>de", "e/>", "<f/f>"});
  CHECK(across.steps() == 9);
  const TextWindows within(dataset,
                           {.context = 3, .cross_documents = false, .use = WindowUse::evaluation});
  CHECK(shown(within) == Texts{"<ab/abc", "c/>", "<de/de>", "<f/f>"});
}

TEST_CASE("<s> replaces the token that the first step of a window reads") {
  const Dataset dataset = dataset_of({{"abc", "de"}, {"f"}});
  const TextWindows across(dataset, {.context = 3, .begin = true, .use = WindowUse::evaluation});
  CHECK(shown(across) == Texts{"<ab/abc", "<<d/>de", "</>", "<f/f>"});
}

TEST_CASE("for training, every window across documents is full, from any offset") {
  // Seven steps: <a ab bc c> <d de e>; from offset o, windows of three begin at o, o + 3, o + 4.
  const TextWindows windows(dataset_of({{"abc", "de"}}), {.context = 3});
  const std::string inputs = "<abc<de", expected = "abc>de>";
  std::set<Texts> possible;
  for (size_t o = 0; o < 7; ++o) {
    Texts texts;
    for (const size_t start : {o, o + 3, o + 4}) {
      std::string in, out;
      for (size_t i = start; i < start + 3; ++i) in += inputs[i % 7], out += expected[i % 7];
      texts.push_back(in + "/" + out);
    }
    possible.insert(texts);
  }
  std::set<Texts> seen;
  for (int64_t epoch = 0; epoch < 100; ++epoch) seen.insert(shown(windows, epoch));
  CHECK(seen == possible);
}

TEST_CASE("for training, windows within a document are full and reach both of its ends") {
  // Seven steps in windows of three: two steps are visited twice, so the offset is 0, 1 or 2.
  const TextWindows windows(dataset_of({{"abcdef", "gh"}}),
                            {.context = 3, .cross_documents = false});
  std::set<Texts> seen;
  for (int64_t epoch = 0; epoch < 100; ++epoch) seen.insert(shown(windows, epoch));
  CHECK(seen == std::set<Texts>{{"<ab/abc", "cde/def", "def/ef>", "<gh/gh>"},
                                {"<ab/abc", "bcd/cde", "def/ef>", "<gh/gh>"},
                                {"<ab/abc", "abc/bcd", "def/ef>", "<gh/gh>"}});
}

TEST_CASE("a text shorter than the context is one window") {
  const TextWindows within(dataset_of({{"ab"}}), {.context = 100, .cross_documents = false});
  CHECK(shown(within) == Texts{"<ab/ab>"});
  const TextWindows across(dataset_of({{"ab"}}), {.context = 100});
  CHECK(across.count() == 1);
  CHECK(across.length(0) == 3);
}

TEST_CASE("evaluation visits every step exactly once, a training epoch at least once") {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const std::vector<Texts> parts = random_parts(seed);
    const Dataset dataset = dataset_of(parts);
    for (const int64_t context : {1, 2, 3, 5, 100}) {
      for (const bool cross : {true, false}) {
        const TextWindows evaluation(
            dataset, {.context = context, .cross_documents = cross, .use = WindowUse::evaluation});
        const auto once = visits(evaluation, 0);
        CHECK(std::ssize(once) == steps_of(parts));
        for (const auto& [step, count] : once) CHECK(count == 1);
        const TextWindows training(dataset, {.context = context, .cross_documents = cross});
        CHECK(training.count() == evaluation.count());
        for (int64_t epoch = 0; epoch < 3; ++epoch) {
          const auto visited = visits(training, epoch);
          CHECK(std::ssize(visited) == steps_of(parts));
          for (const auto& [step, count] : visited) CHECK(once.contains(step));
        }
      }
    }
  }
}

TEST_CASE("offsets are a function of seed and epoch, and differ") {
  std::string text;
  for (int i = 0; i < 500; ++i) text += std::to_string(i);
  for (const bool cross : {true, false}) {
    const Dataset dataset = dataset_of({{text, text + "x"}});
    const WindowOptions options{.context = 64, .cross_documents = cross, .seed = 5};
    const TextWindows one(dataset, options), same(dataset, options);
    WindowOptions other_seed = options;
    other_seed.seed = 6;
    CHECK(shown(one, 3) == shown(same, 3));
    CHECK(shown(one, 3) != shown(one, 4));
    CHECK(shown(one, 3) != shown(TextWindows(dataset, other_seed), 3));
  }
}

TEST_CASE(
    "windows keep the parts and their shares, and where() names the document of their start") {
  Dataset dataset = dataset_of({{"abc", "de"}, {"fghijk"}});
  dataset.parts[1].share.weight = 0.5;
  const auto check = [&](bool cross, int64_t first_part) {
    const TextWindows windows(dataset, {.context = 4, .cross_documents = cross});
    const std::vector<SharedRange> parts = windows.parts();
    REQUIRE(parts.size() == 2);
    CHECK(parts[0].count == first_part);
    CHECK(parts[1].first == first_part);
    CHECK(parts[1].count == 2);
    CHECK(parts[1].share.weight == 0.5);
    CHECK(parts[1].name == "text");
  };
  check(true, 2);
  check(false, 2);
  const TextWindows windows(dataset, {.context = 4, .use = WindowUse::evaluation});
  CHECK(windows.where(0) == "text, document 1");
  CHECK(windows.where(1) == "text, document 2");
  CHECK(windows.where(3) == "text, document 1");  // of the second part
}

TEST_CASE("a batch stream over windows reads inputs and expected ids as two columns") {
  const TextWindows windows(dataset_of({{"abcdefgh", "ij"}}), {.context = 3});
  BatchStream stream(windows.examples(), {.tokens = 6, .seed = 2});
  int64_t left = windows.count();
  while (left > 0) {
    const ExampleBatch batch = stream.next();
    CHECK(batch.examples.size() <= 2);
    for (size_t i = 0; i < batch.examples.size(); ++i) {
      Ids inputs, expected;
      windows.read(0, batch.numbers[i], inputs, expected);
      CHECK(batch.examples[i] == Example{inputs, expected});
      --left;
    }
  }
  CHECK(stream.state() == StreamState{1, 0});
}
