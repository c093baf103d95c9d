// calque export, and the reasons why a format cannot hold a model.
#include <doctest/doctest.h>

#include <filesystem>

#include "cli/program.h"
#include "cli/trained.h"
#include "support/folders.h"

namespace calque {
namespace {

TEST_CASE("calque export writes a new folder, and refuses a folder that exists") {
  const std::string out = trained().file("ct2");
  const CommandResult first =
      run("calque export " + trained().run + " ctranslate2 --int8 --out " + out);
  REQUIRE_MESSAGE(first.status == 0, first.err);
  CHECK(first.out.find("README.md says how to load it") != std::string::npos);
  CHECK(first.out.starts_with("int8: the largest rounding is 0.00"));
  for (const char* file : {"model.bin", "config.json", "shared_vocabulary.json", "README.md"}) {
    CHECK(std::filesystem::exists(trained().place / "ct2" / file));
  }
  const CommandResult again = run("calque export " + trained().run + " ctranslate2 --out " + out);
  check_refused(again, 1, "already exists; choose another folder");
}

TEST_CASE(
    "the error of calque export is one line, which names the formats that can hold the model") {
  check_refused(run("calque export " + trained().run + " huggingface"), 1,
                "tokenizer.kind is words, which huggingface cannot hold; ctranslate2, numpy, "
                "safetensors can");
  check_refused(run("calque export " + trained_masked_lm().run + " gguf"), 1,
                "task is masked-lm, which gguf cannot hold; numpy, safetensors can");
  check_refused(run("calque export " + trained().run + " numpy --int8"), 2,
                "--type: numpy has no types to choose from, such as int8");
  check_refused(run("calque export " + trained().run + " ctranslate2 --type q8_0"), 2,
                "--type: ctranslate2 cannot store numbers as q8_0; it can as float32, int8");
  check_refused(run("calque export " + trained().run + " nonsense"), 2, "nonsense not in {");
  CHECK(!std::filesystem::exists(trained().place / "run-huggingface"));
}

TEST_CASE("the parameters of language models, encoders and image models can be exported") {
  for (const Trained* each : {&trained_language_model(), &trained_masked_lm(),
                              &trained_classifier(), &trained_on_images()}) {
    const CommandResult ran =
        run("calque export " + each->run + " numpy --out " + each->file("numpy"));
    CHECK_MESSAGE(ran.status == 0, ran.err);
    CHECK(std::filesystem::exists(each->place / "numpy" / "model.npz"));
  }
}

TEST_CASE("config check --for reports before training why a format cannot hold the model") {
  const std::string copy = "calque config check '" CALQUE_SOURCE_DIR "/configs/copy.yaml' --for ";
  const CommandResult fine = run(copy + "ctranslate2");
  CHECK(fine.status == 0);
  check_refused(run(copy + "huggingface"), 1, "tokenizer.kind is words");
}

}  // namespace
}  // namespace calque
