#pragma once
// Sends the answer to one request, with the headers that browsers need, and counts it by route.

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "serve/fields.h"
#include "serve/http/message.h"
#include "serve/server_metrics.h"

namespace calque {

class Answer {
 public:
  // LibreTranslate's errors are {"error": TEXT}, OpenAI's {"error": {"message": TEXT, ...}}.
  enum class Errors { text, object };

  Answer(std::shared_ptr<HttpReply> reply, ServerMetrics& metrics)
      : reply_(std::move(reply)), metrics_(&metrics) {}

  void of_route(std::string route, Errors errors) { route_ = std::move(route), errors_ = errors; }

  // Call one of these, once, from any thread.
  void send(HttpResponse response) const;
  void json(const nlohmann::json& value, int status = 200) const;
  void error(int status, const std::string& message, HttpResponse::Headers headers = {}) const;

  // Send a stream of server-sent events, from any thread.
  void begin_events() const;
  void event(const nlohmann::json& data) const;
  void end_events() const;  // sends [DONE] first

  bool cancelled() const { return reply_->cancelled(); }

 private:
  void count(int status) const;

  std::shared_ptr<HttpReply> reply_;
  ServerMetrics* metrics_;
  std::string route_ = "other";
  Errors errors_ = Errors::text;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

}  // namespace calque
