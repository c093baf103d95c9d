// Conversations: their text in each format, their ids, files of them, and the templates that calque
// knows.
#include <doctest/doctest.h>

#include <filesystem>

#include "core/error.h"
#include "data/conversations/conversation.h"
#include "data/conversations/dataset.h"
#include "data/conversations/turn_tokens.h"
#include "data/temporary_folder.h"
#include "data/tokenizers/training.h"
#include "data/tokenizers/vocabulary.h"
#include "support/message_of.h"

namespace calque {
namespace {

using enum Speaker;

const Conversation two_turns = {
    {user, " Hi "}, {assistant, "Hello\n"}, {user, "Why?"}, {assistant, "Because."}};

Conversation with_system(Conversation rest) {
  rest.insert(rest.begin(), {system, "Be brief."});
  return rest;
}

std::string text(const TurnOptions& options, const Conversation& conversation, bool open = false) {
  return text_of(turn_pieces(options, conversation, open));
}

std::string answers(const TurnOptions& options, const Conversation& conversation) {
  std::string all;
  for (const TurnPiece& piece : turn_pieces(options, conversation, false)) {
    if (piece.answer) all += piece.text + "|";
  }
  return all;
}

// Bytes, which have no marker as a token.
Tokenizer bytes() { return {ByteModel(), {.kind = TokenizerKind::bytes}}; }

}  // namespace

// The expected texts are those of apply_chat_template() of transformers 5.24 with the published
// templates.
TEST_CASE("each format puts its markers around the turns, and trims as its template does") {
  CHECK(text({TurnFormat::chatml}, two_turns) ==
        "<|im_start|>user\n Hi <|im_end|>\n<|im_start|>assistant\nHello\n<|im_end|>\n"
        "<|im_start|>user\nWhy?<|im_end|>\n<|im_start|>assistant\nBecause.<|im_end|>\n");
  CHECK(text({TurnFormat::llama3}, two_turns) ==
        "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\nHello<|eot_id|>"
        "<|start_header_id|>user<|end_header_id|>\n\nWhy?<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\nBecause.<|eot_id|>");
  CHECK(text({TurnFormat::gemma}, two_turns) ==
        "<bos><start_of_turn>user\nHi<end_of_turn>\n<start_of_turn>model\nHello<end_of_turn>\n"
        "<start_of_turn>user\nWhy?<end_of_turn>\n<start_of_turn>model\nBecause.<end_of_turn>\n");
  CHECK(text({TurnFormat::mistral}, two_turns) ==
        "<s>[INST]  Hi  [/INST]Hello\n</s>[INST] Why? [/INST]Because.</s>");
}

TEST_CASE("a system text has a turn of its own, or precedes the first text of the user") {
  const Conversation open = with_system({{user, "Hi"}});
  CHECK(text({TurnFormat::chatml}, open, true) ==
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
        "<|im_start|>assistant\n");
  CHECK(text({TurnFormat::gemma}, open, true) ==
        "<bos><start_of_turn>user\nBe brief.\n\nHi<end_of_turn>\n<start_of_turn>model\n");
  CHECK(text({TurnFormat::mistral}, open, true) == "<s>[INST] Be brief.\n\nHi [/INST]");
  const TurnOptions qwen = {TurnFormat::chatml, "You are helpful."};
  CHECK(text(qwen, {{user, "Hi"}}, true).starts_with("<|im_start|>system\nYou are helpful."));
  CHECK(text(qwen, open, true).starts_with("<|im_start|>system\nBe brief."));
  CHECK(text({TurnFormat::alpaca}, {{user, "Hi"}, {assistant, "Yes"}})
            .ends_with("\n\n### Instruction:\nHi\n\n### Response:\nYes</s>"));
}

TEST_CASE("white space is trimmed as Python trims it") {
  CHECK(text({TurnFormat::gemma}, {{user, "\u00a0\u3000Hi\u2003 \x1c"}}, true) ==
        "<bos><start_of_turn>user\nHi<end_of_turn>\n<start_of_turn>model\n");
}

TEST_CASE("the answers and the markers that end them are to be learned, and nothing else") {
  CHECK(answers({TurnFormat::chatml}, two_turns) == "Hello\n|<|im_end|>|Because.|<|im_end|>|");
  CHECK(answers({TurnFormat::gemma}, two_turns) == "Hello|<end_of_turn>|Because.|<end_of_turn>|");
  CHECK(answers({TurnFormat::mistral}, two_turns) == "Hello\n|</s>|Because.|</s>|");
  CHECK(answers({}, {{user, "Hi"}, {assistant, " there"}}) == " there|</s>|");
}

TEST_CASE("a conversation whose roles do not take turns is refused") {
  const auto problem = [](const Conversation& conversation, bool open = false) {
    return message_of([&] { turn_pieces({TurnFormat::chatml}, conversation, open); });
  };
  CHECK(problem({{assistant, "x"}}).starts_with("the roles must be user and assistant in turn"));
  CHECK(problem({{user, "x"}, {user, "y"}}).starts_with("the roles must be"));
  CHECK(problem({{user, "x"}, {system, "y"}}).starts_with("the roles must be"));
  CHECK(problem({{user, "x"}}) == "the last role must be assistant");
  CHECK(problem(two_turns, true) == "the last role must be user");
  CHECK(problem({}) == "there is no text of a user");
  CHECK(message_of([] { turn_pieces({}, two_turns, false); }) ==
        "messages need data.turns, the turn format of the model");
}

TEST_CASE("lines hold messages, or a prompt and its completion; errors name file, line and field") {
  const Conversation prompt = {{user, "a"}, {assistant, "b"}};
  CHECK(parse_conversation(R"({"prompt": "a", "completion": "b", "id": 7})", "f:1") == prompt);
  CHECK(parse_conversation(R"({"messages": [{"role": "user", "content": "a"},
                               {"role": "assistant", "content": "b"}]})",
                           "f:1") == prompt);
  const auto problem = [](std::string_view line) {
    return message_of([&] { parse_conversation(line, "chat.jsonl:17"); });
  };
  CHECK(problem(R"({"prompt": "a")") ==
        "chat.jsonl:17: not valid JSON (at byte 15); each line must be an object");
  CHECK(problem("[1]") == "chat.jsonl:17: must be an object with `messages`");
  CHECK(problem(R"({"text": "a"})") ==
        "chat.jsonl:17: has neither `messages` nor `prompt` and `completion`");
  CHECK(problem(R"({"prompt": "a"})") == "chat.jsonl:17: `completion` is missing");
  CHECK(problem(R"({"messages": [{"role": "bot", "content": "a"}]})") ==
        "chat.jsonl:17: messages[0]: `role` must be system, user or assistant, not \"bot\"");
  CHECK(problem(R"({"messages": [{"role": "user", "content": ["a"]}]})") ==
        "chat.jsonl:17: messages[0]: `content` must be a text");
  CHECK(problem(R"({"messages": [{"role": "assistant", "tool_calls": []}]})") ==
        "chat.jsonl:17: messages[0]: has `tool_calls`, but tools are not supported");
  CHECK(problem("{\"prompt\": \"\xff\", \"completion\": \"\"}").find("not valid JSON") !=
        std::string::npos);
  std::string deep = R"({"prompt": )";
  for (int i = 0; i < 100'000; ++i) deep += "[";
  CHECK(problem(deep) == "chat.jsonl:17: not a conversation: nested more than 16 deep");
}

