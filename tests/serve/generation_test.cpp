// Texts of several clients that a server generates together.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "serve/kept_reply.h"
#include "serve/service.h"
#include "train/tasks/fixture.h"

namespace calque {
namespace {

using nlohmann::json;

const std::string& generating_run() {
  static const TemporaryFolder folder;
  static const std::string path = [] {
    run_task(*std::ranges::find(all_tasks(), "language-model", &TaskCase::name), folder,
             {"data.context=400", "training.batch_tokens=800", "data.turns={format: chatml}",
              "model.attention={window: 20, full_every: 2}"},
             "writer");
    return folder.path("writer");
  }();
  return path;
}

struct GenerationService {
  Service service;

  explicit GenerationService(const ServiceOptions& options = {})
      : service(open_served_runs(places({generating_run()}, {})), options) {}

  std::shared_ptr<KeptReply> send(const std::string& path, const json& body) {
    const auto reply = std::make_shared<KeptReply>();
    service.handle({.method = "POST", .path = path, .body = body.dump()}, reply);
    return reply;
  }
  json posted(const std::string& path, const json& body) {
    return accepted_json(send(path, body)->answer.get_future().get());
  }
  std::string metrics() { return answer_of(service, {.method = "GET", .path = "/metrics"}).body; }
};

std::string long_text(char letter) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += std::string("the ") + letter + (i % 3 == 0 ? "n" : " ");
  return text;
}

struct Ask {
  std::string path;
  json body;
};

std::vector<Ask> some_requests() {
  std::vector<Ask> all;
  for (int i = 0; i < 12; ++i) {
    json body = {{"seed", i}, {"max_tokens", 5 + 9 * i % 40}, {"n", 1 + i % 2}, {"top_p", 0.9}};
    if (i % 3 == 0) {
      body["messages"] = {{{"role", "user"}, {"content", long_text('a').substr(0, 20 * i + 1)}}};
      all.push_back({"/v1/chat/completions", body});
    } else {
      body["prompt"] = long_text('b').substr(0, 17 * i);
      body["logprobs"] = i % 4;
      all.push_back({"/v1/completions", body});
    }
  }
  return all;
}

}  // namespace

TEST_CASE("clients that ask at the same time get the answers of clients that ask in turn") {
  GenerationService in_turn({.prefix_cache_mb = 0}), at_once;
  std::vector<std::shared_ptr<KeptReply>> replies;
  for (const auto& [path, body] : some_requests()) replies.push_back(at_once.send(path, body));
  const std::vector<Ask> requests = some_requests();
  for (size_t i = 0; i < requests.size(); ++i) {
    CAPTURE(i);
    const json answer = json::parse(replies[i]->answer.get_future().get().body);
    const json expected = in_turn.posted(requests[i].path, requests[i].body);
    CHECK(answer["choices"] == expected["choices"]);
    CHECK(answer["usage"]["completion_tokens"] == expected["usage"]["completion_tokens"]);
    CHECK(expected["usage"]["prompt_tokens_details"]["cached_tokens"] == 0);
  }
}

TEST_CASE("the beginning of a prompt is read once, in completions and conversations") {
  GenerationService served;
  const std::string beginning = long_text('a');  // one token for each character
  const auto complete = [&](const std::string& end) {
    return served.posted("/v1/completions",
                         {{"prompt", beginning + end}, {"max_tokens", 8}, {"seed", 1}});
  };
  const json first = complete("x"), again = complete("x"), other = complete("yes");
  CHECK(first["usage"]["prompt_tokens_details"]["cached_tokens"] == 0);
  CHECK(again["usage"]["prompt_tokens_details"]["cached_tokens"] == 256);
  CHECK(other["usage"]["prompt_tokens_details"]["cached_tokens"] == 256);
  CHECK(again["choices"] == first["choices"]);
  const auto chat = [&](const std::string& text) {
    return served.posted(
        "/v1/chat/completions",
        {{"messages",
          {{{"role", "system"}, {"content", beginning}}, {{"role", "user"}, {"content", text}}}},
         {"max_tokens", 4},
         {"seed", 1}});
  };
  CHECK(chat("a")["usage"]["prompt_tokens_details"]["cached_tokens"] == 0);  // has turn tokens
  CHECK(chat("b")["usage"]["prompt_tokens_details"]["cached_tokens"] >= 256);
  const std::string metrics = served.metrics();
  CHECK(metrics.find("calque_prompts_total 5\n") != std::string::npos);
  CHECK(metrics.find("calque_prefix_cache_hits_total 3\n") != std::string::npos);
  CHECK(metrics.find("calque_prefix_cache_bytes 0\n") == std::string::npos);
}

TEST_CASE("requests beyond the capacity of a language model get 503 until others have ended") {
  GenerationService served({.queue = {.capacity = 200}});
  const json large = {{"prompt", "the "}, {"max_tokens", 2000}, {"seed", 1}, {"logprobs", 1}};
  const auto first = served.send("/v1/completions", large);
  const HttpResponse refused =
      served.send("/v1/completions", {{"prompt", "a"}})->answer.get_future().get();
  CHECK(refused.status == 503);
  CHECK(json::parse(refused.body)["error"]["message"] == "the queue is full; try again");
  CHECK(first->answer.get_future().get().status == 200);
  const auto later = [&] {
    return served.send("/v1/completions", {{"prompt", "a"}})->answer.get_future().get().status;
  };
  for (int i = 0; i < 100 && later() != 200; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  CHECK(later() == 200);
}

TEST_CASE("a client that disconnects from a stream leaves the answers of others as they are") {
  struct LeavingReply : KeptReply {
    mutable std::atomic<int> asked = 0;
    bool cancelled() const override { return ++asked > 3; }
  };
  const json body = {{"prompt", "the "}, {"max_tokens", 60}, {"seed", 4}};
  const json alone = GenerationService().posted("/v1/completions", body);
  GenerationService served;
  const auto leaving = std::make_shared<LeavingReply>();
  const json long_body = {{"prompt", "the "}, {"max_tokens", 2000}, {"seed", 1}, {"stream", true}};
  served.service.handle({.method = "POST", .path = "/v1/completions", .body = long_body.dump()},
                        leaving);
  CHECK(served.posted("/v1/completions", body)["choices"] == alone["choices"]);
  CHECK(leaving->asked.load() == 4);
  CHECK(leaving->answer.get_future().wait_for(std::chrono::seconds(0)) ==
        std::future_status::timeout);
}

TEST_CASE("a service that ends first answers the requests that it has taken") {
  std::vector<std::shared_ptr<KeptReply>> replies;
  {
    GenerationService served;
    for (const auto& [path, body] : some_requests()) replies.push_back(served.send(path, body));
  }
  for (const auto& reply : replies) CHECK(reply->answer.get_future().get().status == 200);
}

}  // namespace calque
