#pragma once
// A client that sends bytes, and a server that runs beside the test.

#include <string>
#include <thread>

#include "serve/http_server.h"

namespace calque {

// A connection to the port of this machine; everything is sent and read as it is.
class Client {
 public:
  explicit Client(int port);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(const std::string& bytes) const;
  // Tells the server that nothing more is sent.
  void end_sending() const;
  // Until the server closes the connection, or `seconds` pass without data.
  std::string read_all(int seconds = 10) const;
  // Until the text has been received.
  std::string read_until(const std::string& text) const;

 private:
  int socket_;
};

// What the server answers to these bytes, until it closes the connection.
std::string exchange(int port, const std::string& bytes);

// "200" of "HTTP/1.1 200 OK...".
std::string status_of(const std::string& answer);

class RunningServer {
 public:
  RunningServer(const HttpLimits& limits, HttpHandler handler)
      : server("127.0.0.1", 0, limits, std::move(handler)), thread_([this] { server.run(); }) {}
  ~RunningServer() {
    server.stop();
    thread_.join();
  }
  int port() const { return server.port(); }

  HttpServer server;

 private:
  std::thread thread_;
};

}  // namespace calque
