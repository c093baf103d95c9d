// calque import: the run made from an exported model gives the results of the original run.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "cli/program.h"
#include "cli/trained.h"

namespace calque {
namespace {

TEST_CASE(
    "an imported language model generates and scores like the original run, and can be trained") {
  const Trained& original = trained_language_model();
  const std::string folder = original.file("to-import"), imported = original.file("imported");
  REQUIRE(run("calque export " + original.run + " huggingface --out " + folder).status == 0);
  const CommandResult made = run("calque import " + folder + " --run " + imported);
  REQUIRE_MESSAGE(made.status == 0, made.err);
  CHECK(made.out.find("/finetune.yaml") != std::string::npos);

  const std::string prompt = " 'The dog' --max-tokens 20 --temperature 0";
  const CommandResult generated = run("calque generate " + imported + prompt);
  CHECK_MESSAGE(generated.status == 0, generated.err);
  CHECK(generated.out == run("calque generate " + original.run + prompt).out);

  const std::string text = original.file("to-score");
  const auto score = [&](const std::string& folder_of_run) {
    return run("printf 'The dog\\n' > " + text + "; calque score " + folder_of_run + " --text " +
               text);
  };
  const CommandResult scored = score(imported);
  REQUIRE_MESSAGE(scored.status == 0, scored.err);
  CHECK(std::stod(scored.out) ==
        doctest::Approx(std::stod(score(original.run).out)).epsilon(1e-4));  // printed: 4 decimals

  const std::string tuned = original.file("tuned");
  const CommandResult trained =
      run("calque train " + original.file("imported/finetune.yaml") + " --run " + tuned +
          " --quiet --set 'data.train={toy: toy-text, pairs: 20}'"
          " --set training.until=2u");
  CHECK_MESSAGE(trained.status == 0, trained.err);
  CHECK(run("calque generate " + tuned + prompt).status == 0);

  const std::string config = original.file("imported/config.yaml");
  check_refused(run("calque train " + config + " --run " + tuned + "2"), 1, "data.train: missing");
  check_refused(run("calque import " + folder + " --run " + imported), 1,
                "already exists; choose another folder");
}

TEST_CASE("a run keeps the weights of a GGUF file in 8 or 16 bits, and every command uses them") {
  const Trained& place = trained_language_model();
  const std::string plain = place.file("plain"), config = place.file("llama.yaml");
  REQUIRE(run("cp " + place.file("config.yaml") + " " + config).status == 0);
  const CommandResult trained =
      run("calque train " + config + " --quiet --run " + plain +
          " --set tokenizer.kind=bytes --set model.positions=rotary --set model.norm_kind=rms"
          " --set model.activation=swiglu --set model.biases=none --set model.norm=pre"
          " --set model.d_model=64 --set model.d_ff=64");
  REQUIRE_MESSAGE(trained.status == 0, trained.err);
  const std::string text = place.file("kept-text");
  for (const std::string type : {"q8_0", "q4_0", "bfloat16"}) {
    CAPTURE(type);
    const std::string file = place.file("file-" + type), kept = place.file("kept-" + type),
                      again = place.file("again-" + type);
    const auto succeeds = [](const std::string& command) {
      const CommandResult result = run(command);
      REQUIRE_MESSAGE(result.status == 0, result.err);
      return result.out;
    };
    succeeds("calque export " + plain + " gguf --type " + type + " --out " + file);
    succeeds("calque import " + file + "/model.gguf --run " + kept);
    CHECK(succeeds("calque info " + kept).find("weights: in " + type + "\n") != std::string::npos);
    const auto bytes = [&](const std::string& folder) {
      const std::string path = folder.substr(1, folder.size() - 2) + "/last/model.safetensors";
      return static_cast<double>(std::filesystem::file_size(path));
    };
    CHECK(bytes(kept) < (type == "bfloat16" ? 0.6 : 0.4) * bytes(plain));
    // The blocks are those of the file.
    succeeds("calque export " + kept + " gguf --type " + type + " --out " + again);
    CHECK(run("cmp " + file + "/model.gguf " + again + "/model.gguf").status == 0);
    // Expanded, they are the same numbers.
    const auto score = [&](const std::string& more) {
      return std::stod(succeeds("printf 'The dog\n' > " + text + "; calque score " + kept +
                                " --text " + text + more));
    };
    CHECK(score("") == doctest::Approx(score(" --precision float32")).epsilon(1e-4));
    CHECK(score("") == score(" --precision " + type));
    const std::string prompt =
        "calque generate " + kept + " 'The dog' --max-tokens 20 --temperature 0";
    CHECK(succeeds(prompt) == succeeds(prompt + " --precision float32"));
    const std::string tuned = place.file("tuned-" + type);
    for (const std::string adapter : {"{}", "{kind: lora, base: q4_0}"}) {
      succeeds("calque train " + place.file("kept-" + type + "/finetune.yaml") + " --run " + tuned +
               " --fresh --quiet --set 'data.train={toy: toy-text, pairs: 20}'"
               " --set training.until=2u --set 'model.adapter=" +
               adapter + "'");
    }
    const std::string info = succeeds("calque info " + tuned);
    CHECK(info.find("weights: in") == std::string::npos);
  }
}

TEST_CASE("continued training of a model with a long context starts from usual windows") {
  const Trained& original = trained_language_model();
  const std::string folder = original.file("long"), imported = original.file("long-imported");
  REQUIRE(run("calque export " + original.run + " huggingface --out " + folder).status == 0);
  REQUIRE(
      run("sed -i 's/\"max_position_embeddings\": [0-9]*/\"max_position_embeddings\": 32768/' " +
          folder + "/config.json")
          .status == 0);
  const CommandResult made = run("calque import " + folder + " --run " + imported);
  REQUIRE_MESSAGE(made.status == 0, made.err);
  CHECK(run("grep -c 'context: 32768' " + imported + "/config.yaml").out == "1\n");
  CHECK(run("grep -c 'context: 1024' " + imported + "/finetune.yaml").out == "1\n");
}

TEST_CASE("an imported classifier classifies like the original run, and can be trained") {
  const Trained& plain = trained_classifier();
  const std::string original = plain.file("post"), folder = plain.file("bert"),
                    imported = plain.file("imported");
  const CommandResult trained =
      run("calque train " + plain.file("config.yaml") + " --quiet --run " + original +
          " --set model.norm=post --set model.positions=learned"
          " --set model.pooling=cls");
  REQUIRE_MESSAGE(trained.status == 0, trained.err);
  REQUIRE(run("calque export " + original + " huggingface --out " + folder).status == 0);
  const CommandResult made = run("calque import " + folder + " --run " + imported);
  REQUIRE_MESSAGE(made.status == 0, made.err);

  const auto classify = [](const std::string& folder_of_run) {
    return run("printf 'the dog sleeps\\nder Hund\\n' | calque classify " + folder_of_run +
               " --probabilities --top 2");
  };
  const CommandResult classified = classify(imported);
  CHECK_MESSAGE(classified.status == 0, classified.err);
  CHECK(count_lines(classified.out) == 2);
  CHECK(classified.out == classify(original).out);
  const CommandResult tuned = run("calque train " + plain.file("imported/finetune.yaml") +
                                  " --quiet --run " + plain.file("tuned") +
                                  " --set 'data.train={toy: toy-en-de, pairs: 20}'"
                                  " --set training.until=2u");
  CHECK_MESSAGE(tuned.status == 0, tuned.err);
  const std::string again = plain.file("bert-again");
  REQUIRE(run("calque export " + imported + " huggingface --out " + again).status == 0);
  CHECK(run("diff -r " + folder + " " + again).status == 0);
}

TEST_CASE("calque import refuses a missing path and a run, and makes no folder") {
  const Trained& other = trained();
  check_refused(run("calque import " + other.file("nowhere") + " --run " + other.file("new")), 1,
                "there is no such folder or file");
  check_refused(run("calque import " + other.run + " --run " + other.file("new")), 1,
                "neither a folder with a config.json");
  CHECK(!std::filesystem::exists(other.place / "new"));
}

}  // namespace
}  // namespace calque
