// --precision, decoding.precision and calque quantize.
#include <doctest/doctest.h>

#include <filesystem>
#include <functional>

#include "cli/program.h"
#include "cli/trained.h"
#include "support/folders.h"

namespace calque {
namespace {

// A run, and the folder that calque quantize made from it.
struct Quantized {
  explicit Quantized(const Trained& trained)
      : run(trained.run),
        folder(trained.file("int8")),
        made(calque::run("calque quantize " + run + " --out " + folder)) {}
  ~Quantized() { std::filesystem::remove_all(folder.substr(1, folder.size() - 2)); }
  Quantized(const Quantized&) = delete;
  Quantized& operator=(const Quantized&) = delete;

  std::string run, folder;  // quoted for the shell
  CommandResult made;
};

// The output of a command that succeeds. RUN in it stands for the run.
std::string output_of(std::string command, const std::string& run) {
  command.replace(command.find("RUN"), 3, run);
  const CommandResult result = calque::run(command);
  CHECK_MESSAGE(result.status == 0, result.err);
  return result.out;
}

// Calls check(run, command) for a command of each kind of model.
void for_commands(const std::function<void(const Trained&, const std::string&)>& check) {
  check(trained(), "printf 'a b c\\nd e\\n' | calque translate RUN --scores");
  check(trained_language_model(), "printf 'abc\\n' > " + trained_language_model().file("text") +
                                      "; calque score RUN --text " +
                                      trained_language_model().file("text"));
  check(trained_classifier(), "printf 'a b\\n' | calque embed RUN");
  check(trained_masked_lm(), "printf 'a b\\n' | calque embed RUN");
}

TEST_CASE("a quantized run computes what --precision int8 computes, and float32 does not") {
  const auto check = [](const Trained& trained, const std::string& command) {
    const Quantized quantized(trained);
    REQUIRE_MESSAGE(quantized.made.status == 0, quantized.made.err);
    const std::string exact = output_of(command, trained.run);
    const std::string rounded = output_of(command + " --precision int8", trained.run);
    CHECK(output_of(command, quantized.folder) == rounded);
    CHECK(rounded != exact);
    CHECK(output_of(command + " --precision float32", trained.run) == exact);
  };
  for_commands(check);
}

TEST_CASE("every command computes with weights in bfloat16, q8_0 and q4_0") {
  const auto check = [](const Trained& trained, const std::string& command) {
    const std::string exact = output_of(command, trained.run);
    for (const std::string precision : {"bfloat16", "q8_0", "q4_0"}) {
      CAPTURE(precision);
      const std::string rounded = output_of(command + " --precision " + precision, trained.run);
      CHECK(rounded != exact);
      CHECK(output_of("export OMP_NUM_THREADS=1; " + command + " --precision " + precision,
                      trained.run) == rounded);
    }
  };
  for_commands(check);
}

TEST_CASE("quantize prints what it saved and how far it rounded; info names the precision") {
  const Quantized quantized(trained());
  CHECK(std::filesystem::exists(trained().place / "int8/sentences.txt"));
  CHECK(quantized.made.out.find(" MB of weights in ") != std::string::npos);
  CHECK(quantized.made.out.find("(root mean square), most in ") != std::string::npos);
  CHECK(output_of("calque info RUN", quantized.folder).find("weights: in int8\n") !=
        std::string::npos);
  check_refused(run("calque quantize " + quantized.run + " --out " + quantized.folder), 1,
                "exists already; choose another --out");
  check_refused(run("calque quantize " + quantized.folder), 1, "its weights are in int8 already");
}

TEST_CASE("a quantized run cannot be resumed, and an export of it holds the rounded numbers") {
  const Quantized quantized(trained());
  const std::string place = quantized.folder.substr(1, quantized.folder.size() - 2);
  check_refused(run("calque train '" + place + "/config.yaml' --run " + quantized.folder), 1,
                "has weights in int8 and cannot be resumed");
  CHECK(output_of("calque export RUN numpy --out '" + place + "/numpy'", quantized.folder)
            .find("numpy") != std::string::npos);
}

TEST_CASE("an average of a quantized run is no longer in int8") {
  const Quantized quantized(trained());
  const std::string mean = trained().file("mean");
  output_of("calque average RUN " + quantized.run + " --out " + mean, quantized.folder);
  CHECK(output_of("calque info RUN", mean).find("in int8") == std::string::npos);
  const std::string command = "printf 'a b c\\n' | calque translate RUN --scores";
  CHECK(output_of(command, mean) == output_of(command + " --precision float32", mean));
}

TEST_CASE("decoding.precision is the default of --precision, but an export does not round") {
  const Trained& original = trained();
  const std::string copy = original.file("int8-by-config");
  const std::string place = copy.substr(1, copy.size() - 2);
  std::filesystem::copy(original.place / "run", place, std::filesystem::copy_options::recursive);
  const CommandResult set =
      run("sed -i '/^decoding:/,/^logging:/s/precision: float32/precision: int8/' '" + place +
          "/config.yaml'");
  REQUIRE(set.status == 0);
  const std::string command = "printf 'a b c\\n' | calque translate RUN --scores";
  CHECK(output_of(command, copy) == output_of(command + " --precision int8", original.run));
  for (const std::string& from : {copy, original.run}) {
    output_of("calque export RUN safetensors --out '" + place + "/exported-" +
                  (from == copy ? "copy" : "original") + "'",
              from);
  }
  CHECK(run("cmp '" + place + "/exported-copy/model.safetensors' '" + place +
            "/exported-original/model.safetensors'")
            .status == 0);
  std::filesystem::remove_all(place);
}

TEST_CASE("an unknown precision is refused, and so is --set decoding.precision") {
  check_refused(run("calque translate " + trained().run + " --precision int4"), 2,
                "int4 not in {float32,bfloat16,int8,q8_0,q4_0}");
  check_refused(run("calque translate " + trained().run + " --set decoding.precision=int8"), 2,
                "use --precision");
}

}  // namespace
}  // namespace calque
