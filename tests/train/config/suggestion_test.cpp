// Unknown keys: the message names the key that was meant.
#include "train/config/suggestion.h"

#include "train/config/fixture.h"
#include "train/config/nearest.h"
#include "train/config/schema.h"

namespace calque {
namespace {

bool has_word(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

TEST_CASE("the edit distance counts insertions, removals, replacements and swaps") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("abc", "abc") == 0);
  CHECK(edit_distance("abc", "ac") == 1);
  CHECK(edit_distance("abc", "axbc") == 1);
  CHECK(edit_distance("abc", "abd") == 1);
  CHECK(edit_distance("abc", "acb") == 1);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("nearest ignores case and separators, and returns nothing when nothing is near") {
  CHECK(nearest("WARMUP-STEPS", {"heads", "warmup_steps"}) == "warmup_steps");
  CHECK(nearest("hedas", {"heads", "dropout"}) == "heads");
  CHECK(nearest("something", {"heads", "dropout"}).empty());
  CHECK(nearest("", {"heads"}).empty());
  CHECK(nearest(std::string(100'000, 'a'), {"heads"}).empty());
}

TEST_CASE("a misspelt key is refused with its line and the nearest known key") {
  CHECK(config_error("model:\n  d_modle: 64\n") ==
        "c.yaml:4: model.d_modle: unknown key; nearest is model.d_model (a whole number, 1 to "
        "65536)");
  CHECK(
      has_word(config_error("training:\n  warmup_step: 1\n"), "nearest is training.warmup_steps"));
  CHECK(has_word(config_error("training:\n  warmup-steps: 1\n"),
                 "it is spelt training.warmup_steps"));
  CHECK(has_word(config_error("trainig:\n  seed: 1\n"),
                 "c.yaml:3: trainig: unknown key; nearest is the section training"));
  CHECK(has_word(config_error("model:\n  qqqqqqqqqq: 1\n"), "'calque config keys' lists them all"));
}

TEST_CASE("a key in the wrong section is refused with the right one") {
  CHECK(has_word(config_error("training:\n  d_ff: 64\n"), "it belongs to model.d_ff"));
  CHECK(has_word(config_error("seed: 1\n"), "it belongs to training.seed"));
  CHECK(has_word(config_error("model.d_model: 64\n"),
                 "must be inside its section: 'model:', and indented below it 'd_model: ...'"));
}

TEST_CASE("another toolkit's name is translated") {
  const std::pair<std::string, std::string> names[] = {
      {"learn-rate: 0.1\n", "Marian's name for training.learning_rate"},
      {"training:\n  lr: 0.1\n", "fairseq's name for training.learning_rate"},
      {"training:\n  accum_count: 2\n", "OpenNMT-py's name for training.accumulation"},
      {"training:\n  update-freq: 2\n", "fairseq's name for training.accumulation"},
      {"training:\n  epochs: 2\n", "Joey NMT's name for training.until"},
      {"model:\n  hidden_size: 2\n", "Joey NMT's name for model.d_model"},
      {"model:\n  num-layers: 2\n", "name for model.encoder_layers"},
      {"model:\n  transformer-dim-ffn: 2\n", "Marian's name for model.d_ff"},
      {"decoding:\n  lenpen: 2\n", "fairseq's name for decoding.length_penalty"},
      {"data:\n  dev: x\n", "Joey NMT's name for data.validation"},
      {"enc-depth: 6\n", "Marian's name for model.encoder_layers"},
  };
  for (const auto& [given, answer] : names) {
    const auto& text = given;
    CAPTURE(text);
    // Without the small config, which would repeat the section data.
    CHECK(has_word(message_of([&] { parse_config(text, "c.yaml"); }), answer));
  }
}

TEST_CASE("settings that do not exist here are refused with advice") {
  CHECK(has_word(config_error("training:\n  model_dir: x\n"), "--run DIR"));
  CHECK(has_word(config_error("use_cuda: true\n"), "runs on the CPU"));
  CHECK(has_word(config_error("testing:\n  beam_size: 5\n"), "the section is called decoding"));
  CHECK(has_word(config_error("<<: x\n"), "use include:"));
  CHECK(has_word(config_error("tokenizer:\n  unigram_alpha: 0.1\n"), "tokenizer.bpe_dropout"));
}

TEST_CASE("an unknown key of a corpus is refused with the nearest one") {
  const auto answer = [](const std::string& corpus) {
    return message_of([&] { parse_config("data:\n  train: {" + corpus + "}\n", "c.yaml"); });
  };
  CHECK(
      has_word(answer("soruce: a"), "c.yaml:2: data.train.soruce: unknown key; nearest is source"));
  CHECK(has_word(answer("path_src: a"), "OpenNMT-py's name for source"));
  CHECK(has_word(answer("zzzzzzz: a"),
                 "a corpus has text, conversations, preferences, labelled, tagged, images, labels, "
                 "prefix, languages, directions, source"));
}

TEST_CASE("every foreign name in the schema leads to a known key") {
  for (const ConfigKey& key : config_keys()) {
    for (const ForeignName& foreign : key.elsewhere) {
      const std::string section = key.name.substr(0, key.name.find('.'));
      const std::string last(foreign.name.substr(foreign.name.rfind('.') + 1));
      if (find_config_key(section + "." + bare_word(last)) != nullptr) continue;
      if (find_config_key(section + "." + last) != nullptr) continue;  // calque has the same name
      CAPTURE(key.name);
      CAPTURE(last);
      const std::string answer = unknown_key(section, last);
      CHECK(
          (has_word(answer, "name for " + section) || has_word(answer, "it is spelt " + section)));
    }
  }
}

}  // namespace
}  // namespace calque
