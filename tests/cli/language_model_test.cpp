// The commands with a language model: generate, score, evaluate, explain, info.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>

#include "cli/program.h"
#include "cli/trained.h"

namespace calque {
namespace {

const std::string& run_folder() { return trained_language_model().run; }

CommandResult generate(const std::string& arguments) {
  return run("calque generate " + run_folder() + " " + arguments);
}

TEST_CASE(
    "generate writes the prompt and a continuation, the same for a seed on any number of threads") {
  const CommandResult once = generate("'The dog' --max-tokens 50 --seed 5");
  CHECK(once.status == 0);
  CHECK(once.err.empty());
  CHECK(once.out.starts_with("The dog"));
  CHECK(once.out.size() > std::string("The dog\n").size());
  CHECK(generate("'The dog' --max-tokens 50 --seed 5 --threads 1").out == once.out);
  CHECK(generate("'The dog' --max-tokens 50 --seed 5 --threads 3").out == once.out);
  CHECK(generate("'The dog' --max-tokens 50 --seed 6").out != once.out);
}

TEST_CASE("generate works without a prompt, but refuses an empty one") {
  const CommandResult without = generate("--max-tokens 20");
  CHECK(without.status == 0);
  CHECK(without.out.size() > 1);
  check_refused(generate("''"), 2, "PROMPT: the value is empty");
}

TEST_CASE("generate accepts more tokens than the context, and a prompt longer than the context") {
  const CommandResult text = generate("The --temperature 0.01 --max-tokens 200");
  CHECK(text.status == 0);
  const std::string prompt(100, 'e');
  const CommandResult longer = generate(prompt + " --max-tokens 10");
  CHECK(longer.status == 0);
  CHECK(longer.out.starts_with(prompt));
  CHECK(longer.out.size() > prompt.size() + 1);
}

TEST_CASE("--samples sets the number of texts, and --stop ends a text before a string") {
  const CommandResult several = generate("The --samples 3 --max-tokens 30");
  CHECK(several.status == 0);
  size_t rules = 0;
  for (size_t at = 0; (at = several.out.find("\n--------\n", at)) != std::string::npos; ++at) {
    ++rules;
  }
  CHECK(rules == 2);
  const std::string whole = generate("The --temperature 0 --max-tokens 30").out;
  const std::string stop = whole.substr(8, 2);  // in the continuation; the prompt has 3 characters
  const CommandResult stopped =
      generate("The --temperature 0 --max-tokens 30 --stop '" + stop + "'");
  CHECK(stopped.out == whole.substr(0, whole.find(stop, 3)) + "\n");
}

TEST_CASE(
    "--interactive continues each line of standard input, and excludes PROMPT and --samples") {
  const CommandResult ran = run("printf 'The\\nA cat\\n' | calque generate " + run_folder() +
                                " --interactive "
                                "--max-tokens 5 --temperature 0");
  CHECK(ran.status == 0);
  CHECK(ran.out.find("The") == 0);
  CHECK(ran.out.find("\nA cat") != std::string::npos);
  check_refused(generate("--interactive --samples 2"), 2, "--samples");
  check_refused(generate("The --interactive"), 2, "--interactive");
}

TEST_CASE("generate refuses invalid text and options, a missing run, and a run of another task") {
  check_refused(generate("$'a\\377'"), 1, "the prompt: not valid UTF-8 (byte 2)");
  check_refused(run("calque generate /nosuch The"), 1, "/nosuch: there is no such run");
  check_refused(run("calque generate " + trained().run + " The"), 1,
                "calque generate needs a run of task: language-model; ");
  check_refused(generate("The --max-tokens 0"), 2, "--max-tokens");
  check_refused(generate("The --top-p 2"), 2, "--top-p");
  check_refused(generate("The --temperature -1"), 2, "--temperature");
  check_refused(generate("The --nosuch"), 2, "--nosuch");
}

TEST_CASE("--regex, --json-schema and --json constrain what generate writes") {
  const CommandResult words = generate("The --regex ' (dog|cat)( (and|or) (dog|cat))+' --seed 3");
  CHECK(words.status == 0);
  CHECK(std::regex_match(words.out, std::regex("The (dog|cat)( (and|or) (dog|cat))+\n")));
  const std::string schema = trained_language_model().file("schema.json");
  const auto with_schema = [&](const std::string& text) {
    return run("printf '%s' '" + text + "' > " + schema + "; calque generate " + run_folder() +
               " --json-schema " + schema);
  };
  check_refused(with_schema("{"), 1, "schema.json: #: is not JSON (byte 2)");
  check_refused(with_schema("{\"not\": {}}"), 1, "schema.json: #/not: is not supported");
  check_refused(generate("--json-schema /nosuch"), 1, "/nosuch");
  check_refused(generate("--regex '(a'"), 1,
                "--regex: character 1 of the regular expression: the group has no end");
  check_refused(generate("--regex €"), 1,
                "--regex: the model's vocabulary cannot spell any text that matches");
  check_refused(generate("--regex a --json"), 2, "--json");
}

TEST_CASE("chat on a run without a turn format names the option that selects one") {
  check_refused(run("echo a | calque chat " + run_folder()), 1,
                "has no turn format (data.turns); it was not trained on conversations; --format "
                "selects one");
}

TEST_CASE("translate and the options of score refuse runs of another task") {
  check_refused(run("echo a | calque translate " + run_folder()), 1,
                "calque translate needs a run of task: translation; ");
  check_refused(run("calque score " + run_folder() + " --source /dev/null --target /dev/null"), 1,
                "--source needs a run of task: translation; ");
  check_refused(run("calque score " + trained().run + " --text /dev/null"), 1,
                "--text needs a run of task: language-model; ");
}

CommandResult score(const std::string& text) {
  const std::string file = trained_language_model().file("lines");
  return run("printf '" + text + "' > " + file + "; calque score " + run_folder() + " --text " +
             file);
}

TEST_CASE(
    "score --text prints the log-probability of each line, its mean per token, and its number of "
    "tokens") {
  const std::string longer(100, 'e');
  const CommandResult ran = score("The dog\\n\\n" + longer + "\\n");
  CHECK(ran.status == 0);
  CHECK(ran.err.empty());
  check_scores(ran.out, {8, 1, 101});  // characters and </s>
  CHECK(score("").out.empty());
  // The score of a line does not depend on the lines around it.
  CHECK(score("The dog\\n").out == ran.out.substr(0, ran.out.find('\n') + 1));
}

TEST_CASE("score --text refuses invalid text, a missing file, and a missing option") {
  check_refused(score("a\\n\\377\\n"), 1, "lines:2: not valid UTF-8 (byte 1)");
  check_refused(run("calque score " + run_folder() + " --text /nosuch"), 1, "/nosuch");
  check_refused(run("calque score " + run_folder()), 2, "--text");
  check_refused(run("calque score " + run_folder() + " --text a --source b --target c"), 2,
                "--text");
}

TEST_CASE("evaluate prints the measures of a split") {
  const CommandResult split = run("calque evaluate " + run_folder() + " --split validation");
  CHECK(split.status == 0);
  for (const char* part :
       {"step 3", "8 documents", "perplexity", "bits per character", "bits per byte"}) {
    CHECK_MESSAGE(split.out.find(part) != std::string::npos, split.out);
  }
}

TEST_CASE("the loss that evaluate prints for a file agrees with the scores of its lines") {
  // The first line and its </s> fill the window of 32 tokens, so no window has tokens of both
  // lines.
  const std::string first(31, 'e');
  const CommandResult scored = score(first + "\\nIt is a cat\\n");
  std::istringstream scores(scored.out);
  double sum = 0;
  for (const int64_t expected_tokens : {32, 12}) {
    double log_probability = 0, per_token = 0;
    int64_t tokens = 0;
    scores >> log_probability >> per_token >> tokens;
    REQUIRE(!scores.fail());
    CHECK(tokens == expected_tokens);
    sum += log_probability;
  }
  const std::string file = trained_language_model().file("lines");  // written by score()
  const CommandResult evaluated = run("calque evaluate " + run_folder() + " --text " + file);
  REQUIRE(evaluated.status == 0);
  CHECK(evaluated.out.find("2 documents, 44 tokens, 42 characters, 42 bytes") != std::string::npos);
  const std::string label = "\n  loss ";
  const size_t at = evaluated.out.find(label);
  REQUIRE(at != std::string::npos);
  const double loss = std::stod(evaluated.out.substr(at + label.size()));
  CHECK(loss == doctest::Approx(-sum / 44).epsilon(1e-4));  // printed with four decimals
}

TEST_CASE("evaluate refuses missing splits and files, invalid text, pairs, and several runs") {
  check_refused(run("calque evaluate " + run_folder()), 1,
                "--split test: the run's config has no such corpus; give --text or "
                "--conversations, or a split that "
                "it has: train, validation");
  check_refused(run("calque evaluate " + run_folder() + " --text /nosuch"), 1, "/nosuch");
  const std::string file = trained_language_model().file("bad");
  check_refused(run("printf 'a\\n\\377\\n' > " + file + "; calque evaluate " + run_folder() +
                    " --text " + file),
                1, "not valid UTF-8");
  check_refused(run("calque evaluate " + run_folder() + " --source /dev/null --target /dev/null"),
                1, "task: translation");
  check_refused(run("calque evaluate " + trained().run + " --text /dev/null"), 1,
                "task: language-model");
  check_refused(run("calque evaluate " + run_folder() + " " + run_folder() + " --split validation"),
                2, "give one run");
}

TEST_CASE("evaluate --output writes what score prints for the documents") {
  const std::string text = trained_language_model().file("lines");
  const std::string output = trained_language_model().file("scores");
  const CommandResult scored = score("The dog sees\\nIt is a cat\\n");
  const CommandResult ran = run("calque evaluate " + run_folder() + " --text " + text +
                                " --output " + output + " && cat " + output);
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  CHECK(count_lines(scored.out) == 2);
  CHECK(ran.out.ends_with(scored.out));
}

TEST_CASE("evaluate --samples shows continuations of the text") {
  const std::string command = "calque evaluate " + run_folder() + " --split validation";
  const auto shown = [](const std::string& text) {
    int count = 0;
    for (size_t at = 0; (at = text.find("\n  > ", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  const std::string plain = run(command).out, sampled = run(command + " --samples 3").out;
  CHECK(shown(plain) == 0);
  CHECK(shown(sampled) == 3);
  CHECK(sampled.ends_with(plain.substr(plain.find('\n') + 1)));
}

TEST_CASE("evaluate and explain refuse the options of translators for a language model") {
  for (const char* option : {"--beam 2", "--tokenize intl", "--set decoding.max_length=5"}) {
    check_refused(run("calque evaluate " + run_folder() + " --split validation " + option), 1,
                  std::string(option).substr(0, std::string(option).find(' ')) +
                      " needs a run of task: translation; ");
  }
  check_refused(run("calque explain " + run_folder() + " The --beam 2"), 1,
                "--beam needs a run of task: translation; ");
}

TEST_CASE("data.drop_duplicates drops training documents that occurred before") {
  const Trained& all = trained_language_model();
  const std::string check = "printf 'a\\nb\\na\\n' > " + all.file("twice") +
                            "; calque data check " + all.file("config.yaml") +
                            " --set 'data.train={text: " + all.file("twice") + "}'";
  CHECK(run(check).out.starts_with("train: 3 documents"));
  const CommandResult dropped = run(check + " --set data.drop_duplicates=true");
  CHECK_MESSAGE(dropped.out.starts_with("train: 2 documents"), dropped.out);
  CHECK(dropped.out.find("1 seen before") != std::string::npos);
}

CommandResult explain(const std::string& options) {
  return run("cd " + trained_language_model().file("") + " && calque explain " + run_folder() +
             " " + options);
}

TEST_CASE("explain writes a page about the continuation of a prompt, or JSON with --json") {
  const CommandResult page = explain("'The dog' && cat explain.html");
  CHECK(page.status == 0);
  CHECK(page.out.find("</html>") != std::string::npos);
  const CommandResult numbers = explain("'The dog' --json");
  REQUIRE(numbers.status == 0);
  const auto json = nlohmann::json::parse(numbers.out, nullptr, false);
  REQUIRE(json.is_object());
}

TEST_CASE("explain refuses a prompt that is too long, invalid text, and --svg") {
  check_refused(explain(std::string(40, 'e')), 1,
                "the prompt has 41 tokens, but the model sees 32 at once");
  check_refused(explain("$'a\\377'"), 1, "the prompt: not valid UTF-8 (byte 2)");
  check_refused(explain("''"), 2, "TEXT: the value is empty");
  check_refused(explain("The --svg"), 1, "--svg needs a run of task: translation; ");
}

TEST_CASE("explain --json has the inspection of the prompt and its continuation") {
  const CommandResult ran = explain(
      "'The dog' --json --against 'The cat' --without-heads 1.2,1.1 --steer 'a:1:0.5' "
      "--steer e:0:-1");
  REQUIRE_MESSAGE(ran.status == 0, ran.err);
  const auto json = nlohmann::json::parse(ran.out);
  const auto& found = json["inspection"];
  const size_t tokens = json["target_tokens"].size(), given = json["given"];
  REQUIRE(given == 7);
  REQUIRE(found["lens"].size() == 2);
  CHECK(found["lens"][1].size() == tokens);
  // The last layer says what the model says.
  const auto& last = found["lens"][1][given]["best"][0];
  CHECK(last["id"] == json["steps"][given]["best"][0]["id"]);
  CHECK(last["probability"].get<double>() ==
        doctest::Approx(json["steps"][given]["best"][0]["probability"].get<double>()));
  CHECK(found["heads"].size() == json["decoder_self"].size());
  CHECK(found["attribution"].size() == tokens - given);
  CHECK(found["attribution"][0].size() == tokens);
  CHECK(found["patching"]["against"] == "The cat");
  CHECK(found["patching"]["patched"].size() == 2);
  CHECK(found["patching"]["patched"][0].size() == given + 1);
  CHECK(found["edited"]["edits"] ==
        nlohmann::json::parse(R"(["without head 1.2", "without head 1.1",
            "steered along 'a' after layer 1, strength 0.5",
            "steered along 'e' at the embeddings, strength -1"])"));
  const auto plain = nlohmann::json::parse(explain("'The dog' --json").out)["inspection"];
  CHECK((plain["patching"].is_null() && plain["edited"].is_null()));
  CHECK(plain["heads"] == found["heads"]);
}

TEST_CASE("explain --terminal prints tables") {
  const CommandResult ran = explain("'The dog' --terminal --against 'The cat' --without-heads 1.1");
  CHECK(ran.status == 0);
  for (const char* part : {"\nChanged: without head 1.1\n", "\nPatching from 'The cat'",
                           "\nLogit lens", "\nHeads: ", "\n1.2 ", "\nAttribution"}) {
    CHECK_MESSAGE(ran.out.find(part) != std::string::npos, part);
  }
}

TEST_CASE("explain refuses heads, layers, words and prompts that do not fit") {
  check_refused(explain("The --without-heads 3.1"), 1,
                "there is no head 3.1; the heads of this model are 1.1 to 1.2");
  check_refused(explain("The --without-heads 1.0"), 1, "there is no head 1.0");
  check_refused(explain("The --without-heads=-9223372036854775808.1"), 2, "is no LAYER.HEAD");
  check_refused(explain("The --without-heads 1.1,2"), 2,
                "--without-heads: '2' is no LAYER.HEAD, such as 2.3");
  check_refused(explain("The --steer e:3:1"), 1,
                "there is no layer 3 to steer; the layers of this model are 1 to 1, and 0 is");
  for (const char* wrong : {"e", "e:1", ":1:1", "e:x:1", "e:1:nan"}) {
    check_refused(explain(std::string("The --steer ") + wrong), 2, "is no WORD:LAYER:STRENGTH");
  }
  check_refused(explain("The --steer e:1:-1e300"), 2,
                "--steer: the strength of 'e:1:-1e300' is not between -1000 and 1000");
  check_refused(explain("The --steer '\u2603:1:1'"), 1, "the vocabulary has no tokens for");
  check_refused(explain("'The dog' --against The"), 1,
                "the prompt to patch from has 3 tokens, but the prompt has 7; patching needs two "
                "prompts with the same number of tokens");
  check_refused(explain("The --against " + std::string(40, 'e')), 1,
                "the prompt to patch from has 41 tokens, but the model sees 32 at once");
  check_refused(explain("The --against ''"), 2, "--against: the value is empty");
  check_refused(explain("The --terminal --json"), 2, "--terminal");
  for (const char* option : {"--against b", "--without-heads 1.1", "--steer a:1:1", "--terminal"}) {
    check_refused(run("calque explain " + trained().run + " a " + option), 1,
                  "needs a run of task: language-model; ");
  }
}

TEST_CASE("info prints the task of a run and its parameters") {
  const CommandResult ran = run("calque info " + run_folder());
  CHECK(ran.status == 0);
  CHECK(ran.out.find("task language-model\n") != std::string::npos);
  CHECK(ran.out.find("step 3 ") != std::string::npos);
  CHECK(ran.out.find("embedding") != std::string::npos);
  CHECK(run("calque info " + trained().run).out.find("task translation\n") != std::string::npos);
}

TEST_CASE("average and plot accept runs of a language model") {
  const std::string out = trained_language_model().file("mean");
  const std::string last = run_folder() + "/last";
  const CommandResult mean =
      run("calque average " + last + " " + last + " --out " + out + " && calque info " + out +
          " && calque generate " + out + " The --max-tokens 3");
  CHECK_MESSAGE(mean.status == 0, mean.err);
  CHECK(mean.out.find("weights: the mean of 2 checkpoints") != std::string::npos);
  const CommandResult plot = run("calque plot " + run_folder());
  CHECK_MESSAGE(plot.status == 0, plot.err);
}

TEST_CASE("an unknown metric is refused with the list of the task's metrics") {
  const CommandResult ran =
      run("calque train " + trained_language_model().file("config.yaml") + " --run " +
          trained_language_model().file("none") + " --set training.metric=bleu");
  check_refused(
      ran, 1,
      "training.metric: the metric must be loss, nll, perplexity, accuracy, bits_per_character, "
      "bits_per_byte, margin, not bleu");
}

}  // namespace
}  // namespace calque
