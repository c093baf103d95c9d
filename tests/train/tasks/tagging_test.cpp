// Tagging: windows of words, the labels of a run, its scores, and the refusal of wrong data.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "data/tokenizers/training.h"
#include "data/tokenizers/vocabulary.h"
#include "train/tasks/fixture.h"
#include "train/tasks/tagging/evaluation.h"

namespace calque {
namespace {

using Settings = std::vector<std::string>;
using Words = std::vector<std::string>;

const char* const names = "Anna B-PER\nMaria I-PER\nsleeps O\n\nPaul B-PER\nsees O\nBonn B-LOC\n";
const char* const speech = "Anna NOUN\nsleeps VERB\n\nhorses NOUN\nrun VERB\n";

TrainResult tag(const TemporaryFolder& folder, const Settings& settings) {
  const auto task = std::ranges::find(all_tasks(), "tagging", &TaskCase::name);
  return run_task(*task, folder, settings, "run");
}

Settings on(const std::string& train, const std::string& validation, Settings more = {}) {
  more.insert(more.end(), {"data.train={tagged: " + train + "}",
                           "data.validation={tagged: " + validation + "}", "training.until=10u"});
  return more;
}

Tokenizer tokenizer_of(TokenizerKind kind) {
  return train_tokenizer({"the old horse sleeps", "old horses sleep"}, {.kind = kind},
                         {.vocabulary_size = 40});
}

std::vector<WordWindow> windows_of(const Words& words, const Tokenizer& tokenizer,
                                   int64_t context) {
  std::vector<WordWindow> windows;
  append_windows(words, tokenizer, context, windows);
  return windows;
}

TEST_CASE("a window has the ids of the whole text, and the first subword of each word is known") {
  const Words words = {"old", "horse", "sleeps"};
  for (const TokenizerKind kind : {TokenizerKind::bpe, TokenizerKind::unigram, TokenizerKind::words,
                                   TokenizerKind::characters, TokenizerKind::bytes}) {
    CAPTURE(name_of(tokenizer_kinds, kind));
    const Tokenizer tokenizer = tokenizer_of(kind);
    const auto windows = windows_of(words, tokenizer, 100);
    REQUIRE(windows.size() == 1);
    std::vector<int32_t> expected = {begin_id};
    tokenizer.encode("old horse sleeps", expected);
    expected.push_back(end_id);
    CHECK(windows[0].ids == expected);
    REQUIRE(windows[0].starts.size() == 3);
    for (size_t i = 0; i < words.size(); ++i) {
      const int32_t first = windows[0].ids[static_cast<size_t>(windows[0].starts[i])];
      CHECK((tokenizer.decode({&first, 1}).starts_with(words[i][0]) ||
             tokenizer.symbol(first) == "\u2581"));
    }
  }
}

TEST_CASE("a sentence longer than the context is divided between words, and a long word is cut") {
  const Tokenizer bytes = tokenizer_of(TokenizerKind::bytes);
  const auto windows = windows_of({"ab", "cd", "e", "fghijklm", "n"}, bytes, 8);
  REQUIRE(windows.size() == 4);
  CHECK(windows[0].ids.size() == 7);  // <s> "ab" " cd" </s>
  CHECK(windows[0].starts == std::vector<int32_t>{1, 4});
  CHECK(windows[1].starts == std::vector<int32_t>{2});  // after the space
  CHECK(windows[2].ids.size() == 8);                    // <s> " fghij" </s>
  CHECK(windows[3].starts.size() == 1);
  for (const WordWindow& window : windows) {
    CHECK(window.ids.front() == begin_id);
    CHECK(window.ids.back() == end_id);
  }
  CHECK(windows_of({}, bytes, 8).empty());
}

TEST_CASE("a word without subwords is an unknown one") {
  const auto windows = windows_of({"old", "\xe2\x80\x8b"}, tokenizer_of(TokenizerKind::words), 8);
  REQUIRE(windows.size() == 1);
  CHECK(windows[0].starts == std::vector<int32_t>{1, 2});
  CHECK(windows[0].ids[2] == unknown_id);
}

TEST_CASE("a validation measures the spans of tags that mark spans, and only the words of others") {
  const TemporaryFolder folder;
  const std::string file = folder.write("a", names), plain = folder.write("b", speech);
  tag(folder, on(file, file, {"training.metric=f1", "training.validate_every=5u"}));
  const nlohmann::json marked = metrics_of(folder, "run", "valid").back();
  for (const char* metric : {"accuracy", "macro_f1", "f1", "precision", "recall"}) {
    CAPTURE(metric);
    CHECK(marked[metric].get<double>() >= 0);
    CHECK(marked[metric].get<double>() <= 1);
  }
  CHECK(folder.read("run/labels.txt") == "B-LOC\nB-PER\nI-PER\nO\n");
  CHECK(marked["samples"][0]["source"] == "Anna Maria sleeps");
  CHECK(marked["samples"][0]["reference"] == "B-PER I-PER O");
  CHECK(marked["tables"][0]["rows"].size() == 4);
  std::filesystem::remove_all(folder.path("run"));
  tag(folder, on(plain, plain, {"training.validate_every=5u"}));
  CHECK_FALSE(metrics_of(folder, "run", "valid").back().contains("f1"));
  std::filesystem::remove_all(folder.path("run"));
  CHECK(message_of<Error>([&] { tag(folder, on(plain, plain, {"training.metric=f1"})); }) ==
        "training.metric: f1 needs tags that mark spans, such as B-PER and O, not NOUN, VERB");
}

TEST_CASE("a tagger that has learned its sentences tags them, whatever the size of the windows") {
  const TemporaryFolder folder;
  const std::string file = folder.write("a", names);
  tag(folder, on(file, file,
                 {"training.until=200u", "training.learning_rate=0.01", "training.warmup_steps=5",
                  "training.validate_every=50u", "training.metric=f1", "data.context=4"}));
  const TextClassifierRun run = open_text_classifier(TaskKind::tagging, folder.path("run"));
  const auto tagged =
      tag_sentences(run, {{"Anna", "Maria", "sleeps"}, {}, {"Paul", "sees", "Bonn"}});
  REQUIRE(tagged.size() == 3);
  CHECK(tagged[1].empty());
  Words tags;
  for (const auto& sentence : tagged) {
    for (const TaggedWord& each : sentence) {
      tags.push_back(each.tag);
      CHECK(each.probability > 0.5);
    }
  }
  CHECK(tags == Words{"B-PER", "I-PER", "O", "B-PER", "O", "B-LOC"});
  CHECK(tagged[2][2].word == "Bonn");
  const TaggingData data = encode_corpora(
      read_corpora<TaggedCorpus>(run.config.data, run.config.data.train, Split::train), run.labels,
      run.tokenizer, run.config.data.context);
  CHECK(data.examples.size() > 2);  // more windows than sentences
  const ClassificationResult result = evaluate_tagger(run.model(), data, run.labels, 0);
  CHECK(result.values().back() == std::pair<std::string, double>("recall", 1));
}

TEST_CASE("tags of one kind, an unknown tag and a line of one column are refused in one line") {
  const TemporaryFolder folder;
  const std::string file = folder.write("a", names), one = folder.write("one", "a O\nb O\n"),
                    other = folder.write("other", "Anna B-PER\n\nx B-ORG\n"),
                    column = folder.write("column", "Anna B-PER\nMaria\n");
  const auto refused = [&](const Settings& settings) {
    const std::string message = message_of<Error>([&] { tag(folder, settings); });
    CHECK_FALSE(std::filesystem::exists(folder.path("run/labels.txt")));
    return message;
  };
  CHECK(refused(on(one, one)) ==
        one + ": every word has the label 'O'; a classifier needs words of two classes or more");
  CHECK(refused(on(file, other)) ==
        other + ", word 2: the label 'B-ORG' does not occur in the training data");
  CHECK(refused(on(column, file)) ==
        column +
            ":2: must be a word, a tab or a space, and its tag; an empty line ends a sentence");
  CHECK(refused(on(folder.path("nosuch"), file)).starts_with(folder.path("nosuch") + ": "));
}

}  // namespace
}  // namespace calque
