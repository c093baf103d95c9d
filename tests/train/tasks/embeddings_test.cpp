// model.embeddings: tables that start from word vectors, in every task of text.
#include <cmath>
#include <filesystem>
#include <functional>

#include "core/error.h"
#include "data/tokenizers/training.h"
#include "data/tokenizers/vocabulary.h"
#include "train/run/plan.h"
#include "train/tasks/fixture.h"
#include "train/tasks/pretrained_embeddings.h"
#include "train/tasks/translation/tokenizers.h"
#include "train/tasks/word2vec/neighbours.h"
#include "train/tasks/word2vec/run.h"
#include "train/weights/trained_run.h"

namespace calque {
namespace {

using Settings = std::vector<std::string>;

Settings joined(Settings a, const Settings& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The text of a file with a vector of 16 numbers, the d_model, for each of these words.
std::string vectors_of(const std::vector<std::string>& words, float first = 1) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    text += words[i];
    for (int k = 0; k < 16; ++k) text += fmt::format(" {}", first + float(i) + float(k) / 32);
    text += '\n';
  }
  return text;
}

std::vector<real> table(const TemporaryFolder& folder, const std::string& place,
                        const std::string& name) {
  const TrainedRun run = open_run(folder.path(place), make_task);
  const Parameters::Entry* entry = run.task->parameters().find(name);
  REQUIRE(entry != nullptr);
  return {entry->values().begin(), entry->values().end()};
}

std::vector<std::string> symbols(const TemporaryFolder& folder, const std::string& run) {
  std::istringstream lines(folder.read(run + "/tokenizer.vocab"));
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(line.substr(0, line.find('\t')));
  return all;
}

// Whether the row of a symbol begins with this number and continues as in vectors_of().
bool row_begins(const std::vector<real>& values, size_t id, double first) {
  for (size_t k = 0; k < 16; ++k) {
    if (std::abs(double(values[16 * id + k]) - first - double(k) / 32) > 1e-6) return false;
  }
  return true;
}

std::vector<TaskCase> text_tasks() {
  std::vector<TaskCase> tasks;
  for (const TaskCase& task : all_tasks()) {
    if (task.has_tokenizer) tasks.push_back(task);
  }
  return tasks;
}

// A step so small that no weight moves visibly.
const Settings still = {"training.until=1u", "training.learning_rate=1e-30",
                        "training.weight_decay=0", "training.validate_every=never"};

TEST_CASE("in every task of text, the rows of words in the file start from their vectors") {
  for (const TaskCase& task : text_tasks()) {
    CAPTURE(task.name);
    const TemporaryFolder folder;
    run_task(task, folder, still, "plain");
    const std::vector<std::string> words = symbols(folder, "plain");
    // Known, unknown, and repeated: the first one counts.
    const std::string file =
        folder.write("v.txt", vectors_of({words[5], "unknown word", words[3], words[5], "</s>"}));
    const std::string setting = "model.embeddings={source: " + file + "}";
    run_task(task, folder, joined(still, {setting}), "run");
    const std::vector<real> before = table(folder, "plain", "embedding.weight"),
                            after = table(folder, "run", "embedding.weight");
    CHECK(row_begins(after, 5, 1));
    CHECK(row_begins(after, 3, 3));
    CHECK(row_begins(after, 2, 5));
    int64_t other = 0;
    for (size_t i = 0; i < after.size(); ++i) {
      const bool set = i / 16 == 5 || i / 16 == 3 || i / 16 == 2;
      other += !set && before[i] != after[i];
    }
    CHECK(other == 0);
    const std::string log = folder.read("run/train.log");
    CHECK_MESSAGE(mentions(log, fmt::format("model.embeddings: 3 of {} entries of embedding.weight "
                                            "start from {}; ",
                                            words.size(), file)),
                  log);
    CHECK(mentions(log, "% of the training tokens have a vector"));
  }
}

TEST_CASE("frozen tables keep every bit while other parameters train, and tuned tables change") {
  for (const TaskCase& task : text_tasks()) {
    CAPTURE(task.name);
    const TemporaryFolder folder;
    run_task(task, folder, still, "plain");
    const std::string file = folder.write(
        "v.txt", vectors_of({symbols(folder, "plain")[5], symbols(folder, "plain")[3]}));
    const auto with = [&](const char* more) {
      return "model.embeddings={source: " + file + more + "}";
    };
    run_task(task, folder, joined(still, {with("")}), "start");
    run_task(task, folder, {with(", freeze: true")}, "frozen");
    run_task(task, folder, {with("")}, "tuned");
    const auto start = table(folder, "start", "embedding.weight");
    CHECK(table(folder, "frozen/last", "embedding.weight") == start);
    CHECK(table(folder, "tuned/last", "embedding.weight") != start);
    CHECK(mentions(folder.read("frozen/train.log"), "have a vector; frozen"));
    const auto losses = metrics_of(folder, "frozen", "train");
    CHECK(losses.front()["loss"] > losses.back()["loss"]);
  }
}

TEST_CASE("a run with vectors resumes in the same bits without the file, frozen or tuned") {
  for (const TaskCase& task : text_tasks()) {
    for (const auto& [freeze, more] :
         {std::pair("false", Settings{"training.ema=0.9"}), std::pair("true", Settings{})}) {
      CAPTURE(task.name);
      const TemporaryFolder folder;
      run_task(task, folder, still, "plain");
      const std::string file =
          folder.write("v.txt", vectors_of({symbols(folder, "plain")[5], "x"}));
      const Settings all =
          joined(joined(more, task.random),
                 {fmt::format("model.embeddings={{source: {}, freeze: {}}}", file, freeze)});
      run_task(task, folder, all, "whole");
      run_task(task, folder, joined(all, {"training.until=13u"}), "parts");
      std::filesystem::remove(file);
      run_task(task, folder, all, "parts");
      CHECK(tensors(folder, "whole 000030") == tensors(folder, "parts 000030"));
    }
  }
}

TEST_CASE("a translator has vectors for each language, and one table for both if all are tied") {
  const TaskCase& task = all_tasks().front();
  const TemporaryFolder folder;
  const std::string a = folder.write("a.txt", vectors_of({"a", "b"})),
                    b = folder.write("b.txt", vectors_of({"b", "c"}, 10));
  const std::string both = fmt::format("model.embeddings={{source: {}, target: {}}}", a, b);
  run_task(task, folder, joined(still, {both}), "shared");
  const std::vector<std::string> words = symbols(folder, "shared");
  const auto id = [&](const char* word) {
    return static_cast<size_t>(std::ranges::find(words, word) - words.begin());
  };
  const auto shared = table(folder, "shared", "embedding.weight");
  CHECK(row_begins(shared, id("a"), 1));
  CHECK(row_begins(shared, id("b"), 2));
  CHECK(row_begins(shared, id("c"), 11));
  CHECK(mentions(folder.read("shared/train.log"), "model.embeddings: 1 of "));

  run_task(task, folder, joined(still, {both, "model.tied=target"}), "apart");
  const auto source = table(folder, "apart", "source_embedding.weight"),
             target = table(folder, "apart", "target_embedding.weight");
  CHECK(row_begins(source, id("b"), 2));
  CHECK_FALSE(row_begins(source, id("c"), 11));
  CHECK(row_begins(target, id("b"), 10));
  CHECK_FALSE(row_begins(target, id("a"), 1));

  // Only the table that has a file is frozen.
  const std::string frozen = fmt::format("model.embeddings={{target: {}, freeze: true}}", b);
  run_task(task, folder, joined(still, {frozen, "model.tied=target"}), "start");
  run_task(task, folder, {frozen, "model.tied=target"}, "trained");
  for (const char* name : {"source_embedding.weight", "target_embedding.weight"}) {
    CHECK((table(folder, "start", name) == table(folder, "trained/last", name)) ==
          (std::string(name) == "target_embedding.weight"));
  }
}

TEST_CASE("a SentencePiece piece matches a word if it begins a word or is punctuation") {
  std::vector<std::string> texts;
  for (const char* animal : {"cat", "dog", "bird", "fish", "mouse"}) {
    for (const char* verb : {"sleeps", "walks", "walked", "sings", "jumps"}) {
      texts.push_back(std::string("The ") + animal + " " + verb + ". It is a " + animal + ".");
    }
  }
  const Tokenizer pieces =
      train_tokenizer(texts, {.kind = TokenizerKind::bpe}, {.vocabulary_size = 60});
  int begins = 0, continues = 0, punctuation = 0;
  for (int32_t id = special_ids; id < pieces.size(); ++id) {
    const std::string symbol = pieces.symbol(id), word = word_of_token(pieces, id);
    if (symbol.starts_with("\u2581")) {
      CHECK(word == symbol.substr(3));
      ++begins;
    } else if (symbol == ".") {
      CHECK(word == ".");
      ++punctuation;
    } else {
      CHECK(word.empty());
      ++continues;
    }
  }
  CHECK(begins > 5);
  CHECK(continues > 5);
  CHECK(punctuation == 1);
  CHECK(word_of_token(pieces, end_id) == "</s>");
  const Tokenizer words = train_tokenizer(texts, {.kind = TokenizerKind::words}, {});
  CHECK(word_of_token(words, special_ids) == words.symbol(special_ids));
}

TEST_CASE("another dimension, no common word, and a malformed file are refused at the start") {
  const TaskCase& task = *std::ranges::find(all_tasks(), "classification", &TaskCase::name);
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& content) {
    const std::string file = folder.write("v.txt", content);
    const std::string message = message_of<Error>([&] {
      run_task(task, folder, joined(still, {"model.embeddings={source: " + file + "}"}));
    });
    CHECK_FALSE(std::filesystem::exists(folder.path("run/checkpoints/step-000000")));
    return message;
  };
  CHECK(refused("the 1 2 3\n") == "model.embeddings: " + folder.path("v.txt") +
                                      " has vectors of 3 numbers, but model.d_model is 16; they "
                                      "must be equal");
  CHECK(refused(vectors_of({"qqq"})).starts_with("model.embeddings: no word of "));
  CHECK(refused(vectors_of({"the"}) + "dog 1 2\n") ==
        folder.path("v.txt") + ":2: must be a word and 16 finite numbers");
}

