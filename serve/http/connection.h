#pragma once
// One connection of the server: a loop of reading a request, waiting for the handler's reply and
// writing it. Everything but the reply's functions runs on the server's thread.

// clang-format off
#include <utility>  // Asio 1.74 uses it without including it
// clang-format on

#include <array>
#include <atomic>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "serve/http/message.h"

namespace calque {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;

// Answers 503 and closes.
void refuse_connection(tcp::socket socket);

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(tcp::socket socket, const HttpLimits& limits, const HttpHandler& handler,
                 const std::atomic<bool>& stopping, std::function<void()> closed);
  ~HttpConnection();

  void start() { read_header(); }
  // Closes the connection if it is waiting for a request.
  void close_if_idle();

 private:
  friend class ConnectionReply;
  using Parser = http::request_parser<http::string_body>;
  struct Streamed;

  void read_header();
  void after_header(boost::system::error_code problem);
  void read_body();
  void after_body(boost::system::error_code problem);
  void handle();
  void watch();
  void look(size_t room);
  void ask_if_gone();
  void mark_gone();
  void write(HttpResponse response);
  void after_write(boost::system::error_code problem, bool keep);
  void begin_stream(const std::string& content_type);
  void write_part(std::string part, bool last);
  void write_next_part();
  void refuse(int status, const std::string& why);
  void linger(int64_t more);
  void close();

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;  // its size also limits chunk extensions and trailers
  const HttpLimits& limits_;
  const HttpHandler& handler_;
  const std::atomic<bool>& stopping_;
  const std::function<void()> closed_;
  std::optional<Parser> parser_;
  bool keep_alive_ = false, idle_ = true, is_head_ = false, refused_ = false;
  std::array<char, 4096> unread_;
  int requests_ = 0;
  // Whether the client has disconnected; null unless a request is being answered.
  std::shared_ptr<std::atomic<bool>> gone_;
  std::shared_ptr<Streamed> streamed_;
};

}  // namespace calque