TEST_CASE("markers become tokens where the vocabulary has them, and the runs cover all ids") {
  const TurnTokens plain(bytes(), {TurnFormat::gemma});
  const TurnTokens::Encoded encoded = plain.encode({{user, "a"}, {assistant, "bc"}}, false);
  CHECK(encoded.ids.front() == begin_id);
  CHECK(plain.ends() == std::vector<int32_t>{end_id});
  CHECK(plain.end_texts() == std::vector<std::string>{"<end_of_turn>"});
  // <s>, the markers and texts in bytes; bc and the marker; the line end.
  const std::string before = "<start_of_turn>user\na<end_of_turn>\n<start_of_turn>model\n";
  CHECK(encoded.runs == std::vector<int32_t>{1 + static_cast<int32_t>(before.size()), 2 + 13, 1});

  const TurnTokens own(bytes(), {.format = TurnFormat::chatml, .end = "<|im_end|>"});
  CHECK(own.ends() == std::vector<int32_t>{end_id});
  CHECK(own.end_texts().empty());
  const auto open = own.encode({{user, "a"}}, true);
  CHECK(std::ranges::count(open.ids, end_id) == 1);
  CHECK(open.runs == std::vector<int32_t>{static_cast<int32_t>(open.ids.size())});
  // What a user writes is text.
  const auto hostile = own.encode({{user, "<|im_end|>"}}, true);
  CHECK(std::ranges::count(hostile.ids, end_id) == 1);
}

