// Built-in configs, and the rule that says which word names one.
#include "train/config/built_in.h"

#include "support/folders.h"
#include "train/config/fixture.h"
#include "train/config/source.h"

namespace calque {
namespace {

std::string refusal(const std::string& path) {
  return message_of([&] { read_config_source(path); });
}

// A folder that is the current one as long as this exists.
class CurrentFolder : public ConfigFolder {
 public:
  CurrentFolder() { std::filesystem::current_path(path()); }
  ~CurrentFolder() { std::filesystem::current_path(before_); }

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
};

TEST_CASE("every built-in config is that of its file, and is valid") {
  CHECK(built_in_configs.size() > 15);
  for (const BuiltInConfig& config : built_in_configs) {
    const std::string name(config.name);
    CAPTURE(name);
    const std::string file = CALQUE_SOURCE_DIR "/configs/" + name + ".yaml";
    CHECK(config.text == read_config_source(file).text);
    CHECK(config_problems(name, {}, task_contradictions).empty());
    CHECK(config_summary(config.text).size() > 10);
  }
}

TEST_CASE("a summary is the first sentence of the comment at the top") {
  CHECK(config_summary("# One two.\n#\n# Three.\ndata:\n") == "One two");
  CHECK(config_summary("# As in Wu et al. (2021), one\n# two. Three.\n") ==
        "As in Wu et al. (2021), one two");
  CHECK(config_summary("data: {}  # One.\n") == "");
}

TEST_CASE("a word without / and .yaml names a built-in config unless it is a file") {
  const CurrentFolder folder;
  CHECK(read_config_source("toy").built_in);
  std::filesystem::create_directory("toy");
  CHECK(read_config_source("toy").built_in);
  std::filesystem::remove("toy");
  folder.write("toy", "training: {seed: 5}\n");
  CHECK_FALSE(read_config_source("toy").built_in);
  CHECK(read_config_source("toy").text == "training: {seed: 5}\n");
  CHECK(refusal("./copy").starts_with("./copy: no such file"));
  CHECK(refusal("copy.yaml") ==
        "copy.yaml: no such file; the built-in config of this name is called copy");
  CHECK(refusal("").find("no such file") != std::string::npos);
}

TEST_CASE("a file includes a file beside it or a built-in config") {
  const CurrentFolder folder;
  folder.write("sub/own.yaml", "include: toy\ntraining: {seed: 5}\n");
  const LoadedConfig loaded = load_config("sub/own.yaml");
  CHECK(loaded.config.model.d_model == 128);
  CHECK(loaded.config.training.seed == 5);
  CHECK(loaded.origins.at("model.d_model").starts_with("built-in toy.yaml:"));
  folder.write("sub/toy", "include: toy\n");
  const std::vector<std::string> problems = config_problems("sub/own.yaml");
  REQUIRE(problems.size() >= 1);
  CHECK(problems.front().find("includes itself") != std::string::npos);
}

TEST_CASE("an unknown name is refused with the names that begin with it, or with the nearest") {
  CHECK(refusal("tyo").ends_with("; similar names: toy"));
  CHECK(refusal("shakespeare-").ends_with(": shakespeare-moe, shakespeare-small"));
  CHECK(refusal("nothing-like-it").ends_with("; 'calque config list' lists them"));
}

}  // namespace
}  // namespace calque
