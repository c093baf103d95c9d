#pragma once
// An HTTP/1.1 server (Boost.Beast) on one thread. It reads requests within the limits, hands them
// to the handler and writes the replies; a connection has one request at a time.
//
// What is refused, and how: a header that is too large 431, a body 413, a request that is malformed
// or has both Content-Length and Transfer-Encoding 400, a compressed body 415, too many connections
// 503. A connection that is too slow is closed.

#include <cstdint>
#include <memory>
#include <string>

#include "serve/http.h"

namespace calque {

class HttpServer {
 public:
  // Port 0: any free one. Throws an Error if the address cannot be used.
  HttpServer(const std::string& host, int port, const HttpLimits& limits, HttpHandler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  // Serves until stop() or, with `signals`, SIGINT or SIGTERM; then finishes the requests that were
  // read and returns. A second signal ends it at once.
  void run(bool signals = false);
  // From any thread.
  void stop();
  bool stopping() const;

  struct Counts {
    int64_t connections = 0, refused = 0;  // open now; refused so far
  };
  Counts counts() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace calque
