// What tasks change in a config: which keys have an effect, which corpora are accepted, defaults.
#include "train/config/tasks.h"

#include <algorithm>

#include "train/config/fixture.h"
#include "train/config/schema.h"

namespace calque {
namespace {

TEST_CASE(
    "a key without effect on a task is refused with the tasks that use it, or with this one") {
  const std::string set[][3] = {
      {"images", "data.mask_share=0.5", "data.mask_share: needs task: masked-lm"},
      {"translation", "data.documents=paragraphs",
       "data.documents: needs task: language-model, masked-lm or word2vec"},
      {"language-model", "model.pooling=mean",
       "model.pooling: needs task: classification or images"},
      {"translation", "model.layers=2", "model.layers: is not used by task: translation"},
      {"images", "tokenizer.kind=words", "tokenizer.kind: is not used by task: images"},
      {"word2vec", "model.heads=2", "model.heads: is not used by task: word2vec"},
      {"images", "model.tied=none",
       "model.tied: needs task: translation, language-model or masked-lm"},
      {"classification", "model.output_bias=true",
       "model.output_bias: needs task: translation or language-model"},
  };
  for (const auto& [task, setting, message] : set) {
    const std::string found = config_error("task: " + task + "\n", {setting});
    CHECK_MESSAGE(found.find(message) != std::string::npos, found);
  }
}

TEST_CASE("a task lacks the reason for the features that it has, and only for these") {
  for (const auto& [name, task] : task_kinds) {
    for (const Feature feature : {Feature::pairs, Feature::text, Feature::classes, Feature::pixels,
                                  Feature::network, Feature::context}) {
      CHECK(task_info(task).features.has(feature) == missing_feature(task, feature).empty());
      CHECK(std::ranges::count(tasks_with(feature), task) ==
            (task_info(task).features.has(feature) ? 1 : 0));
    }
  }
}

TEST_CASE("each form of corpus is accepted by the tasks that read it") {
  const auto accepting = [](const auto& change) {
    CorpusConfig corpus;
    change(corpus);
    return names_of(tasks_that_accept(corpus));
  };
  CHECK(accepting([](auto& c) { c.prefix = "a"; }) == "translation");
  CHECK(accepting([](auto& c) { c.text = {"a"}; }) == "language-model, masked-lm or word2vec");
  CHECK(accepting([](auto& c) { c.labelled = "a"; }) == "classification");
  CHECK(accepting([](auto& c) { c.tagged = "a"; }) == "tagging");
  CHECK(accepting([](auto& c) { c.images = "a"; }) == "images");
  CHECK(accepting([](auto& c) { c.toy = CorpusConfig::Toy::listops; }) ==
        "translation or classification");
}

TEST_CASE("the description of the key task names every task") {
  for (const auto& [name, task] : task_kinds) {
    CHECK(find_config_key("task")->meaning.find(std::string(name) + ", " +
                                                std::string(task_info(task).meaning)) !=
          std::string::npos);
  }
}

TEST_CASE("task sets its defaults before the other keys of its layer, and again in a later layer") {
  CHECK(parsed("").model.positions == PositionKind::interleaved);
  CHECK(parsed("task: images\n", {"data.train={toy: shapes}"}).model.positions ==
        PositionKind::learned);
  const Config later = parsed(
      "task: images\n", {"task=translation", "training.clip_norm=2", "data.train={toy: copy}"});
  CHECK(later.model == Config().model);
  CHECK(later.training.clip_norm == 2);
  CHECK(later.training.optimizer == Config().training.optimizer);
}

}  // namespace
}  // namespace calque
