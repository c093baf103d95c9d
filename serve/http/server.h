#pragma once
// An HTTP/1.1 server (Boost.Beast) on one thread. It reads requests within the limits, hands them
// to the handler and writes the replies; a connection has one request at a time.
//
// It refuses a header that is too large with status 431, a body that is too large with 413, a
// request that is malformed or has both Content-Length and Transfer-Encoding with 400, a compressed
// body with 415, and too many connections with 503. It closes a connection that is too slow.

#include <cstdint>
#include <memory>
#include <string>

#include "serve/http/message.h"

namespace calque {

class HttpServer {
 public:
  // Port 0 takes any free port. Throws an Error if the address cannot be used.
  HttpServer(const std::string& host, int port, const HttpLimits& limits, HttpHandler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  // Serves until stop() or, with `signals`, SIGINT or SIGTERM; then finishes the requests that were
  // read and returns. A second signal kills the process.
  void run(bool signals = false);
  // May be called from any thread.
  void stop();
  bool stopping() const;

  struct Counts {
    int64_t connections = 0, refused = 0;  // open now; refused with 503 so far
  };
  Counts counts() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace calque