TEST_CASE("model.embeddings is refused if it is malformed or has no effect") {
  const auto refused = [](const std::string& text, const Settings& settings) {
    return message_of<Error>([&] { parse_config(text, "c.yaml", settings, task_contradictions); });
  };
  const auto of = [&](size_t task, const std::string& value, const Settings& more = {}) {
    return refused(all_tasks()[task].config, joined({"model.embeddings=" + value}, more));
  };
  CHECK(of(0, "{source: a, target: b}").empty());
  CHECK(mentions(of(0, "{freeze: true}"), "model.embeddings: needs source or target"));
  CHECK(
      mentions(of(0, "{sorce: a}"), "model.embeddings.sorce: unknown key; it has source, target"));
  CHECK(mentions(of(0, "vectors.txt"), "must be a map such as {source: vectors.txt"));
  CHECK(mentions(of(1, "{target: a}"), "target needs task: translation; name"));
  CHECK(mentions(of(1, "{source: a}", {"tokenizer.kind=bytes"}), "bytes are not words"));
  const TaskCase& images = *std::ranges::find(all_tasks(), "images", &TaskCase::name);
  CHECK(mentions(refused(images.config, {"model.embeddings={source: a}"}),
                 "is not used by task: images"));
}

TEST_CASE("a classifier starts from 300-dimensional vectors of word2vec, and its plan says so") {
  const TemporaryFolder folder;
  const auto task_called = [](const char* name) {
    return *std::ranges::find(all_tasks(), name, &TaskCase::name);
  };
  run_task(task_called("word2vec"), folder,
           {"model.d_model=300", "data.train={toy: toy-text, pairs: 300}", "data.validation=[]",
            "training.until=20u"},
           "words");
  const Word2VecRun words = open_word2vec_run(folder.path("words"));
  const std::string file =
      folder.write("v.txt", vectors_as_text(words.model().vectors, words.tokenizer));
  const Settings settings = {"model.d_model=300", "model.embeddings={source: " + file + "}"};
  const TaskCase classes = task_called("classification");
  const std::string plan =
      training_plan(config_of_task(classes, settings), {folder.path("run")}, make_task);
  CHECK_MESSAGE(mentions(plan, "entries of embedding.weight start from " + file), plan);
  run_task(classes, folder, joined(settings, still), "run");
  const std::vector<std::string> symbols_of_run = symbols(folder, "run");
  const auto values = table(folder, "run", "embedding.weight");
  int64_t same = 0;
  for (size_t id = special_ids; id < symbols_of_run.size(); ++id) {
    const std::vector<int32_t> word = words.tokenizer.encode(symbols_of_run[id]);
    if (word.size() != 1 || word[0] == unknown_id) continue;
    const auto from = words.model().vectors.span().subspan(size_t(word[0]) * 300, 300);
    same += std::ranges::equal(from, std::span(values).subspan(id * 300, 300));
    CHECK(std::ranges::equal(from, std::span(values).subspan(id * 300, 300)));
  }
  CHECK(same > 20);
}

}  // namespace
}  // namespace calque
