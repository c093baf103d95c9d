#pragma once
// Requests and replies as HttpServer passes them to its handler.

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace calque {

struct HttpRequest {
  std::string method = {}, path = {}, query = {};  // "GET", "/translate", "q=a&source=en"
  std::string content_type = {}, authorization = {};
  std::string body = {};
};

struct HttpResponse {
  using Headers = std::vector<std::pair<std::string, std::string>>;

  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  Headers headers = {};  // must not contain text from a request
};

// Answers one request, from any thread. Call send() once, or call stream(), then write() for each
// part, then finish().
class HttpReply {
 public:
  virtual ~HttpReply() = default;

  virtual void send(HttpResponse response) = 0;
  // Sends the status line and the headers.
  virtual void stream(const std::string& content_type) = 0;
  virtual void write(std::string part) = 0;
  virtual void finish() = 0;
  // Whether the client has disconnected.
  virtual bool cancelled() const = 0;
};

using HttpHandler = std::function<void(HttpRequest request, std::shared_ptr<HttpReply> reply)>;

struct HttpLimits {
  int header_bytes = 8192, body_bytes = 1 << 20;
  int header_seconds = 10, body_seconds = 30, write_seconds = 30, idle_seconds = 15;
  int requests_per_connection = 1000;
  int connections = 1024, connections_per_address = 256;
};

}  // namespace calque
