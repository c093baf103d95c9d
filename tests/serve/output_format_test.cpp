// Answers of a small trained run that are constrained by response_format, regex, guided_regex and
// guided_json.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "serve/kept_reply.h"
#include "serve/service.h"
#include "train/tasks/fixture.h"

namespace calque {
namespace {

using nlohmann::ordered_json;

// A language model that was trained on prose, so that JSON is far from what it would write.
class ConstrainedService {
 public:
  ConstrainedService() : service_(open_served_runs(places({run()}, {})), {}) {}

  HttpResponse post(const std::string& path, const ordered_json& body) {
    return answer_of(
        service_,
        {.method = "POST", .path = path, .content_type = "application/json", .body = body.dump()});
  }
  // The first choice of the answer of a chat.
  ordered_json chat(const ordered_json& fields) {
    ordered_json body = {{"messages", {{{"role", "user"}, {"content", "the "}}}}};
    body.update(fields);
    return accepted_json<ordered_json>(post("/v1/chat/completions", body))["choices"][0];
  }
  std::string refused(const ordered_json& fields) {
    ordered_json body = {{"prompt", "a"}};
    body.update(fields);
    const HttpResponse response = post("/v1/completions", body);
    const ordered_json answer = ordered_json::parse(response.body);
    return fmt::format(
        "{} {}", response.status,
        answer.contains("error") ? answer["error"]["message"].get<std::string>() : "");
  }

 private:
  static std::string run() {
    static const TemporaryFolder folder;
    static const bool trained = [] {
      const TaskCase& task = *std::ranges::find(all_tasks(), "language-model", &TaskCase::name);
      run_task(task, folder,
               {"data.context=128", "data.turns={format: chatml}", "tokenizer.kind=bytes"}, "chat");
      return true;
    }();
    return trained ? folder.path("chat") : "";
  }
  Service service_;
};

// Properties in an order that is not that of the alphabet.
ordered_json person() {
  return ordered_json::parse(R"({"type": "object", "properties": {
      "name": {"type": "string", "maxLength": 6}, "age": {"type": "integer", "minimum": 0, "maximum": 99},
      "b": {"type": "boolean"}}, "required": ["name", "age"], "additionalProperties": false})");
}

ordered_json schema_format(const ordered_json& schema) {
  return {{"type", "json_schema"},
          {"json_schema", {{"name", "person"}, {"strict", true}, {"schema", schema}}}};
}

}  // namespace

TEST_CASE("an answer with response_format is JSON that fits the schema, its properties in order") {
  ConstrainedService served;
  for (int seed = 1; seed <= 10; ++seed) {
    const ordered_json choice = served.chat(
        {{"seed", seed}, {"max_tokens", 100}, {"response_format", schema_format(person())}});
    REQUIRE(choice["finish_reason"] == "stop");
    const auto text = choice["message"]["content"].get<std::string>();
    const ordered_json value = ordered_json::parse(text);
    CHECK(value.begin().key() == "name");
    CHECK(std::next(value.begin()).key() == "age");
    CHECK(value["name"].get<std::string>().size() <= 4 * 6);
    CHECK(value["age"].is_number_unsigned());
    CHECK(value["age"] <= 99);
    CHECK(value.size() - (value.contains("b") && value["b"].is_boolean() ? 1 : 0) == 2);
  }
  const ordered_json any = served.chat(
      {{"seed", 1}, {"max_tokens", 120}, {"response_format", {{"type", "json_object"}}}});
  const auto text = any["message"]["content"].get<std::string>();
  CHECK(text.starts_with("{"));
  if (any["finish_reason"] == "stop") CHECK(ordered_json::parse(text).is_object());
  CHECK(served.chat({{"max_tokens", 5}, {"response_format", {{"type", "text"}}}}).size() > 0);
}

TEST_CASE("an answer that max_tokens cuts off says so, and a complete one does not") {
  ConstrainedService served;
  const ordered_json cut = served.chat({{"max_tokens", 3}, {"regex", "[a-z]{5}"}});
  CHECK(cut["finish_reason"] == "length");
  CHECK(std::regex_match(cut["message"]["content"].get<std::string>(), std::regex("[a-z]{3}")));
  const ordered_json whole = served.chat({{"max_tokens", 5}, {"regex", "[a-z]{5}"}});
  CHECK(whole["finish_reason"] == "stop");
  CHECK(std::regex_match(whole["message"]["content"].get<std::string>(), std::regex("[a-z]{5}")));
}

