// Types and ranges of values, also under locales with a decimal comma.
#include <clocale>

#include "train/config/fixture.h"
#include "train/config/schema.h"

namespace calque {
namespace {

TEST_CASE(
    "a wrong type is refused with the line, the key, the allowed values and the value found") {
  CHECK(config_error("model:\n  d_model: abc\n") ==
        "c.yaml:4: model.d_model: must be a whole number, 1 to 65536, not 'abc'");
  CHECK(config_error("model:\n  d_model: 1.5\n").find("not '1.5'") != std::string::npos);
  CHECK(config_error("model:\n  d_model: [1]\n").find("not a list") != std::string::npos);
  CHECK(config_error("model:\n  d_model:\n").find("not nothing") != std::string::npos);
  CHECK(config_error("model:\n  d_model: '64'\n").find("not '64' in quotes") != std::string::npos);
  CHECK(config_error("model:\n  dropout: much\n").find("a number, 0 to 0.99, not") !=
        std::string::npos);
  CHECK(config_error("model:\n  output_bias: 1\n").find("must be true or false, not '1'") !=
        std::string::npos);
  CHECK(config_error("model:\n  init_from: {a: b}\n").find("must be text, not a map") !=
        std::string::npos);
  CHECK(config_error("training:\n  betas: [0.9]\n").find("a list of two numbers") !=
        std::string::npos);
  CHECK(config_error("training:\n  betas: [0.9, 1]\n").find("training.betas: must be") !=
        std::string::npos);
}

TEST_CASE("experts are a map with count, and wrong maps are refused with the reason") {
  const auto answer = [](const std::string& map) {
    return config_error("model:\n  experts: " + map + "\n");
  };
  CHECK(answer("8").find("c.yaml:4: model.experts: must be a map such as") != std::string::npos);
  CHECK(answer("{active: 2}").find("model.experts: needs count") != std::string::npos);
  CHECK(answer("{count: 1}").find("must be a whole number, 2 to 1024") != std::string::npos);
  CHECK(answer("{count: 2, active: 3}").find("active: 3 is more than the number of experts") !=
        std::string::npos);
  CHECK(answer("{cuont: 2}").find("model.experts.cuont: unknown key; it has count, active") !=
        std::string::npos);
  const Config config =
      parse_config("data: {train: {toy: copy}}\nmodel: {experts: {count: 4, active: 1}}\n", "c")
          .config;
  CHECK(config.model.experts.count == 4);
  CHECK(config.model.experts.active == 1);
  CHECK(write_value(config.model.experts) ==
        "{count: 4, active: 1, width: 0, shared: false, capacity: 0, balance: 0.01, z_loss: "
        "0.001}");
}

TEST_CASE("attention is a map with window, and wrong maps are refused with the reason") {
  const auto answer = [](const std::string& map) {
    return config_error("model:\n  attention: " + map + "\n");
  };
  CHECK(answer("128").find("c.yaml:4: model.attention: must be a map such as") !=
        std::string::npos);
  CHECK(answer("{global: 2}").find("c.yaml:4: model.attention: needs window") != std::string::npos);
  CHECK(answer("{window: 0}").find("must be a whole number, 1 to 1000000") != std::string::npos);
  CHECK(answer("{window: 8, dilation: 0}").find("must be a whole number, 1 to 1000") !=
        std::string::npos);
  CHECK(answer("{window: 8, block: 16}").find("model.attention.block: needs random") !=
        std::string::npos);
  CHECK(
      answer("{window: 8, dilated_from: 1}").find("model.attention.dilated_from: needs dilation") !=
      std::string::npos);
  CHECK(
      answer("{windwo: 2}").find("model.attention.windwo: unknown key; it has window, dilation") !=
      std::string::npos);
  const auto written = [](const std::string& map) {
    const std::string text = "data: {train: {toy: copy}}\nmodel: {attention: " + map + "}\n";
    return write_value(parse_config(text, "c").config.model.attention);
  };
  CHECK(written("{}") == "{}");
  CHECK(written("{window: 8, global: 1}") ==
        "{window: 8, dilation: 1, full_every: 0, global: 1, random: 0}");
  CHECK(written("{window: 8, dilation: 2, random: 3}") ==
        "{window: 8, dilation: 2, dilated_from: 0, full_every: 0, global: 0, random: 3, block: 64, "
        "seed: 1}");
}

TEST_CASE("rotation is a map of its own, and wrong maps are refused with the reason") {
  const auto config = [](const std::string& map) {
    return parse_config(
        "data: {train: {toy: copy}}\nmodel: {positions: rotary, rotation: " + map + "}\n", "c");
  };
  const auto answer = [&](const std::string& map) {
    return message_of<Error>([&] { config(map); });
  };
  const Rotation llama3 =
      config("{base: 500000, scaling: llama3, factor: 8}").config.model.rotation;
  CHECK(llama3 ==
        Rotation{.base = 500000, .scaling = {.kind = RotationScalingKind::llama3, .factor = 8}});
  CHECK(write_value(llama3) ==
        "{base: 500000, part: 1, local_base: 0, scaling: llama3, factor: 8, low: 1, high: 4, "
        "original: 8192}");
  CHECK(write_value(config("{part: 0.5}").config.model.rotation) ==
        "{base: 10000, part: 0.5, local_base: 0, scaling: none}");
  CHECK(write_value(Rotation()) == "{}");
  CHECK(answer("{factor: 2}").find("model.rotation.factor: needs scaling") != std::string::npos);
  CHECK(answer("{scaling: linear, low: 2}").find("model.rotation.low: needs scaling: llama3") !=
        std::string::npos);
  CHECK(answer("{scaling: llama3, low: 4, high: 2}").find("high: 2 must be above low: 4") !=
        std::string::npos);
  CHECK(answer("{part: 2}").find("part: must be a number, 0.001 to 1") != std::string::npos);
  CHECK(answer("3").find("a map such as {base: 500000}") != std::string::npos);
}

TEST_CASE("a value out of range is refused") {
  for (const std::string text : {"model:\n  d_model: 0\n",
                                 "model:\n  d_model: -8\n",
                                 "model:\n  d_model: 1000000000000\n",
                                 "model:\n  d_model: 99999999999999999999\n",
                                 "model:\n  dropout: 1\n",
                                 "model:\n  dropout: -0.1\n",
                                 "model:\n  dropout: nan\n",
                                 "model:\n  dropout: inf\n",
                                 "model:\n  dropout: 1e-999\n",
                                 "model:\n  norm_epsilon: 0\n",
                                 "model:\n  norm_epsilon: 1\n",
                                 "model:\n  dropout: 0.99999999\n",  // 1 as a float
                                 "model:\n  attention_dropout: 0.99999999\n",
                                 "model:\n  activation_dropout: 0.99999999\n",
                                 "training:\n  label_smoothing: 1\n",
                                 "training:\n  accumulation: 0\n",
                                 "training:\n  clip_norm: -1\n",
                                 "training:\n  clip_norm: 0x10\n",
                                 "decoding:\n  beam: 0\n",
                                 "logging:\n  every: 0\n"}) {
    CAPTURE(text);
    CHECK(config_error(text).find("must be a") != std::string::npos);
  }
}

TEST_CASE("an unknown choice is refused with all choices and the nearest") {
  CHECK(config_error("training:\n  optimizer: Adam\n") ==
        "c.yaml:4: training.optimizer: must be one of adam, adamw, sgd, adafactor, muon (nearest: "
        "adam), "
        "not "
        "'Adam'");
  CHECK(config_error("model:\n  norm: prenorm\n").find("one of post, pre") != std::string::npos);
}

TEST_CASE("numbers are read in the usual notations") {
  CHECK(parsed("model:\n  dropout: .25\n").model.dropout == 0.25);
  CHECK(parsed("model:\n  dropout: 2.5e-1\n").model.dropout == 0.25);
  CHECK(parsed("model:\n  d_model: +128\n").model.d_model == 128);
  CHECK(parsed("model:\n  output_bias: Yes\n").model.output_bias);
  CHECK_FALSE(parsed("model:\n  output_bias: off\n").model.output_bias);
}

TEST_CASE("the message for a decimal comma has the number with a decimal point") {
  CHECK(config_error("model:\n  dropout: 0,1\n") ==
        "c.yaml:4: model.dropout: must be a number, 0 to 0.99, with a decimal point (0.1), not "
        "'0,1'");
  CHECK(config_error("", {"model.dropout=0,1"}).find("with a decimal point (0.1)") !=
        std::string::npos);
  CHECK(config_error("model:\n  dropout: a,b\n").find("decimal point") == std::string::npos);
  CHECK(config_error("training:\n  betas: [0,9, 0,98]\n")
            .find("two numbers, at least 0 and less than 1, with decimal points ([0.9, 0.98])") !=
        std::string::npos);
  CHECK(config_error("training:\n  betas: [0.9, 0, 98]\n").find("decimal point") ==
        std::string::npos);
  CHECK(config_error("training:\n  betas: [a, 9, 0, 98]\n").find("decimal point") ==
        std::string::npos);
}

TEST_CASE("a decimal comma is refused and a decimal point is read, whatever the locale uses") {
  for (const char* locale : {"C", "de_DE.UTF-8", "tr_TR.UTF-8"}) {
    if (std::setlocale(LC_ALL, locale) == nullptr) continue;  // not installed on this machine
    CAPTURE(locale);
    CHECK(parsed("model:\n  dropout: 0.25\n").model.dropout == 0.25);
    CHECK(config_error("model:\n  dropout: 0,25\n").find("not '0,25'") != std::string::npos);
    CHECK(write_value(0.25) == "0.25");
    CHECK(to_text(parse_until({"1.5h"})) == "90min");
    CHECK(parsed("training:\n  optimizer: sgd\n").training.optimizer ==
          TrainingConfig::Optimizer::sgd);
  }
  std::setlocale(LC_ALL, "C");
}

TEST_CASE("a language called no is a text, not a boolean") {
  const Config config =
      parse_config("data:\n  languages: [en, no]\n  train: corpora/train\n", "c.yaml").config;
  CHECK(config.data.train.at(0).languages == std::vector<std::string>{"en", "no"});
  CHECK(config.data.train.at(0).prefix == "corpora/train");
}

TEST_CASE("a corpus is read in each of its forms") {
  const Config config = parse_config(R"(
data:
  languages: [en, de]
  train:
    - {prefix: a/train, languages: [fr, de], weight: 2}
    - {source: b.en, target: b.de}
    - tsv: c.tsv
      source_column: 2
      target_column: 1
    - {toy: toy-en-de, seed: 3}
    - d/train
  validation: {toy: reverse, symbols: 10}
)",
                                     "c.yaml")
                            .config;
  const Corpora& train = config.data.train;
  REQUIRE(train.size() == 5);
  CHECK(train[0].languages == std::vector<std::string>{"fr", "de"});
  CHECK(train[0].weight == 2);
  CHECK(train[1].target == "b.de");
  CHECK(train[2].source_column == 2);
  CHECK(train[3].toy == CorpusConfig::Toy::toy_en_de);
  CHECK(train[3].split == CorpusConfig::Split::train);
  CHECK(train[3].pairs == 100'000);
  CHECK(train[4].languages == std::vector<std::string>{"en", "de"});
  CHECK(config.data.validation.at(0).split == CorpusConfig::Split::validation);
  CHECK(config.data.validation.at(0).pairs == 1000);
  CHECK(config.data.validation.at(0).symbols == 10);
}

TEST_CASE("an invalid corpus is refused with its line") {
  const auto refused = [](const std::string& corpus) {
    return message_of([&] { parse_config("data:\n  train:\n    - " + corpus + "\n", "c.yaml"); });
  };
  const std::string one_form =
      "c.yaml:3: data.train: a corpus needs exactly one of prefix, source and target, file, tsv, "
      "text, "
      "conversations, preferences, labelled, tagged, images, and toy";
  CHECK(refused("{weight: 2}") == one_form);
  CHECK(refused("{prefix: a, toy: copy}") == one_form);
  CHECK(refused("{source: a.en}") == one_form);
  CHECK(refused("[a]").find("c.yaml:3: data.train: must be a corpus:") == 0);
  CHECK(refused("{tsv: a, pairs: 3}") == "c.yaml:3: data.train.pairs: needs toy");
  CHECK(refused("{toy: toy-en-de, symbols: 3}") ==
        "c.yaml:3: data.train.symbols: needs toy: copy, reverse or sort");
  CHECK(refused("{toy: toy-en-dee}").find("(nearest: toy-en-de)") != std::string::npos);
  CHECK(
      refused("{toy: copy, shortest: 5, longest: 4}").find("longest: 4 is less than shortest: 5") !=
      std::string::npos);
  for (const char* weight : {"0", "1e-9", "1e300"}) {
    CHECK(refused(fmt::format("{{tsv: a, weight: {}}}", weight))
              .find("must be a number, 0.0001 to 10000") != std::string::npos);
  }
  CHECK(refused("{prefix: a, languages: [en]}").find("must be two") != std::string::npos);
  CHECK(refused("{prefix: a}").find("needs languages") != std::string::npos);
}

}  // namespace
}  // namespace calque
