#pragma once
// A reply that keeps the answer of a route. The parts of a stream are concatenated.

#include <future>
#include <string>

#include "serve/http/message.h"

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

}  // namespace calque