TEST_CASE("a constrained stream, its samples and its greedy answer match") {
  ConstrainedService served;
  for (const char* name : {"regex", "guided_regex"}) {
    const HttpResponse response = served.post(
        "/v1/completions",
        {{"prompt", {"the ", "a"}}, {"n", 4}, {"max_tokens", 40}, {name, "(yes|no), [0-9]{2,3}!"}});
    REQUIRE(response.status == 200);
    const ordered_json choices = ordered_json::parse(response.body)["choices"];
    REQUIRE(choices.size() == 8);
    for (const ordered_json& choice : choices) {
      CHECK(
          std::regex_match(choice["text"].get<std::string>(), std::regex("(yes|no), [0-9]{2,3}!")));
    }
  }
  const ordered_json body = {{"prompt", "the "}, {"temperature", 0}, {"guided_json", person()}};
  ordered_json streamed = body;
  streamed["stream"] = true;
  const std::string whole =
      ordered_json::parse(served.post("/v1/completions", body).body)["choices"][0]["text"];
  std::string text;
  const std::string events = served.post("/v1/completions", streamed).body;
  for (size_t at = 0; events.compare(at, 12, "data: [DONE]") != 0;) {
    const size_t end = events.find("\n\n", at);
    text += ordered_json::parse(events.substr(at + 6, end - at - 6))["choices"][0]["text"];
    at = end + 2;
  }
  CHECK(text == whole);
  CHECK(text.starts_with("{"));
}

TEST_CASE("a stop text ends a constrained answer only where it matches") {
  ConstrainedService served;
  const ordered_json choice =
      served.chat({{"max_tokens", 60}, {"regex", "a-b-c(-d)*"}, {"stop", "-"}, {"seed", 3}});
  CHECK(choice["message"]["content"] == "a-b-c");
}

TEST_CASE("log-probabilities of a constrained answer are those of the unchanged distribution") {
  ConstrainedService served;
  const ordered_json choice = served.chat(
      {{"max_tokens", 5}, {"regex", "[0-9]{3}"}, {"logprobs", true}, {"top_logprobs", 5}});
  // Digits are improbable in prose, and the alternatives are what the model would have written.
  double total = 0;
  for (const ordered_json& token : choice["logprobs"]["content"]) {
    total += token["logprob"].get<double>();
    CHECK_FALSE(std::regex_match(token["top_logprobs"][0]["token"].get<std::string>(),
                                 std::regex("[0-9]")));
  }
  CHECK(total < 3 * std::log(0.1));
}

TEST_CASE("a format that is not valid, or not supported, is refused with its place") {
  ConstrainedService served;
  const auto with_schema = [&](const ordered_json& schema) {
    return served.refused({{"response_format", schema_format(schema)}});
  };
  CHECK(with_schema({{"type", "object"}, {"minProperties", 1}}) ==
        "400 response_format.json_schema.schema: #/minProperties: is not supported");
  CHECK(with_schema("x") ==
        "400 response_format.json_schema.schema: #: must be a schema: an object, true or false");
  CHECK(served.refused({{"response_format", {{"type", "json_schema"}}}}) ==
        "400 response_format.json_schema.schema: is missing");
  CHECK(served.refused({{"response_format", {{"type", "xml"}}}}) ==
        "400 response_format.type: must be text, json_object or json_schema");
  CHECK(served.refused({{"response_format", "json"}}) ==
        "400 response_format.type: must be text, json_object or json_schema");
  CHECK(served.refused({{"regex", "(a"}}) ==
        "400 regex: character 1 of the regular expression: the group has no end");
  CHECK(served.refused({{"regex", 7}}).starts_with("400 regex: must be"));
  CHECK(served.refused({{"guided_json", "{"}}) == "400 guided_json: #: is not JSON (byte 2)");
  CHECK(served.refused({{"regex", "a"}, {"guided_json", person()}}) ==
        "400 regex and guided_json cannot be combined");
}

}  // namespace calque
