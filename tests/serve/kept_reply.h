#pragma once
// A reply that keeps the answer of a route, and what tests expect of answers. The parts of a stream
// are concatenated.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "serve/http/message.h"
#include "serve/service.h"

namespace calque {

class KeptReply : public HttpReply {
 public:
  void send(HttpResponse response) override { answer.set_value(std::move(response)); }
  void stream(const std::string& content_type) override { streamed_.content_type = content_type; }
  void write(std::string part) override { streamed_.body += part; }
  void finish() override { answer.set_value(streamed_); }
  bool cancelled() const override { return false; }

  std::promise<HttpResponse> answer;

 private:
  HttpResponse streamed_;
};

inline HttpResponse answer_of(Service& service, const HttpRequest& request) {
  const auto reply = std::make_shared<KeptReply>();
  service.handle(request, reply);
  return reply->answer.get_future().get();
}

// The JSON of an answer, which must not be a refusal.
template <class Json = nlohmann::json>
Json accepted_json(const HttpResponse& response) {
  CHECK_MESSAGE(response.status == 200, response.body);
  return Json::parse(response.body);
}

// "400 why" of an answer that refuses a request.
inline std::string refusal_of(const HttpResponse& response) {
  const auto error = nlohmann::json::parse(response.body).at("error");
  return fmt::format("{} {}", response.status,
                     (error.is_string() ? error : error.at("message")).get<std::string>());
}

}  // namespace calque
