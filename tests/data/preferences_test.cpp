// Preferences: lines with a chosen and a rejected answer, and their ids.
#include <doctest/doctest.h>

#include "core/error.h"
#include "data/conversations/dataset.h"
#include "data/conversations/preference.h"
#include "data/conversations/preference_dataset.h"
#include "data/temporary_folder.h"
#include "data/tokenizers/vocabulary.h"
#include "support/message_of.h"

namespace calque {
namespace {

using enum Speaker;

Tokenizer bytes_alone() { return {ByteModel(), {.kind = TokenizerKind::bytes}}; }

std::string problem(std::string_view line) {
  return message_of([&] { parse_preference(line, "pairs.jsonl:3"); });
}

}  // namespace

TEST_CASE("a preference has texts, messages, or whole conversations") {
  const Preference expected{{{user, "a"}, {assistant, "b"}}, {{user, "a"}, {assistant, "c"}}};
  CHECK(parse_preference(R"({"prompt": "a", "chosen": "b", "rejected": "c", "score": 1})", "f:1") ==
        expected);
  CHECK(parse_preference(R"({"prompt": [{"role": "user", "content": "a"}],
                             "chosen": [{"role": "assistant", "content": "b"}],
                             "rejected": "c"})",
                         "f:1") == expected);
  CHECK(parse_preference(R"({"chosen": [{"role": "user", "content": "a"},
                                        {"role": "assistant", "content": "b"}],
                             "rejected": [{"role": "user", "content": "a"},
                                          {"role": "assistant", "content": "c"}]})",
                         "f:1") == expected);
}

TEST_CASE("a line that is no preference is refused with its place and field") {
  CHECK(problem("{") == "pairs.jsonl:3: not valid JSON (at byte 2); each line must be an object");
  CHECK(problem("7") == "pairs.jsonl:3: must be an object with `prompt`, `chosen` and `rejected`");
  CHECK(problem(R"({"prompt": "a", "rejected": "c"})") == "pairs.jsonl:3: `chosen` is missing");
  CHECK(problem(R"({"prompt": "a", "chosen": "c"})") == "pairs.jsonl:3: `rejected` is missing");
  CHECK(problem(R"({"chosen": "b", "rejected": "c"})") == "pairs.jsonl:3: `prompt` is missing");
  CHECK(problem(R"({"prompt": "a", "chosen": "b", "rejected": "b"})") ==
        "pairs.jsonl:3: `chosen` and `rejected` are the same");
  CHECK(problem(R"({"prompt": "a", "chosen": " ", "rejected": "b"})") ==
        "pairs.jsonl:3: `chosen` is empty");
  CHECK(problem(R"({"prompt": "a", "chosen": 5, "rejected": "b"})") ==
        "pairs.jsonl:3: `chosen` must be a text or a list of messages");
  CHECK(problem(R"({"prompt": "a", "chosen": [], "rejected": "b"})") ==
        "pairs.jsonl:3: `chosen` must end with a message of the assistant");
  CHECK(problem(R"({"prompt": "a", "rejected": "c", "chosen": [{"role": "user", "content": "x"},
                    {"role": "assistant", "content": "b"}]})") ==
        "pairs.jsonl:3: `chosen` and `rejected` must differ in the last answer alone");
  CHECK(problem(R"({"prompt": "a", "chosen": [{"role": "bot", "content": "x"}], "rejected": "c"})")
            .starts_with("pairs.jsonl:3: chosen[0]: `role` must be"));
}

TEST_CASE("a dataset of preferences learns the last answers, and names pairs that are too long") {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("pairs.jsonl",
                   "{\"prompt\": \"ab\", \"chosen\": \"c\", \"rejected\": \"de\"}\n\n"
                   "{\"prompt\": \"ab\", \"chosen\": \"c\", \"rejected\": \"defghij\"}\n");
  const Dataset dataset = load_preferences({{{file}}}, bytes_alone(), {}, {.context = 6});
  CHECK(dataset.examples() == 1);
  CHECK(dataset.drops.of(Drop::too_long).count == 1);
  CHECK(dataset.drops.of(Drop::too_long).first == file + ":3");
  const ExampleSet set = preference_examples(dataset);
  Example example;
  set.read(0, 0, example);
  const auto id = [](char c) { return ByteModel::id_of(static_cast<unsigned char>(c)); };
  CHECK(example == Example{{begin_id, id('a'), id('b'), id('c')},
                           {no_answer, no_answer, id('c'), end_id},
                           {begin_id, id('a'), id('b'), id('d'), id('e')},
                           {no_answer, no_answer, id('d'), id('e'), end_id},
                           {0}});
  CHECK(set.costs == std::vector<int32_t>{9});
  CHECK(set.where(0) == file + ", preference 1");
}

TEST_CASE("the earlier answers of a conversation are not learned") {
  const TemporaryFolder folder;
  const std::string file = folder.write(
      "pairs.jsonl",
      R"({"prompt": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"},)"
      R"( {"role": "user", "content": "c"}], "chosen": "d", "rejected": "e"})"
      "\n");
  const Dataset dataset =
      load_preferences({{{file}}}, bytes_alone(), {TurnFormat::chatml}, {.context = 200});
  Example example;
  preference_examples(dataset).read(0, 0, example);
  const auto learned = [](const std::vector<int32_t>& expected) {
    return std::ssize(expected) - std::ranges::count(expected, no_answer);
  };
  CHECK(learned(example[1]) == 1 + 10);  // the answer and <|im_end|>
  CHECK(learned(example[3]) == 1 + 10);
}

TEST_CASE("a broken line, and answers that differ in spaces that a format trims, are refused") {
  const TemporaryFolder folder;
  const auto loading = [&](const std::string& text, TurnFormat format) {
    const std::string file = folder.write("pairs.jsonl", text);
    return message_of(
               [&] { load_preferences({{{file}}}, bytes_alone(), {format}, {.context = 200}); })
        .substr(folder.path("").size());
  };
  CHECK(loading("\n{}\n", TurnFormat::none) == "pairs.jsonl:2: `chosen` is missing");
  CHECK(loading("{\"prompt\": \"a\", \"chosen\": \"b\", \"rejected\": \"b \"}\n",
                TurnFormat::gemma) ==
        "pairs.jsonl:1: `chosen` and `rejected` have the same tokens");
}

}  // namespace calque
