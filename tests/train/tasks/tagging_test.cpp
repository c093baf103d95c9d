// Tagging: windows of words, the labels of a run, its scores, and the refusal of wrong data.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "data/tokenizers/training.h"
#include "data/tokenizers/vocabulary.h"
#include "train/tasks/classes/text_classifier.h"
#include "train/tasks/fixture.h"
#include "train/tasks/tagging/task.h"

namespace calque {
namespace {

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

TEST_CASE("a window has the ids of the whole text, and the first subword of each word is known") {
  const Words words = {"old", "horse", "sleeps"};
  for (const TokenizerKind kind : {TokenizerKind::bpe, TokenizerKind::unigram, TokenizerKind::words,
                                   TokenizerKind::characters, TokenizerKind::bytes}) {
    CAPTURE(name_of(tokenizer_kinds, kind));
    const Tokenizer tokenizer = tokenizer_of(kind);
    const auto windows = word_windows(words, tokenizer, 100);
    REQUIRE(windows.size() == 1);
    std::vector<int32_t> expected = {begin_id};
    tokenizer.encode("old horse sleeps", expected);
    expected.push_back(end_id);
    CHECK(windows[0][0] == expected);
    REQUIRE(windows[0][1].size() == 3);
    for (size_t i = 0; i < words.size(); ++i) {
      const int32_t first = windows[0][0][static_cast<size_t>(windows[0][1][i])];
      CHECK((tokenizer.decode({&first, 1}).starts_with(words[i][0]) ||
             tokenizer.symbol(first) == "\u2581"));
    }
  }
}

TEST_CASE("a sentence longer than the context is divided between words, and a long word is cut") {
  const Tokenizer bytes = tokenizer_of(TokenizerKind::bytes);
  const auto windows = word_windows({"ab", "cd", "e", "fghijklm", "n"}, bytes, 8);
  REQUIRE(windows.size() == 4);
  CHECK(windows[0][0].size() == 7);  // <s> "ab" " cd" </s>
  CHECK(windows[0][1] == std::vector<int32_t>{1, 4});
  CHECK(windows[1][1] == std::vector<int32_t>{2});  // after the space
  CHECK(windows[2][0].size() == 8);                 // <s> " fghij" </s>
  CHECK(windows[3][1].size() == 1);
  for (const Example& window : windows) {
    CHECK(window[0].front() == begin_id);
    CHECK(window[0].back() == end_id);
  }
  CHECK(word_windows({}, bytes, 8).empty());
}

TEST_CASE("a word without subwords is an unknown one") {
  const auto windows = word_windows({"old", "\xe2\x80\x8b"}, tokenizer_of(TokenizerKind::words), 8);
  REQUIRE(windows.size() == 1);
  CHECK(windows[0][1] == std::vector<int32_t>{1, 2});
  CHECK(windows[0][0][2] == unknown_id);
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
  EncodedTexts encoded;
  for (const Words& words :
       {Words{"Anna", "Maria", "sleeps"}, Words(), Words{"Paul", "sees", "Bonn"}}) {
    encoded.add(classes_of_words, words, run.tokenizer, run.config.data.context);
  }
  CHECK(encoded.examples.size() > 2);  // more windows than sentences
  const auto sentences = class_probabilities(classes_of_words, run.model(), encoded);
  REQUIRE(sentences.size() == 3);
  CHECK(sentences[1].empty());
  Words tags;
  for (const auto& words : sentences) {
    for (const std::vector<double>& probabilities : words) {
      const auto best = std::ranges::max_element(probabilities);
      tags.push_back(run.labels[static_cast<size_t>(best - probabilities.begin())]);
      CHECK(*best > 0.5);
    }
  }
  CHECK(tags == Words{"B-PER", "I-PER", "O", "B-PER", "O", "B-LOC"});
  const TextData data = encode_corpora(
      classes_of_words,
      read_corpora(classes_of_words, run.config.data, run.config.data.train, Split::train),
      run.labels, run.tokenizer, run.config.data.context);
  CHECK(data.size_text() == "2 sentences, 6 words");
  const ClassificationResult result = evaluate_texts(run.model(), data, run.labels, 0);
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
