// word2vec on the toy text: analogies, neighbours, and the loss of an evaluation.
#include <cmath>

#include "core/error.h"
#include "data/tokenizers/vocabulary.h"
#include "data/toy/analogies.h"
#include "data/words/vectors.h"
#include "train/tasks/fixture.h"
#include "train/tasks/text/corpora.h"
#include "train/tasks/word2vec/evaluation.h"
#include "train/tasks/word2vec/neighbours.h"
#include "train/tasks/word2vec/run.h"

namespace calque {
namespace {

const char* const toy = R"(
task: word2vec
data:
  train: {toy: toy-analogies, pairs: 4000}
  validation: {toy: toy-analogies, pairs: 100}
  subsample: 0.01
model: {d_model: 32}
training:
  until: 10e
  batch_tokens: 1024
  learning_rate: 0.01
  warmup_steps: 20
  validate_every: 100u
  save_every: 1000u
logging: {report: false}
)";

Word2VecRun trained(const TemporaryFolder& folder, const char* predict) {
  const Config config =
      parse_config(toy, "toy.yaml", {std::string("model.predict=") + predict}, task_contradictions)
          .config;
  train(config, {folder.path("run")}, Loudness::quiet, make_task);
  return open_word2vec_run(folder.path("run"));
}

double share_of_right_analogies(const WordSpace& space) {
  const auto questions = toy_analogy_questions();
  int right = 0;
  for (const auto& [a, b, c, d] : questions) {
    const auto id = [&](std::string_view word) { return space.id_of(std::string(word)); };
    right += space.analogous(id(a), id(b), id(c), 1).front().row == id(d);
  }
  return double(right) / double(questions.size());
}

TEST_CASE("skip-gram and CBOW learn the analogies of toy-analogies") {
  for (const char* predict : {"skip-gram", "cbow"}) {
    CAPTURE(predict);
    const TemporaryFolder folder;
    const Word2VecRun run = trained(folder, predict);
    const WordSpace space(run.model().vectors, run.tokenizer);
    const double share = share_of_right_analogies(space);
    MESSAGE(predict, ": ", share, " of the analogies");
    CHECK(share >= 0.9);
    // By chance, about 1 of 85 answers is right.
    Parameters parameters;
    const Word2Vec untrained(Path(parameters), run.network->model.options);
    parameters.allocate();
    parameters.initialise(1);
    CHECK(share_of_right_analogies({untrained.vectors, run.tokenizer}) < 0.1);
    const auto validations = metrics_of(folder, "run", "valid");
    CHECK(validations.back()["accuracy"] > validations.front()["accuracy"]);
  }
}

TEST_CASE("neighbours are ordered by their cosines, as computed by hand") {
  Tokenizer tokenizer = [] {
    Vocabulary words;
    for (const char* word : {"a", "b", "c", "d"}) words.add(word);
    return Tokenizer(SymbolModel{SymbolUnit::word, words}, {.kind = TokenizerKind::words});
  }();
  const Tensor vectors = Tensor::of({7, 2}, {9, 9, 9, 9, 9, 9, 2, 0, 3, 3, 0, 5, -1, 0});
  const WordSpace space(vectors, tokenizer);
  const auto near = space.near(space.id_of("a"), 9);
  REQUIRE(near.size() == 3);
  CHECK(tokenizer.symbol(near[0].row) == "b");
  CHECK(near[0].cosine == doctest::Approx(std::sqrt(0.5)));
  CHECK(tokenizer.symbol(near[1].row) == "c");
  CHECK(near[1].cosine == doctest::Approx(0));
  CHECK(near[2].cosine == doctest::Approx(-1));
  // a - d + c = (1, 0) - (-1, 0) + (0, 1) = (2, 1); only b is left.
  const auto answer = space.analogous(space.id_of("d"), space.id_of("a"), space.id_of("c"), 5);
  REQUIRE(answer.size() == 1);
  CHECK(tokenizer.symbol(answer[0].row) == "b");
  CHECK(answer[0].cosine == doctest::Approx(3 / std::sqrt(10)));
  for (const char* word : {"e", "a b", "", "<unk>", "</s>"}) {
    CHECK(message_of<Error>([&] { space.id_of(word); }) ==
          fmt::format("'{}' is not in the vocabulary", word));
  }
  CHECK(vectors_as_text(vectors, tokenizer) == "4 2\na 2 0\nb 3 3\nc 0 5\nd -1 0\n");
}

TEST_CASE("written vectors are read as the same bits") {
  const TemporaryFolder folder;
  run_task(*std::ranges::find(all_tasks(), "word2vec", &TaskCase::name), folder);
  const Word2VecRun run = open_word2vec_run(folder.path("run"));
  const WordVectorFile file(
      folder.write("v.txt", vectors_as_text(run.model().vectors, run.tokenizer)));
  int64_t count = 0;
  file.read([&](std::string_view word, std::span<const float> vector) {
    const auto id = size_t(run.tokenizer.encode(word).at(0));
    for (size_t k = 0; k < vector.size(); ++k) {
      CHECK(vector[k] == float(run.model().vectors.span()[id * vector.size() + k]));
    }
    ++count;
  });
  CHECK(count == run.tokenizer.size() - special_ids);
}

TEST_CASE("an evaluation has the same loss at every call, whatever the run's seed is") {
  const TemporaryFolder folder;
  const TaskCase& task = *std::ranges::find(all_tasks(), "word2vec", &TaskCase::name);
  run_task(task, folder);
  const Word2VecRun run = open_word2vec_run(folder.path("run"));
  Config config = run.config;
  const Dataset text =
      load_texts(config.data, config.data.validation, Split::validation, run.tokenizer);
  const LossSums first = evaluate_word2vec(run.model(), text, config, run.tokenizer);
  config.training.seed = 99;
  config.data.subsample = 0.1;
  const LossSums second = evaluate_word2vec(run.model(), text, config, run.tokenizer);
  CHECK(first.loss == second.loss);
  CHECK(first.terms > 100);
  const auto logged = metrics_of(folder, "run", "valid").back();
  CHECK(logged["loss"].get<double>() == doctest::Approx(mean_of(first).loss).epsilon(1e-5));
}

TEST_CASE("word2vec needs words, and refuses the settings of layers") {
  const auto refused = [](const std::vector<std::string>& settings) {
    return message_of<Error>([&] { parse_config(toy, "toy.yaml", settings, task_contradictions); });
  };
  const auto check = [&](const char* setting, const char* reason) {
    const std::string message = refused({setting});
    CHECK_MESSAGE(message.find(reason) != std::string::npos, message);
  };
  CHECK(refused({}).empty());
  check("tokenizer.kind=characters", "tokenizer.kind: task: word2vec needs words");
  for (const char* setting : {"model.heads=2", "model.layers=2", "model.dropout=0.1",
                              "training.label_smoothing=0.1", "model.preset=tiny"}) {
    check(setting, "is not used by task: word2vec");
  }
  check("data.cross_documents=false", "needs task: language-model or masked-lm");
  check("training.metric=perplexity", "the metric must be loss, accuracy");
  check("data.train={toy: toy-en-de}", "task: word2vec needs {text: FILE}");
  check("training.batch_tokens=100", "is less than one window of data.context 256");
}

}  // namespace
}  // namespace calque
