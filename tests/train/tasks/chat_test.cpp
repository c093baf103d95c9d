// Training on conversations, and talking to the model.
#include "train/tasks/language_model/chat.h"

#include <filesystem>

#include "core/error.h"
#include "data/tokenizers/vocabulary.h"
#include "train/tasks/fixture.h"
#include "train/tasks/language_model/answers.h"
#include "train/tasks/language_model/evaluation.h"
#include "train/tasks/language_model/samples.h"

namespace calque {
namespace {

const char* const colours[] = {"red", "blue", "green", "pink"};

std::string line_of(const std::string& question, const std::string& answer) {
  return R"({"messages": [{"role": "user", "content": ")" + question +
         R"("}, {"role": "assistant", "content": ")" + answer + "\"}]}\n";
}

// Questions after a colour, which the answer repeats.
std::string conversations() {
  std::string text;
  for (int i = 0; i < 60; ++i) {
    const std::string colour = colours[i % 4];
    text += line_of("Say " + colour, colour);
  }
  return text;
}

std::string small_chat(const std::string& file) {
  return "task: language-model\ndata:\n  train: {conversations: " + file +
         "}\n  validation: {conversations: " + file +
         "}\n  context: 100\n  turns: {format: chatml}\ntokenizer: {kind: characters}\n"
         "model: {d_model: 32, d_ff: 64, heads: 2, layers: 2, dropout: 0}\n" +
         small_training;
}

struct TrainedChat {
  TemporaryFolder folder;
  std::string file = folder.write("chat.jsonl", conversations());

  TrainResult train_for(const char* updates, const char* name = "run") const {
    const Config config =
        parse_config(small_chat(file), "chat.yaml",
                     {fmt::format("training.until={}", updates), "training.batch_tokens=2048"},
                     task_contradictions)
            .config;
    return train(config, {folder.path(name)}, Loudness::quiet, make_task);
  }
};

}  // namespace

TEST_CASE("a model that is trained on conversations answers, and its text is what it streams") {
  const TrainedChat trained;
  trained.train_for("150u");
  const LanguageModelRun run = open_language_model_run(trained.folder.path("run"));
  GenerationOptions options{
      .sampling = {.temperature = 0}, .max_tokens = 20, .context = 100, .stop = {}, .ends = {}};
  Chat chat(run, turns_of_run(run), options);
  for (const char* colour : colours) {
    std::string streamed;
    const Chat::Answer answer = chat.answer(fmt::format("Say {}", colour),
                                            [&](const std::string& part) { streamed += part; });
    CHECK(streamed == colour);
    CHECK(answer.finish == FinishReason::stop);  // the marker is no token here
    chat.reset();
  }
}

TEST_CASE("the answers of a model are counted that equal the known ones") {
  const TrainedChat trained;
  trained.train_for("150u");
  const LanguageModelRun run = open_language_model_run(trained.folder.path("run"));
  std::string known = R"({"prompt": "Say red", "completion": " red "})";
  known += "\n" + line_of("Say blue", "green") + line_of("Say pink", "pin");
  CorpusConfig corpus;
  corpus.conversations = {trained.folder.write("known.jsonl", known)};
  const Dataset texts = load_texts(run.config.data, {corpus}, {}, run.tokenizer);
  const int64_t all[] = {0, 1, 2};
  const auto answers = answer_conversations(run.model(), run.tokenizer, run.config, texts, all);
  REQUIRE(answers.size() == 3);
  CHECK(answers[0].answer == "red");
  CHECK(answers[0].exact());
  CHECK(answers[1].answer == "blue");
  CHECK(answers[1].reference == "green");
  CHECK(answers[2].answer == "pink");
  CHECK(!answers[2].exact());
  CHECK(answers[2].prompt.ends_with("Say pink<|im_end|>\n<|im_start|>assistant"));
  CHECK(answers_text(answers).starts_with("  3 answers: exact 33.3%  chrF "));
  const auto cut = answer_conversations(run.model(), run.tokenizer, run.config, texts, all, {"k"});
  CHECK(cut[2].exact());

  const auto samples = sample_continuations(run.model(), run.tokenizer, texts, run.config, 2);
  REQUIRE(samples.size() == 2);
  CHECK(samples[1].reference == "green");
  CHECK(samples[1].output == "blue");
}

TEST_CASE("the loss of conversations counts the answers and their ends alone") {
  const TrainedChat trained;
  trained.train_for("2u");
  const auto record = metrics_of(trained.folder, "run", "valid").back();
  const LanguageModelRun run = open_language_model_run(trained.folder.path("run"));
  const Dataset texts = load_texts(run.config.data, run.config.data.validation,
                                   CorpusConfig::Split::validation, run.tokenizer);
  const TextEvaluation found =
      evaluate_text(run.model(), texts, window_options(run.config, WindowUse::evaluation), 0, 4096);
  int64_t answers = 0;
  for (int i = 0; i < 60; ++i) answers += std::string(colours[i % 4]).size() + 10;  // <|im_end|>
  CHECK(found.sums.terms == answers);
  CHECK(record["loss"].get<double>() ==
        doctest::Approx(found.sums.nll / static_cast<double>(answers)).epsilon(1e-5));
}

TEST_CASE("a run on conversations resumes in the same bits") {
  const TrainedChat trained;
  trained.train_for("30u", "whole");
  trained.train_for("13u", "parts");
  trained.train_for("30u", "parts");
  CHECK(tensors(trained.folder, "whole 000030") == tensors(trained.folder, "parts 000030"));
}

TEST_CASE("the oldest messages are left out of a long conversation, and a long text is refused") {
  const Tokenizer bytes{ByteModel(), {.kind = TokenizerKind::bytes}};
  const TurnTokens turns(bytes, {TurnFormat::chatml});
  GenerationOptions options;
  options.context = 200;
  const Conversation conversation = {{Speaker::system, "S"},
                                     {Speaker::user, std::string(80, 'a')},
                                     {Speaker::assistant, "b"},
                                     {Speaker::user, "c"}};
  const ChatPrompt prompt = chat_prompt(turns, conversation, options, 50);
  CHECK(prompt.forgotten == 2);
  CHECK(prompt.ids == turns.encode({{Speaker::system, "S"}, {Speaker::user, "c"}}, true).ids);
  CHECK(prompt.options.stop == std::vector<std::string>{"<|im_end|>"});
  CHECK(prompt.options.ends == std::vector<int32_t>{end_id});
  const Conversation one = {{Speaker::user, std::string(300, 'a')}};
  CHECK(message_of([&] {
          chat_prompt(turns, one, options, 50);
        }).ends_with("tokens, more than the 150 that the model reads at once"));
}

TEST_CASE("conversations and plain text cannot be mixed, and only a language model reads them") {
  const auto problem = [](const std::string& task, const std::string& train) {
    return message_of([&] {
      parse_config("task: " + task + "\ndata: {train: " + train + "}\n", "c.yaml", {},
                   task_contradictions);
    });
  };
  CHECK(problem("language-model", "[{conversations: a}, {text: b}]")
            .find("has conversations beside plain text") != std::string::npos);
  CHECK(problem("masked-lm", "{conversations: a}").find("needs {text: FILE}") != std::string::npos);
  CHECK(problem("language-model", "{conversations: a}") == "");
}

}  // namespace calque
