// Classification of texts: labels, their weights, the files of a run, and a pretrained encoder.
#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "data/tokenizers/training.h"
#include "train/tasks/classes/weights.h"
#include "train/tasks/classification/task.h"
#include "train/tasks/fixture.h"
#include "train/weights/averaging.h"
#include "train/weights/trained_run.h"

namespace calque {
namespace {

const TaskCase& task_called(const std::string& name) {
  return *std::ranges::find(all_tasks(), name, &TaskCase::name);
}

TrainResult classify(const TemporaryFolder& folder, const Settings& settings,
                     const char* name = "run") {
  return run_task(task_called("classification"), folder, settings, name);
}

std::string labelled(const std::string& path) { return "{labelled: " + path + "}"; }

Settings trained_on(const std::string& path) {
  return {"data.train=" + labelled(path), "data.validation=[]", "training.until=3u"};
}

TEST_CASE("data of one class, an unknown label and an empty file are refused in one line") {
  const TemporaryFolder folder;
  const std::string one = folder.write("one", "a x y\na z\n"),
                    two = folder.write("two", "a x\nb y\n"), empty = folder.write("empty", ""),
                    other = folder.write("other", "a x\nc y\n");
  const auto refused = [&](const Settings& settings) {
    const std::string message = message_of<Error>([&] { classify(folder, settings); });
    CHECK_FALSE(std::filesystem::exists(folder.path("run/labels.txt")));
    return message;
  };
  CHECK(refused(trained_on(one)) ==
        one +
            ": every example has the label 'a'; a classifier needs examples of two classes or "
            "more");
  CHECK(refused(trained_on(empty)) == empty + ": the file is empty");
  CHECK(refused(joined(trained_on(two), {"data.validation=" + labelled(other)})) ==
        other + ", example 2: the label 'c' does not occur in the training data");
  CHECK(refused(joined(trained_on(two), {"training.class_weights=[c=2]"})) ==
        "training.class_weights: data.train has no label 'c'; its labels are a, b");
}

TEST_CASE("the classes of listops are digits, the values of its expressions") {
  const TemporaryFolder folder;
  const std::string corpus = "{toy: listops, pairs: 300, shortest: 8, longest: 30}";
  classify(folder, {"data.train=" + corpus, "data.validation=" + corpus, "training.until=3u"});
  CHECK(folder.read("run/labels.txt") == "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
}

TEST_CASE("only classification accepts a corpus of labelled texts") {
  const TemporaryFolder folder;
  const std::string two = folder.write("two", "a x\nb y\n");
  for (const TaskCase& task : all_tasks()) {
    CAPTURE(task.name);
    const std::string message =
        message_of([&] { config_of_task(task, {"data.train=" + labelled(two)}); });
    CHECK(message.empty() == (task.name == "classification"));
  }
}

TEST_CASE("class weights are balanced or given by label, and 1 for other labels") {
  const Labels labels = {"a", "b", "x=y"};
  const auto weights = [&](const std::vector<std::string>& list) {
    return class_weights(list, labels, {1, 2, 3});
  };
  CHECK(weights({}).empty());
  CHECK(weights({"balanced"}) == std::vector<real>{2, 1, real(2.0 / 3)});
  CHECK(weights({"x=y=0.5", "a=3"}) == std::vector<real>{3, 1, real(0.5)});
  for (const char* wrong : {"balance", "a=", "=2", "a=0", "a=-1", "a=inf", "a=2x"}) {
    CAPTURE(wrong);
    const std::string problem = class_weights_problem({wrong});
    CHECK(problem.starts_with(std::string("'") + wrong + "' is not LABEL=WEIGHT"));
  }
  CHECK(class_weights_problem({"a=1", "a=2"}) == "the label 'a' has two weights");
  CHECK(class_weights_problem({"a=1", "b=2"}).empty());
}

TEST_CASE("every validation records the confusion matrix, and the report shows it") {
  const TemporaryFolder folder;
  classify(folder, {"training.until=10u", "logging.report=true"});
  const nlohmann::json table = metrics_of(folder, "run", "valid").at(0)["tables"].at(0);
  CHECK(table["columns"] ==
        nlohmann::json({"expected", "as de", "as en", "examples", "precision", "recall", "F1"}));
  REQUIRE(table["rows"].size() == 2);
  for (const auto& row : table["rows"]) {
    const auto number = [&](int column) { return std::stoi(row[column].get<std::string>()); };
    CHECK(number(1) + number(2) == number(3));
    CHECK(number(3) == 10);
  }
  CHECK(folder.read("run/report.html").find("\"title\":\"Classes\"") != std::string::npos);
}

TEST_CASE("class weights change the training of a classifier") {
  const TemporaryFolder folder;
  const auto loss = [&](const char* setting, const char* name) {
    classify(folder, {std::string("training.class_weights=") + setting, "training.until=10u"},
             name);
    return metrics_of(folder, name, "train").at(0)["loss"].get<double>();
  };
  const double plain = loss("[]", "plain");
  CHECK(loss("balanced", "balanced") == doctest::Approx(plain).epsilon(1e-3));  // equal classes
  CHECK(loss("[en=3, de=3]", "tripled") > 1.5 * plain);
}

TEST_CASE("labels.txt is rewritten only when a run resumes with the data of its checkpoint") {
  const TemporaryFolder folder;
  const std::string path = folder.write("data", "b x y\na z\n");
  classify(folder, trained_on(path));
  const Settings longer = joined(trained_on(path), {"training.until=6u"});
  CHECK(folder.read("run/labels.txt") == "a\nb\n");

  folder.write("data", "b x y\nc z\n");
  const std::string message = message_of<Error>([&] { classify(folder, longer); });
  CHECK_MESSAGE(message.starts_with("the training data is not what the checkpoint was trained on"),
                message);
  CHECK(folder.read("run/labels.txt") == "a\nb\n");

  folder.write("run/labels.txt", "b\na\n");
  CHECK(message_of([&] {
          open_run(folder.path("run"), make_task);
        }).starts_with(folder.path("run/labels.txt") + ": is not a sorted list of two labels"));
  std::filesystem::remove(folder.path("run/labels.txt"));
  CHECK(message_of([&] {
          open_run(folder.path("run"), make_task);
        }).starts_with(folder.path("run/labels.txt") + ": is missing; "));
  folder.write("data", "b x y\na z\n");
  CHECK(classify(folder, longer).step == 6);
  CHECK(folder.read("run/labels.txt") == "a\nb\n");
}

TEST_CASE("an average of classifiers keeps their labels, which must be the same") {
  const TemporaryFolder folder;
  classify(folder, trained_on(folder.write("data", "b x\na x\n")), "one");
  classify(folder, trained_on(folder.write("data", "b x\nc x\n")), "two");
  average_weights({folder.path("one/last"), folder.path("one/last")}, folder.path("mean"),
                  make_task);
  CHECK(folder.read("mean/labels.txt") == "a\nb\n");
  CHECK(message_of<Error>([&] {
          average_weights({folder.path("one/last"), folder.path("two/last")}, folder.path("none"),
                          make_task);
        }).find("its labels differ from those of") != std::string::npos);
}

TEST_CASE("an example that is longer than the context loses the end of its longer text") {
  const Tokenizer words = train_tokenizer({"a b c d e f"}, {.kind = TokenizerKind::words}, {});
  const auto pair = encode_texts({"a b", "c d e f"}, words, 7);
  CHECK(pair[0].size() == 7);
  CHECK(words.decode(pair[0]) == "a b c d");
  CHECK(pair[1] == std::vector<int32_t>{0, 0, 0, 0, 1, 1, 1});
  CHECK(encode_texts({"a b c d e f"}, words, 4)[0].size() == 4);
}

TEST_CASE("a classifier starts from a masked language model with the model's tokenizer") {
  const TemporaryFolder folder;
  run_task(task_called("masked-lm"), folder, {"training.until=3u"}, "masked");
  const Settings tuning = {"training.until=1u", "model.init_from=" + folder.path("masked")};
  CHECK(message_of([&] { classify(folder, tuning, "words"); }) ==
        "model.init_from: this run needs the tokenizer settings of " + folder.path("masked") +
            "; set tokenizer.kind: characters, data.lowercase: false and data.nfkc: true, or give "
            "tokenizer.files");
  const Settings characters = joined(tuning, {"tokenizer.kind=characters"});
  classify(folder, characters);
  CHECK(folder.read("run/tokenizer.vocab") == folder.read("masked/tokenizer.vocab"));
  const std::string log = folder.read("run/train.log");
  CHECK_MESSAGE(log.find("parameters start from") != std::string::npos, log);
  CHECK_MESSAGE(log.find("embedding.weight") == std::string::npos, log);
  CHECK_MESSAGE(log.find("layers.0") == std::string::npos, log);

  std::filesystem::remove_all(folder.path("masked"));
  CHECK(classify(folder, joined(characters, {"training.until=2u"})).step == 2);
}

TEST_CASE("a classifier with another tokenizer starts from all weights but the token embeddings") {
  const TemporaryFolder folder;
  const Settings kinds = {"model.segment_embeddings=true"};
  const std::string one = folder.write("one", "a\tu v\tw\nb\tv u\tw\n"),
                    other = folder.write("other", "a\tx y\tz\nb\tx u\tv w\n");
  classify(folder, joined(trained_on(one), kinds), "first");
  classify(folder,
           joined(joined(trained_on(other), kinds), {"model.init_from=" + folder.path("first")}),
           "second");
  const std::string log = folder.read("second/train.log");
  CHECK_MESSAGE(log.find("parameters start from") != std::string::npos, log);
  CHECK_MESSAGE(log.find("not loaded: embedding.weight") != std::string::npos, log);
  for (const char* name : {"segments.weight", "classifier.weight", "classifier.bias"}) {
    CHECK_MESSAGE(log.find(name) == std::string::npos, log);
  }
}

}  // namespace
}  // namespace calque
