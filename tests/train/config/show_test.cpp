// The config as text: what is saved with a run, what differs on resume, and the reference page.
#include "train/config/show.h"

#include <algorithm>
#include <random>
#include <set>
#include <sstream>

#include "support/folders.h"
#include "support/sanitized.h"
#include "train/config/checks/check.h"
#include "train/config/fixture.h"

namespace calque {
namespace {

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> shipped_configs() {
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(CALQUE_SOURCE_DIR "/configs")) {
    if (file.path().extension() == ".yaml") files.push_back(file.path().string());
  }
  return files;
}

// A value for the key that is allowed and mostly not the default, as YAML.
std::string random_value(const ConfigKey& key, std::mt19937& random) {
  const std::string& allowed = key.allowed;
  const auto pick = [&](std::vector<std::string> values) {
    return values[random() % values.size()];
  };
  if (key.name == "data.languages") return "[en, 'no']";
  if (allowed.starts_with("a corpus")) {
    return pick({"[{toy: sort, symbols: 9}]", "{source: 'a: b', target: \"c # d\"}",
                 "[x/train, {tsv: t}]", "{prefix: p, languages: [a, b], name: n}",
                 "{toy: toy-en-de, split: test, pairs: 7}"});
  }
  if (allowed.starts_with("one of ")) {
    std::istringstream words(allowed.substr(7));
    std::vector<std::string> choices;
    for (std::string word; words >> word;) {
      choices.push_back(word.ends_with(",") ? word.substr(0, word.size() - 1) : word);
    }
    return pick(choices);
  }
  if (allowed == "true or false") return pick({"true", "false"});
  if (allowed.starts_with("a list of two")) return "[0.25, 0.125]";
  if (allowed.starts_with("a list of texts")) return pick({"a b", "['null']"});
  if (allowed == "text") return pick({"a", "'- #'", "\"\\t\""});
  if (allowed.starts_with("limits")) return pick({"3e, 2.5min", "77u", "[1Mt, 1e]"});
  if (allowed.starts_with("500u")) return pick({"never", "2e", "7u"});
  if (allowed.starts_with("a size")) return pick({"0", "1GiB", "7B"});
  if (allowed.starts_with("a whole number")) return pick({"1", "2", "4", "8", "64", "300"});
  return pick({"0.1", "0.5", "0.0009765625", "0.93", "1e-05", "1", "2"});
}

TEST_CASE("what show prints is read back as an equal config") {
  for (const std::string& file : shipped_configs()) {
    CAPTURE(file);
    const Config config = load_config(file).config;
    for (const Comments comments : {Comments::none, Comments::meanings}) {
      CHECK(parse_config(show_config(config, comments), "shown.yaml").config == config);
    }
  }
}

TEST_CASE("configs with random settings are read back as equal, too") {
  std::mt19937 random(4);
  int valid = 0;
  constexpr int tries = sanitized ? 900 : 9000;
  for (int i = 0; i < tries; ++i) {
    std::vector<std::string> settings;
    for (int n = 0; n < 5; ++n) {
      const ConfigKey& key = config_keys()[random() % config_keys().size()];
      settings.push_back(key.name + "=" + random_value(key, random));
    }
    Config config;
    try {
      config = parsed("", settings);
    } catch (const Error&) {
      continue;  // a contradiction
    }
    ++valid;
    CAPTURE(show_config(config));
    CHECK(parse_config(show_config(config), "shown.yaml").config == config);
    CHECK(
        config_differences(config, parse_config(show_config(config), "shown.yaml").config).empty());
  }
  CHECK(valid > tries / 20);  // most sets contradict each other
}

TEST_CASE("every shipped config is valid") {
  const std::vector<std::string> files = shipped_configs();
  CHECK(files.size() >= 5);
  for (const std::string& file : files) {
    CAPTURE(file);
    CHECK(config_problems(file) == std::vector<std::string>());
  }
}

TEST_CASE("the shipped Multi30k config is the paper's recipe") {
  const Config config = load_config(CALQUE_SOURCE_DIR "/configs/multi30k.yaml").config;
  CHECK(config.model.d_model == 128);
  CHECK(config.model.d_ff == 256);
  CHECK(config.model.heads == 4);
  CHECK(config.model.encoder_layers == 4);
  CHECK(config.model.decoder_layers == 4);
  CHECK(config.model.norm_placement == NormPlacement::post);
  CHECK(config.model.dropout == real(0.3));
  CHECK(config.model.attention_dropout == 0);
  CHECK(config.model.tied == Tying::all);
  CHECK(config.training.batch_tokens * config.training.accumulation == 8192);
  CHECK(config.training.learning_rate == 0.005);
  CHECK(config.training.warmup_from == 1e-7);
  CHECK(config.training.warmup_steps == 2000);
  CHECK(config.training.clip_norm == 25);
  CHECK(config.training.until == Until{.updates = 8000});
  CHECK(config.training.patience == 10);
  CHECK(config.training.keep_last == 10);
}

TEST_CASE("docs/config.md is the reference generated from the schema") {
  INFO("run: calque config keys --markdown > docs/config.md");
  CHECK(text_of_file(CALQUE_SOURCE_DIR "/docs/config.md") == config_reference());
}

TEST_CASE("every key has a unique name, a section and a meaning in whole sentences") {
  std::set<std::string> names;
  for (const ConfigKey& key : config_keys()) {
    CAPTURE(key.name);
    CHECK(names.insert(key.name).second);
    const std::string section = key.name.substr(0, key.name.find('.'));
    const auto sections = std::ranges::count(config_sections(), section, &SectionInfo::name);
    CHECK(sections == (key.name == "task" ? 0 : 1));  // `task` is outside of them
    CHECK_FALSE(key.meaning.empty());
    CHECK((key.meaning.ends_with(".") || key.meaning.ends_with(")")));
  }
}

TEST_CASE("equal configs have no differences") {
  CHECK(config_differences(parsed(""), parsed("")).empty());
}

TEST_CASE("another name of a corpus is no difference, another weight is one") {
  const auto parsed = [](const std::string& corpus) {
    return parse_config("data: {train: {prefix: a, languages: [x, y]" + corpus + "}}\n", "c.yaml")
        .config;
  };
  CHECK(config_differences(parsed(", name: one"), parsed(", name: two")).empty());
  CHECK(config_differences(parsed(""), parsed(", weight: 2")).size() == 1);
}

TEST_CASE("differences name the key, the values, and whether a run may be resumed with them") {
  const auto differences = config_differences(
      parsed(""),
      parsed("training: {until: 20e, seed: 2}\nmodel: {heads: 4}\nlogging: {every: 7}\n"));
  REQUIRE(differences.size() == 4);
  CHECK(differences[0].key == "model.heads");
  CHECK(differences[0].before == "8");
  CHECK(differences[0].now == "4");
  CHECK(differences[0].on_resume == OnResume::harmful);
  CHECK(differences[1].key == "training.seed");
  CHECK(differences[1].on_resume == OnResume::harmful);
  CHECK(differences[2].key == "training.until");
  CHECK(differences[2].before == "100000u");
  CHECK(differences[2].now == "20e");
  CHECK(differences[2].on_resume == OnResume::harmless);
  CHECK(differences[3].key == "logging.every");
  CHECK(differences[3].on_resume == OnResume::harmless);
}

TEST_CASE("a longer limit is harmful where it moves the end of the schedule") {
  const auto differences =
      config_differences(parsed("training: {schedule: cosine, until: 8000u}\n"),
                         parsed("training: {schedule: cosine, until: 9000u}\n"));
  REQUIRE(differences.size() == 2);
  CHECK(differences[0].key == "training.until");
  CHECK(differences[1].key == "training.decay_steps");
  CHECK(differences[1].on_resume == OnResume::harmful);
}

TEST_CASE("a key that another setting disables has the difference 'not used'") {
  const auto differences =
      config_differences(parsed("training: {schedule: noam}\n"),
                         parsed("training: {schedule: inverse_sqrt, learning_rate: 0.0005}\n"));
  bool found = false;
  for (const auto& difference : differences) {
    if (difference.key != "training.learning_rate") continue;
    found = true;
    CHECK(difference.before == "not used");
    CHECK(difference.now == "0.0005");
  }
  CHECK(found);
}

}  // namespace
}  // namespace calque
