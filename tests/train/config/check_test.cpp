// Settings that are valid on their own but contradict each other.
#include "train/config/fixture.h"

namespace calque {
namespace {

struct Case {
  std::string text;
  std::string message;
};

void check_all(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    CAPTURE(each.text);
    CHECK(config_error(each.text) == each.message);
  }
}

TEST_CASE("models that cannot be built are refused, and the message gives the reason") {
  check_all({
      {"model: {d_model: 64, heads: 7}\n",
       "c.yaml:3: model.heads: 7 heads do not divide d_model 64; the nearest divisor is 8"},
      {"model: {d_model: 63, heads: 7}\n",
       "c.yaml:3: model.d_model: 63 is odd, but sinusoidal positions need pairs of sine and "
       "cosine"},
      {"model: {d_model: 2, heads: 1, positions: t2t}\n",
       "c.yaml:3: model.d_model: 2 is too small for positions: t2t, which needs 4"},
      {"model: {d_model: 12, heads: 4, positions: rotary}\n",
       "c.yaml:3: model.positions: rotary needs an even head size, but d_model / heads is 3 (12 / "
       "4)"},
      {"model: {positions: learned, max_positions: 256}\n",
       "c.yaml:3: model.max_positions: 256 learned positions are too few for data.max_length: 256 "
       "(0: any) and </s>"},
      {"model:\n  max_positions: 300\n", "c.yaml:4: model.max_positions: needs positions: learned"},
  });
  CHECK_NOTHROW(parsed("model: {d_model: 63, heads: 7, positions: none}\n"));
  CHECK_NOTHROW(parsed("model: {positions: learned, max_positions: 257}\n"));
}

TEST_CASE(
    "tied: all needs joint: true without files, which takes one file; byte_fallback needs "
    "SentencePiece") {
  CHECK(config_error("tokenizer: {joint: false}\n")
            .find("c.yaml:3: tokenizer.joint: model.tied: all") == 0);
  CHECK_NOTHROW(parsed("tokenizer: {joint: false}\nmodel: {tied: target}\n"));
  CHECK(config_error("tokenizer: {files: [a, b]}\n") ==
        "c.yaml:3: tokenizer.files: joint: true needs one file, not 2");
  CHECK_NOTHROW(parsed("tokenizer: {files: a.model}\n"));
  CHECK(config_error("tokenizer: {kind: words, byte_fallback: true}\n") ==
        "c.yaml:3: tokenizer.byte_fallback: needs a sentencepiece kind");
}

TEST_CASE("noam refuses a learning rate, and inverse_sqrt refuses a factor") {
  CHECK(config_error("training:\n  schedule: noam\n  learning_rate: 0.001\n") ==
        "c.yaml:5: training.learning_rate: is not used by schedule: noam; set factor, or schedule: "
        "inverse_sqrt");
  CHECK_NOTHROW(parsed("training:\n  schedule: inverse_sqrt\n  learning_rate: 0.001\n"));
  CHECK(config_error("training:\n  schedule: inverse_sqrt\n  factor: 2\n") ==
        "c.yaml:5: training.factor: needs schedule: noam");
}

TEST_CASE("schedules that cannot run are refused") {
  check_all({
      {"training: {warmup_steps: 0}\n",
       "c.yaml:3: training.warmup_steps: must be 1 or more for the schedules auto and noam, which "
       "divide by it"},
      {"training: {schedule: cosine, until: 20e}\n",
       "c.yaml: training.decay_steps: the schedule needs a last step; set this, or give "
       "training.until in updates, such as 9000u"},
      {"training: {schedule: linear, until: 4000u}\n",
       "c.yaml: training.decay_steps: 4000 leaves no step after warmup_steps 4000"},
      {"training: {schedule: constant, warmup_from: 1}\n",
       "c.yaml:3: training.warmup_from: 1 is above learning_rate 0.00177, the peak"},
      {"training: {schedule: cosine, final_learning_rate: 1}\n",
       "c.yaml:3: training.final_learning_rate: 1 is above learning_rate 0.00177"},
  });
  CHECK(parsed("training: {schedule: cosine, until: 9000u}\n").training.decay_steps == 9000);
}

TEST_CASE("settings of training and of its data that contradict each other are refused") {
  check_all({
      {"training: {patience: 3}\n",
       "c.yaml:3: training.patience: it counts validations; set data.validation"},
      {"training: {metric: bleu}\n",
       "c.yaml:3: training.metric: it is measured on translations; set "
       "training.validate_translate: greedy"},
      {"training: {metric: bleu, validate_translate: greedy}\n",
       "c.yaml:3: training.metric: it is measured on translations; set data.validation"},
      {"training: {r_drop: 5}\nmodel: {dropout: 0}\n",
       "c.yaml:3: training.r_drop: needs dropout in the model"},
      {"training: {divergence_factor: 0.5}\n",
       "c.yaml:3: training.divergence_factor: 0.5 would stop training at an ordinary loss; use "
       "more than 1, or 0 for never"},
      {"training: {optimizer: sgd, betas: [0.9, 0.9]}\n",
       "c.yaml:3: training.betas: needs the optimizer adam, adamw or muon"},
  });
  CHECK(config_error("training: {batch_tokens: 0, batch_sentences: 9, memory_limit: 1GB}\n",
                     {"data.max_length=0"}) ==
        "c.yaml:3: training.memory_limit: the size of a batch has no limit: set batch_tokens, or "
        "data.max_length");
  CHECK(message_of([] {
          parse_config("model: {preset: tiny}\n", "c.yaml");
        }).find("c.yaml: data.train: missing; name a training corpus") == 0);
  CHECK(message_of([] {
          parse_config("data: {train: {toy: copy}, test: {toy: copy, weight: 2}}\n", "c.yaml");
        }) == "c.yaml:1: data.test: weight has no effect outside data.train");
  CHECK(message_of([] {
          parse_config("data: {train: {toy: copy}, test: {toy: copy, epochs: 2}}\n", "c.yaml");
        }) == "c.yaml:1: data.test: epochs has no effect outside data.train");
  CHECK(message_of([] {
          parse_config("data: {train: [{toy: copy, epochs: 2}, {toy: sort, epochs: 3}]}\n",
                       "c.yaml");
        }) ==
        "c.yaml:1: data.train: every corpus ends after its epochs; remove `epochs` from one "
        "corpus, so that it is used in all later epochs");
}

TEST_CASE("keys without effect are refused") {
  const std::string validated = "data.validation={toy: copy}";
  check_all({
      {"training: {schedule: constant, warmup_steps: 0, warmup_from: 1e-5}\n",
       "c.yaml:3: training.warmup_from: needs warmup_steps"},
      {"training: {batch_tokens: 0, batch_sentences: 9, batch_by: source}\n",
       "c.yaml:3: training.batch_by: needs batch_tokens"},
  });
  const std::string some = "training: {validate_sentences: 5}\n";
  CHECK(config_error(some, {validated}) ==
        "c.yaml:3: training.validate_sentences: needs validate_translate: greedy or beam");
  CHECK_NOTHROW(parsed(some, {validated, "training.validate_translate=greedy"}));
  CHECK(config_error("", {"data.languages=[en, de]"}) ==
        "--set data.languages=[en, de]: data.languages: needs corpora given by prefix or file");
  CHECK_NOTHROW(parsed("", {"data.languages=[en, de]", "data.test=corpora/test"}));
}

TEST_CASE("validation can be switched off for one run of a config that has settings for it") {
  const std::string text =
      "training: {validate_every: 5u, validate_translate: beam, validate_sentences: 9}\n";
  CHECK_NOTHROW(parsed(text, {"data.validation=[]"}));
}

TEST_CASE("the config saved with a run may lack training data, any other config must have some") {
  const std::string imported = "task: translation\ndata: {train: []}\n";
  CHECK(parse_complete_config(imported, "c.yaml").config.data.train.empty());
  CHECK(message_of<Error>([&] {
          parse_config(imported, "c.yaml");
        }).starts_with("c.yaml:2: data.train: missing"));
}

TEST_CASE("model.tied: all is allowed with two tokenizer files, which may have the same tokens") {
  const std::string files = "tokenizer: {joint: false, files: [a.model, b.model]}\n";
  CHECK_NOTHROW(parsed(files + "model: {tied: all}\n"));
}

TEST_CASE("the config saved with a run may have keys without effect") {
  const std::string kept =
      "data: {train: {toy: copy}, languages: []}\ntraining: {validate_every: 9u}\n";
  CHECK(parse_complete_config(kept, "c.yaml").config.training.validate_every.updates == 9);
  const ConfigFolder folder;
  const std::string path = folder.write("config.yaml", kept);
  CHECK(load_complete_config(path, {}).config.training.validate_every.updates == 9);
}

TEST_CASE("decoding with impossible settings is refused") {
  check_all({
      {"decoding: {n_best: 6}\n",
       "c.yaml:3: decoding.n_best: 6 is more than beam 5; widen the beam or lower this"},
      {"decoding: {min_length: 9, max_length: 8}\n",
       "c.yaml:3: decoding.min_length: 9 is above max_length 8"},
      {"decoding: {max_length_ratio: 0, max_length_extra: 0}\n",
       "c.yaml: decoding.max_length: no token is allowed: set this, max_length_ratio or "
       "max_length_extra"},
      {"decoding: {length_penalty: 1, length_penalty_kind: none}\n",
       "c.yaml:3: decoding.length_penalty: needs length_penalty_kind: wu or power"},
  });
}

TEST_CASE("a corpus prefix needs its languages") {
  CHECK(
      message_of([] { parse_config("data: {train: a}\n", "c.yaml"); }) ==
      "c.yaml:1: data.train: the prefix 'a' needs languages; set data.languages, such as [en, de]");
  CHECK(config_error("", {"data.languages=[en]", "data.test=a"}) ==
        "--set data.languages=[en]: data.languages: must be two, [source, target], not 1");
}

TEST_CASE("the languages of a multilingual run that contradict each other are refused") {
  const auto error = [](const std::string& data) {
    return message_of(
        [&] { parse_config("data: {multilingual: true, " + data + "}\n", "c.yaml", {}); });
  };
  const std::string german = "train: {toy: toy-en-de, directions: both}";
  CHECK(error(german).empty());
  CHECK(error("train: {tsv: a.tsv}") ==
        "c.yaml:1: data.train: data.multilingual needs the languages of each corpus, such as "
        "languages: [en, de]");
  CHECK(error("train: {tsv: a.tsv, languages: [de, de]}") ==
        "c.yaml:1: data.train: languages: [de, de] must be two different ones");
  CHECK(error("train: {tsv: a.tsv, languages: [de, '<s>']}") ==
        "c.yaml:1: data.train: languages: '<s>' must have letters, digits, - and _ alone");
  CHECK(error("train: {tsv: a.tsv, languages: [de]}") ==
        "c.yaml:1: data.train.languages: must be two, [source, target], not 1");
  CHECK(error(german + ", test: {tsv: a.tsv, languages: [en, it]}") ==
        "c.yaml:1: data.test: no corpus of data.train translates into it, only into de and en");
  CHECK(error(german + ", validation: {toy: toy-en-fr, directions: backward}").empty());
  CHECK(error(german + ", temperature: 0") ==
        "c.yaml:1: data.temperature: must be a number, 0.1 to 1000, not '0'");
  CHECK(error(german + ", distill: {run: runs/x}") ==
        "c.yaml:1: data.distill: cannot be combined with data.multilingual");
  CHECK(error(german + ", terms: {share: 0.1}") ==
        "c.yaml:1: data.terms: cannot be combined with data.multilingual");
  CHECK(error(german + ", preceding_sentences: 1") ==
        "c.yaml:1: data.preceding_sentences: cannot be combined with data.multilingual");
  CHECK(message_of([&] {
          parse_config("data: {multilingual: true, " + german + "}\ntokenizer: {kind: bytes}\n",
                       "c.yaml", {});
        }) ==
        "c.yaml:2: tokenizer.kind: bytes have no token for a language; take "
        "sentencepiece-bpe");
}

TEST_CASE("keys of multilingual runs are refused in others") {
  const auto error = [](const std::string& data) {
    return message_of([&] { parse_config("data: {" + data + "}\n", "c.yaml", {}); });
  };
  CHECK(error("train: {toy: toy-en-de}, temperature: 2") ==
        "c.yaml:1: data.temperature: needs data.multilingual");
  CHECK(error("train: {toy: toy-en-de, directions: both}") ==
        "c.yaml:1: data.train: directions: both needs data.multilingual");
  CHECK(error("train: {tsv: a.tsv, languages: [en, de]}") ==
        "c.yaml:1: data.train: languages needs a corpus given by prefix or file, or "
        "data.multilingual");
}

}  // namespace
}  // namespace calque
