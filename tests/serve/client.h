#pragma once
// A client that sends bytes, and a server that runs on a thread of its own.

#include <string>
#include <thread>

#include "serve/http/server.h"

namespace calque {

// A connection to a port of this machine that sends and reads raw bytes.
class Client {
 public:
  explicit Client(int port);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(const std::string& bytes) const;
  // Closes the sending side of the connection.
  void end_sending() const;
  // Reads until the server closes the connection, or `seconds` pass without data.
  std::string read_all(int seconds = 10) const;
  // Reads until the text has been received.
  std::string read_until(const std::string& text) const;

 private:
  int socket_;
};

// The server's answer to these bytes, read until the server closes the connection.
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
