// Which setting of a key takes precedence: defaults, included files, the file, --set, and presets.
#include "train/config/checks/check.h"
#include "train/config/fixture.h"

namespace calque {
namespace {

TEST_CASE("a key that a config leaves out has the default of its struct") {
  Config expected;
  expected.data.train.resize(1);
  expected.data.train[0].toy = CorpusConfig::Toy::copy;
  complete(expected);
  CHECK(parsed("") == expected);
}

TEST_CASE("a file overrides what it includes, and a later include overrides an earlier one") {
  const ConfigFolder folder;
  folder.write("one.yaml", small_config + "model: {heads: 2, d_ff: 100, d_model: 64}\n");
  folder.write("sub/two.yaml", "include: ../three.yaml\nmodel: {heads: 4}\n");
  folder.write("three.yaml", "model: {heads: 16, encoder_layers: 9}\n");
  const std::string top =
      folder.write("top.yaml", "model: {d_ff: 200}\ninclude: [one.yaml, sub/two.yaml]\n");
  const LoadedConfig loaded = load_config(top);
  CHECK(loaded.config.model.heads == 4);
  CHECK(loaded.config.model.d_ff == 200);
  CHECK(loaded.config.model.d_model == 64);
  CHECK(loaded.config.model.encoder_layers == 9);
  CHECK(loaded.origins.at("model.d_ff") == top + ":1");
  CHECK(loaded.origins.at("model.heads") == folder.path() + "/sub/two.yaml:2");
  CHECK(loaded.origins.at("model.d_model") == folder.path() + "/one.yaml:3");
}

TEST_CASE("the command line overrides files, with the same checks") {
  const Config config =
      parsed("training: {seed: 5}\n",
             {"training.seed=7", "model.init_from=runs/a b", "training.betas=[0.8, 0.9]",
              "training.until=20e, 45min", "data.test={toy: sort}"});
  CHECK(config.training.seed == 7);
  CHECK(config.model.init_from == "runs/a b");
  CHECK(config.training.betas[0] == 0.8);
  CHECK(config.training.until == Until{.epochs = 20, .seconds = 2700});
  CHECK(config.data.test.at(0).toy == CorpusConfig::Toy::sort);
  CHECK(config_error("", {"training.seed=x"}) ==
        "--set training.seed=x: training.seed: must be a whole number, 0 or more, not 'x'");
  CHECK(config_error("", {"training.sed=1"})
            .find("--set training.sed=1: training.sed: unknown key; "
                  "nearest is training.seed") == 0);
  CHECK(config_error("", {"seed=1"}).find("it belongs to training.seed") != std::string::npos);
  CHECK(config_error("", {"training.seed"}).find("--set training.seed: must be key=value") == 0);
  CHECK(config_error("", {"training.seed="}).find("not nothing") != std::string::npos);
  CHECK(config_error("", {"training.seed=[1"}).find("--set training.seed=[1: ") == 0);
  CHECK(config_error("", {"=1"}).find("--set =1: ") == 0);
}

TEST_CASE("of two --set of one key the later one counts") {
  CHECK(parsed("", {"training.seed=1", "training.seed=2"}).training.seed == 2);
}

TEST_CASE("keys beside a preset override it, in any order") {
  const Config config = parsed("model:\n  heads: 8\n  preset: tiny\n");
  CHECK(config.model.d_model == 128);
  CHECK(config.model.d_ff == 256);
  CHECK(config.model.heads == 8);
  CHECK(config.model.encoder_layers == 4);
  CHECK(config.model.dropout == real(0.3));
}

TEST_CASE("a recurrent model and trained weights set the optimizer, which its key overrides") {
  using enum TrainingConfig::Optimizer;
  CHECK(parsed("").training.optimizer == muon);
  CHECK(parsed("model: {kind: rnn}\n").training.optimizer == adam);
  CHECK(parsed("model: {init_from: runs/a}\n").training.optimizer == adamw);
  CHECK(parsed("model: {init_from: runs/a, kind: rnn}\n").training.optimizer == adamw);
  CHECK(parsed("training: {optimizer: sgd}\nmodel: {init_from: runs/a}\n").training.optimizer ==
        sgd);
  CHECK(parsed("model: {init_from: ''}\n").training.optimizer == muon);
}

TEST_CASE("a preset in a later layer overrides the settings of earlier layers") {
  const Config config =
      parsed("model: {d_model: 64, heads: 2, norm: pre}\n", {"model.heads=16", "model.preset=big"});
  CHECK(config.model.d_model == 1024);
  CHECK(config.model.heads == 16);
  CHECK(config.model.norm_placement == NormPlacement::pre);
  const auto loaded =
      parse_config(small_config + "model: {d_model: 64}\n", "c.yaml", {"model.preset=big"});
  CHECK(loaded.origins.at("model.d_model") == "--set model.preset=big, preset");
}

TEST_CASE("--set sets a key inside a map or the only corpus, and keeps the others") {
  const Config config =
      parsed("model: {experts: {count: 8, active: 3}}\n",
             {"data.train.pairs=77", "model.experts.count=4", "data.train.longest=5"});
  REQUIRE(config.data.train.size() == 1);
  CHECK(config.data.train[0].toy == CorpusConfig::Toy::copy);
  CHECK(config.data.train[0].pairs == 77);
  CHECK(config.data.train[0].longest == 5);
  CHECK(config.model.experts.count == 4);
  CHECK(config.model.experts.active == 3);
  const Config replaced = parsed("", {"data.train={prefix: y, languages: [a, b]}",
                                      "data.train.prefix=x", "data.validation.tsv=v"});
  CHECK(replaced.data.train[0].prefix == "x");
  CHECK(replaced.data.train[0].languages == std::vector<std::string>{"a", "b"});
  CHECK(replaced.data.validation[0].tsv == "v");
  CHECK(config_error("", {"data.train.prefix=x"})
            .starts_with("--set data.train.prefix=x: data.train: a corpus needs exactly one of "));
  CHECK(config_error("", {"data.train=[{toy: copy}, {toy: sort}]", "data.train.pairs=5"}) ==
        "--set data.train.pairs=5: data.train is a list of 2; set all of it: --set "
        "'data.train=[...]'");
  CHECK(
      config_error("", {"data.train.pair=5"})
          .starts_with("--set data.train.pair=5: data.train.pair: unknown key; nearest is pairs"));
  CHECK(config_error("", {"model.heads.x=5"}).find("unknown key") != std::string::npos);
}

TEST_CASE("the presets have their documented sizes") {
  struct Size {
    std::string preset;
    int64_t d_model, d_ff, heads, layers;
    double dropout;
  };
  for (const auto& size :
       {Size{"tiny", 128, 256, 4, 4, 0.3}, Size{"small", 256, 1024, 4, 3, 0.3},
        Size{"base", 512, 2048, 8, 6, 0.1}, Size{"big", 1024, 4096, 16, 6, 0.3}}) {
    const ModelConfig model = parsed("model: {preset: " + size.preset + "}\n").model;
    CHECK(model.d_model == size.d_model);
    CHECK(model.d_ff == size.d_ff);
    CHECK(model.heads == size.heads);
    CHECK(model.encoder_layers == size.layers);
    CHECK(model.decoder_layers == size.layers);
    CHECK(model.dropout == static_cast<real>(size.dropout));
  }
}

TEST_CASE("circular, too deep and missing includes are refused with their line") {
  const ConfigFolder folder;
  const auto failure = [&](const std::string& file) {
    return message_of([&] { load_config(folder.path() + "/" + file); });
  };
  folder.write("self.yaml", "# me\ninclude: ./self.yaml\n" + small_config);
  CHECK(failure("self.yaml").find("self.yaml:2: include: ") != std::string::npos);
  CHECK(failure("self.yaml").find("includes itself") != std::string::npos);
  folder.write("a.yaml", "include: b.yaml\n" + small_config);
  folder.write("b.yaml", "include: a.yaml\n");
  CHECK(failure("a.yaml").find("b.yaml:1: include: ") != std::string::npos);
  folder.write("lost.yaml", "include: nowhere.yaml\n" + small_config);
  CHECK(failure("lost.yaml").find("lost.yaml:1: include: ") != std::string::npos);
  CHECK(failure("lost.yaml").find("nowhere.yaml") != std::string::npos);
  folder.write("list.yaml", "include: {a: b}\n" + small_config);
  CHECK(failure("list.yaml").find("list.yaml:1: include: must be a list of texts") !=
        std::string::npos);
  for (int i = 0; i < 20; ++i) {
    const std::string next = "deep" + std::to_string(i + 1) + ".yaml";
    folder.write("deep" + std::to_string(i) + ".yaml", "include: " + next + "\n" + small_config);
  }
  std::string many;
  for (int i = 0; i < 65; ++i) many += "a" + std::to_string(i) + ".yaml, ";
  for (int i = 0; i < 65; ++i) folder.write("a" + std::to_string(i) + ".yaml", small_config);
  folder.write("wide.yaml", "include: [" + many + "]\n");
  CHECK(failure("deep0.yaml").find("nested more than") != std::string::npos);
  CHECK(failure("wide.yaml").find("wide.yaml:1: include: more than 64 included files") !=
        std::string::npos);
  std::filesystem::create_symlink("loop.yaml", folder.path() + "/loop.yaml");
  folder.write("links.yaml", "include: loop.yaml\n" + small_config);
  CHECK(failure("links.yaml").find("links.yaml:1: include: ") != std::string::npos);
}

TEST_CASE("a file that is included twice on different paths is not a circle") {
  const ConfigFolder folder;
  folder.write("common.yaml", small_config);
  folder.write("a.yaml", "include: common.yaml\n");
  folder.write("b.yaml", "include: common.yaml\n");
  CHECK_NOTHROW(load_config(folder.write("top.yaml", "include: [a.yaml, b.yaml]\n")));
}

TEST_CASE("files that are not a config are refused") {
  const ConfigFolder folder;
  const auto failure = [&](const std::string& text) {
    const std::string file = folder.write("x.yaml", text);
    return message_of([&] { load_config(file); }).substr(folder.path().size() + 1);
  };
  CHECK(failure("") == "x.yaml: empty; a config needs sections such as data: and model:");
  CHECK(failure("# only a comment\n") ==
        "x.yaml: empty; a config needs sections such as data: and model:");
  CHECK(failure("- a\n- b\n").find("x.yaml:1: a config must be a map of sections") == 0);
  CHECK(failure("just text\n").find("x.yaml:1: a config must be a map of sections") == 0);
  CHECK(failure("data: 3\n")
            .find("x.yaml:1: data: must be a section with keys indented below it, not '3'") == 0);
  CHECK(failure("\x7f"
                "ELF\x02\x01")
            .find("x.yaml:1: a control character") == 0);
  CHECK(failure(std::string(2 << 20, '#')).find("x.yaml: ") == 0);
  CHECK(failure(std::string(2 << 20, '#')).find("empty") == std::string::npos);
  CHECK(message_of([&] { load_config(folder.path() + "/none.yaml"); }).find("none.yaml") !=
        std::string::npos);
  CHECK(message_of([&] { load_config(folder.path()); }).find(folder.path()) != std::string::npos);
}

TEST_CASE("an empty section is allowed") { CHECK_NOTHROW(parsed("model:\ntraining: ~\n")); }

TEST_CASE("config_problems returns all unknown keys and invalid values") {
  const ConfigFolder folder;
  const std::string file =
      folder.write("c.yaml", "data:\n  trian: x\nmodel:\n  d_model: x\n  heads: 0\n");
  const std::vector<std::string> problems = config_problems(file, {"logging.every=0"});
  REQUIRE(problems.size() == 4);
  CHECK(problems[0].find(file + ":2: data.trian") == 0);
  CHECK(problems[1].find(file + ":4: model.d_model") == 0);
  CHECK(problems[2].find(file + ":5: model.heads") == 0);
  CHECK(problems[3].find("--set logging.every=0") == 0);
  CHECK(message_of([&] { load_config(file); }) ==
        problems[0] + " (and 2 more; 'calque config check' shows them all)");
}

}  // namespace
}  // namespace calque
