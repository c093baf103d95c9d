#include "serve/answer.h"

namespace calque {

void Answer::count(int status) const {
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - since_;
  metrics_->answered(route_, status, time.count());
}

void Answer::send(HttpResponse response) const {
  response.headers.emplace_back("Access-Control-Allow-Origin", "*");
  response.headers.emplace_back("Access-Control-Allow-Headers", "Authorization, Content-Type");
  response.headers.emplace_back("Access-Control-Expose-Headers", "Authorization");
  response.headers.emplace_back("Access-Control-Allow-Methods", "GET, POST");
  response.headers.emplace_back("Access-Control-Max-Age", "1728000");
  count(response.status);
  reply_->send(std::move(response));
}

void Answer::json(const nlohmann::json& value, int status) const {
  send({status, "application/json", to_text(value) + "\n"});
}

void Answer::error(int status, const std::string& message, HttpResponse::Headers headers) const {
  const nlohmann::json value =
      errors_ == Errors::text
          ? nlohmann::json(message)
          : nlohmann::json{{"message", message},
                           {"type", status < 500 ? "invalid_request_error" : "server_error"},
                           {"param", nullptr},
                           {"code", nullptr}};
  if (status == 503) headers.emplace_back("Retry-After", "1");
  send({status, "application/json", to_text({{"error", value}}) + "\n", std::move(headers)});
}

void Answer::begin_events() const {
  count(200);
  reply_->stream("text/event-stream");
}

void Answer::event(const nlohmann::json& data) const {
  reply_->write("data: " + to_text(data) + "\n\n");
}

void Answer::end_events() const {
  reply_->write("data: [DONE]\n\n");
  reply_->finish();
}

}  // namespace calque
