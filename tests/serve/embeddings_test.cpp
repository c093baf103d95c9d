// /v1/embeddings over small trained runs.
#include <doctest/doctest.h>

#include <bit>
#include <nlohmann/json.hpp>

#include "core/tape.h"
#include "data/files/base64.h"
#include "serve/kept_reply.h"
#include "serve/service.h"
#include "train/tasks/fixture.h"
#include "train/tasks/registry.h"

namespace calque {
namespace {

using nlohmann::json;

const char* const embedding_tasks[] = {"language-model", "masked-lm", "classification"};

const TemporaryFolder& embedding_runs() {
  static const TemporaryFolder folder;
  static const bool trained = [] {
    for (const char* name : embedding_tasks) {
      run_task(*std::ranges::find(all_tasks(), name, &TaskCase::name), folder, {}, name);
    }
    return true;
  }();
  return trained ? folder : folder;
}

struct EmbeddingService {
  Service service;

  explicit EmbeddingService(const ServiceOptions& options = {})
      : service(open_served_runs(runs()), options) {}

  static std::vector<RunPlace> runs() {
    std::vector<std::string> paths;
    for (const char* name : embedding_tasks) paths.push_back(embedding_runs().path(name));
    return places(paths, {});
  }
  HttpResponse post(const json& body) {
    return answer_of(service, {.method = "POST", .path = "/v1/embeddings", .body = body.dump()});
  }
  json answer(const json& body) { return accepted_json(post(body)); }
  std::string refused(const json& body) { return refusal_of(post(body)); }
};

SentenceEncoder encoder_of(const std::string& name) {
  const std::string run = embedding_runs().path(name);
  return descriptor_of(find_run(run).config.task).open_encoder(run);
}

}  // namespace

TEST_CASE("embeddings are those of the run, of texts and of their token ids") {
  EmbeddingService served;
  const std::vector<std::string> texts = {"the king", "a dog sees", "the"};
  for (const char* name : embedding_tasks) {
    CAPTURE(name);
    const SentenceEncoder encoder = encoder_of(name);
    std::vector<std::vector<int32_t>> ids;
    int64_t tokens = 0;
    for (const std::string& text : texts) {
      ids.push_back(encoder.tokenize(text));
      tokens += std::ssize(ids.back());
    }
    const auto expected = sentence_embeddings(encoder, ids);
    const json of_texts = served.answer({{"model", name}, {"input", texts}});
    CHECK(of_texts["model"] == name);
    CHECK(of_texts["usage"] == json{{"prompt_tokens", tokens}, {"total_tokens", tokens}});
    REQUIRE(of_texts["data"].size() == texts.size());
    for (size_t i = 0; i < texts.size(); ++i) {
      CHECK(of_texts["data"][i]["index"] == i);
      CHECK(of_texts["data"][i]["embedding"].get<std::vector<real>>() == expected[i]);
    }
    CHECK(served.answer({{"model", name}, {"input", ids}}) == of_texts);
    CHECK(served.answer({{"model", name}, {"input", ids[1]}})["data"][0]["embedding"] ==
          served.answer({{"model", name}, {"input", texts[1]}})["data"][0]["embedding"]);
    const auto bytes =
        from_base64(served
                        .answer({{"model", name},
                                 {"input", texts[0]},
                                 {"dimensions", encoder.width},
                                 {"encoding_format", "base64"}})["data"][0]["embedding"]
                        .get<std::string>());
    REQUIRE(bytes);
    REQUIRE(bytes->size() == static_cast<size_t>(4 * encoder.width));
    for (size_t i = 0; i < expected[0].size(); ++i) {
      uint32_t bits = 0;
      for (size_t k = 4; k-- > 0;)
        bits = bits << 8 | static_cast<unsigned char>((*bytes)[4 * i + k]);
      CHECK(std::bit_cast<float>(bits) == static_cast<float>(expected[0][i]));
    }
  }
}

TEST_CASE("a language model's embedding is the mean of its states without that of <s>") {
  const LanguageModelRun run = open_language_model_run(embedding_runs().path("language-model"));
  const std::vector<int32_t> text = run.tokenizer.encode_document("the king");
  std::vector<int32_t> read = {begin_id};
  read.insert(read.end(), text.begin(), text.end());
  const NoGradient nothing_recorded;
  const Tensor states = run.model().hidden(
      read, Segments::of_lengths(std::vector{static_cast<int32_t>(read.size())}), Mode::evaluate);
  std::vector<double> mean(static_cast<size_t>(states.cols()));
  double squares = 0;
  for (int64_t c = 0; c < states.cols(); ++c) {
    for (int64_t r = 1; r < states.rows(); ++r) {
      mean[static_cast<size_t>(c)] += static_cast<double>(states.data()[r * states.cols() + c]);
    }
    squares += mean[static_cast<size_t>(c)] * mean[static_cast<size_t>(c)];
  }
  const auto found = sentence_embeddings(sentence_encoder(run), std::vector{text, {}});
  for (size_t i = 0; i < mean.size(); ++i) {
    CHECK(static_cast<double>(found[0][i]) ==
          doctest::Approx(mean[i] / std::sqrt(squares)).epsilon(1e-4));
  }
  CHECK(found[1] != found[0]);  // of no token: the state of <s>
}

TEST_CASE("inputs that cannot be embedded are refused by place") {
  EmbeddingService served({.characters = 100, .sentences = 4});
  const auto refused = [&](const json& input) { return served.refused({{"input", input}}); };
  CHECK(served.refused(json::object()) == "400 input: is missing");
  CHECK(refused(json::array()) == "400 input: is an empty list");
  CHECK(refused("") == "400 input[0]: is empty");
  CHECK(refused({"the", ""}) == "400 input[1]: is empty");
  CHECK(refused(json::array({json::array()})) == "400 input[0]: is empty");
  CHECK(refused(7) == "400 input: must be a text, a list of texts, or lists of token ids");
  CHECK(refused({"the", 7}) == "400 input: must be a text, a list of texts, or lists of token ids");
  CHECK(refused({7, "the"}) == "400 input: must be a list of token ids");
  CHECK(refused({{7}, "the"}) == "400 input: must be texts, or lists of token ids, not both");
  CHECK(refused({{7}, {7, 1.5}}) == "400 input[1]: must be a list of token ids");
  const int64_t last = encoder_of("language-model").vocabulary - 1;
  CHECK(refused({3, -1}) == fmt::format("400 input: -1 is no token id; ids are 0 to {}", last));
  CHECK(refused(json::array({{3}, {99999999999}})) ==
        fmt::format("400 input[1]: 99999999999 is no token id; ids are 0 to {}", last));
  CHECK(refused({"a", "a", "a", "a", "a"}) ==
        "400 input: has 5 texts; a request may have at most 4");
  CHECK(refused(std::string(101, 'a')) == "400 101 characters; a request may have at most 100");
  const int64_t longest = encoder_of("language-model").longest();
  REQUIRE(longest < 100);
  CHECK(refused(std::vector<int32_t>(static_cast<size_t>(longest) + 1, 5)) ==
        fmt::format("400 input[0]: has {} tokens; language-model embeds at most {}", longest + 1,
                    longest));
  CHECK(served.refused({{"input", "a"}, {"dimensions", 8}}) ==
        "400 dimensions: is 8; the embeddings of language-model have 16");
  CHECK(served.refused({{"input", "a"}, {"encoding_format", "hex"}}) ==
        "400 encoding_format: must be float or base64");
  CHECK(served.refused({{"input", "a"}, {"model", "x"}}) ==
        "404 the model x does not exist, or does not embed texts");
}

}  // namespace calque