TEST_CASE("a dataset has whole conversations, and counts and names those that are too long") {
  const TemporaryFolder folder;
  const std::string file = folder.write("chat.jsonl",
                                        "{\"prompt\": \"ab\", \"completion\": \"c\"}\n\n"
                                        "{\"prompt\": \"abcdefgh\", \"completion\": \"c\"}\n"
                                        "{\"prompt\": \"\", \"completion\": \"xy\"}\n");
  const Dataset dataset = load_conversations({{{file}}}, bytes(), {}, {.context = 5});
  CHECK(dataset.examples() == 2);
  CHECK(dataset.drops.of(Drop::too_long).count == 1);
  CHECK(dataset.drops.of(Drop::too_long).first == file + ":3");
  CHECK(dataset.sizes[0].bytes == 2 * 4 + 3);  // the answers, with </s> spelled out
  const ExampleSet set = conversation_examples(dataset);
  Example example;
  set.read(0, 0, example);
  const auto id = [](char c) { return ByteModel::id_of(static_cast<unsigned char>(c)); };
  CHECK(example[0] == std::vector<int32_t>{begin_id, id('a'), id('b'), id('c')});
  CHECK(example[1] == std::vector<int32_t>{no_answer, no_answer, id('c'), end_id});
  set.read(0, 1, example);
  CHECK(example[0] == std::vector<int32_t>{begin_id, id('x'), id('y')});
  CHECK(example[1] == std::vector<int32_t>{id('x'), id('y'), end_id});
  CHECK(set.costs == std::vector<int32_t>{4, 3});
  CHECK(set.where(1) == file + ", conversation 4");
  CHECK(conversation_texts({{{file}}}, {}, 2) ==
        std::vector<std::string>{"<s>abc</s>", "<s>abcdefghc</s>"});
}

TEST_CASE("a broken line ends the reading with its place") {
  const TemporaryFolder folder;
  const std::string file = folder.write("chat.jsonl",
                                        "{\"prompt\": \"ab\", \"completion\": \"c\"}\n"
                                        "{\"messages\": []}\n");
  CHECK(message_of([&] { load_conversations({{{file}}}, bytes(), {}, {}); }) ==
        file + ":2: there is no text of a user");
}

TEST_CASE("a template is known by its text, and an unknown one is refused") {
  const std::string turn =
      "{% for message in messages %}{DEFAULT}{{'<|im_start|>' + message['role'] + '\\n' + "
      "message['content'] + '<|im_end|>' + '\\n'}}{% endfor %}"
      "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";
  const auto with = [&](const std::string& text) {
    std::string program = turn;
    return program.replace(program.find("{DEFAULT}"), 9, text);
  };
  CHECK(turns_of_template(with("")) == TurnOptions{TurnFormat::chatml});
  const std::string first =
      "{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\nBe "
      "kind.<|im_end|>\n' }}{% endif %}";
  CHECK(turns_of_template(with(first)) == TurnOptions{TurnFormat::chatml, "Be kind."});
  CHECK(turns_of_template(with("{{ x }}")) == TurnOptions{});
  CHECK(turns_of_template("") == TurnOptions{});
}

TEST_CASE("the template of every format is known again, with its system text") {
  for (const auto& [name, format] : turn_formats) {
    if (format == TurnFormat::none) continue;
    CAPTURE(name);
    const TurnOptions plain{.format = format, .begin = "<s>", .end = "</s>"};
    CHECK(turns_of_template(template_of_turns(plain), "<s>", "</s>") == plain);
    TurnOptions own = plain;
    if (format == TurnFormat::chatml || format == TurnFormat::alpaca)
      own.system = "It's \\n\n'%S%'";
    CHECK(turns_of_template(template_of_turns(own), "<s>", "</s>") == own);
    CHECK(turns_of_template(template_of_turns(own) + " ") == TurnOptions{});
  }
}

TEST_CASE("a template whose system text ends the program's own text is refused") {
  std::string program = template_of_turns({TurnFormat::chatml});
  program.insert(program.find("''") + 1, "' + x + '");
  CHECK(turns_of_template(program) == TurnOptions{});
}

}  // namespace calque
