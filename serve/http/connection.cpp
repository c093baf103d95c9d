#include "serve/http/connection.h"

namespace calque {
namespace {

using Seconds = std::chrono::seconds;

http::response<http::string_body> message_of(HttpResponse from, unsigned version, bool keep) {
  http::response<http::string_body> to(static_cast<http::status>(from.status), version);
  to.set(http::field::content_type, from.content_type);
  to.set("X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : from.headers) to.set(name, value);
  to.keep_alive(keep);
  to.body() = std::move(from.body);
  to.prepare_payload();
  return to;
}

std::string error_body(const std::string& why) { return R"({"error":")" + why + "\"}\n"; }

std::string header_of(const http::request<http::string_body>& request, http::field name) {
  const auto found = request.find(name);
  return found == request.end() ? "" : std::string(found->value());
}

}  // namespace

void refuse_connection(tcp::socket socket) {
  const auto stream = std::make_shared<beast::tcp_stream>(std::move(socket));
  const auto message = std::make_shared<http::response<http::string_body>>(message_of(
      {503, "application/json", error_body("too many connections"), {{"Retry-After", "1"}}}, 11,
      false));
  stream->expires_after(Seconds(2));
  http::async_write(*stream, *message, [stream, message](boost::system::error_code, size_t) {});
}

// Hands the handler's answer to the server's thread and keeps the connection alive. If a handler
// drops this object without an answer, the client receives status 500.
class ConnectionReply : public HttpReply {
 public:
  ConnectionReply(std::shared_ptr<HttpConnection> connection,
                  std::shared_ptr<const std::atomic<bool>> gone)
      : connection_(std::move(connection)),
        executor_(connection_->stream_.get_executor()),
        open_(executor_),
        gone_(std::move(gone)) {}
  ~ConnectionReply() override {
    if (!answered_) send({500, "application/json", error_body("no answer"), {}});
    // The connection is destroyed on the server's thread.
    asio::post(executor_, [connection = std::move(connection_)] {});
  }

  void send(HttpResponse response) override {
    answered_ = true;
    post([response = std::move(response)](HttpConnection& to) mutable {
      to.write(std::move(response));
    });
  }
  void stream(const std::string& content_type) override {
    answered_ = true;
    post([content_type](HttpConnection& to) { to.begin_stream(content_type); });
  }
  void write(std::string part) override {
    post([part = std::move(part)](HttpConnection& to) mutable {
      to.write_part(std::move(part), false);
    });
  }
  void finish() override {
    post([](HttpConnection& to) { to.write_part("", true); });
  }
  bool cancelled() const override { return *gone_; }

 private:
  template <class Do>
  void post(Do&& what) {
    asio::post(executor_, [connection = connection_, what = std::forward<Do>(what)]() mutable {
      what(*connection);
    });
  }

  std::shared_ptr<HttpConnection> connection_;
  const asio::any_io_executor executor_;
  // Keeps a stopping server running until the reply, even if no operation on the socket is pending.
  const asio::executor_work_guard<asio::any_io_executor> open_;
  const std::shared_ptr<const std::atomic<bool>> gone_;
  bool answered_ = false;
};

HttpConnection::HttpConnection(tcp::socket socket, const HttpLimits& limits,
                               const HttpHandler& handler, const std::atomic<bool>& stopping,
                               std::function<void()> closed)
    : stream_(std::move(socket)),
      buffer_(static_cast<size_t>(limits.header_bytes) + 65536),
      limits_(limits),
      handler_(handler),
      stopping_(stopping),
      closed_(std::move(closed)) {}

HttpConnection::~HttpConnection() { closed_(); }

void HttpConnection::close_if_idle() {
  if (idle_) close();
}

void HttpConnection::read_header() {
  idle_ = buffer_.size() == 0;
  is_head_ = false;
  if (stopping_) return close();
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(limits_.header_bytes));
  parser_->body_limit(static_cast<std::uint64_t>(limits_.body_bytes));
  // Only between two requests may a connection be idle.
  const int wait = requests_ == 0 ? limits_.header_seconds
                                  : std::max(limits_.idle_seconds, limits_.header_seconds);
  stream_.expires_after(Seconds(wait));
  http::async_read_header(stream_, buffer_, *parser_,
                          [self = shared_from_this()](boost::system::error_code problem, size_t) {
                            self->after_header(problem);
                          });
}

void HttpConnection::after_header(boost::system::error_code problem) {
  idle_ = false;
  if (problem == http::error::header_limit) return refuse(431, "the header is too large");
  if (problem == http::error::body_limit) return refuse(413, "the body is too large");
  if (problem == http::error::end_of_stream || problem == beast::error::timeout) return close();
  if (problem && problem.category() == http::make_error_code(http::error::bad_value).category()) {
    return refuse(400, "the request is malformed");
  }
  if (problem) return close();
  const auto& request = parser_->get();
  is_head_ = request.method() == http::verb::head;
  const bool has_length = request.find(http::field::content_length) != request.end();
  const bool has_coding = request.find(http::field::transfer_encoding) != request.end();
  if (has_length && has_coding) {
    return refuse(400, "Content-Length and Transfer-Encoding exclude each other");
  }
  if (request.find(http::field::content_encoding) != request.end()) {
    return refuse(415, "compressed bodies are not supported");
  }
  if (const auto length = parser_->content_length();
      length && *length > static_cast<std::uint64_t>(limits_.body_bytes)) {
    return refuse(413, "the body is too large");
  }
  if (!beast::iequals(header_of(request, http::field::expect), "100-continue")) {
    return read_body();
  }
  const auto go_on =
      std::make_shared<http::response<http::empty_body>>(http::status::continue_, 11);
  http::async_write(stream_, *go_on,
                    [self = shared_from_this(), go_on](boost::system::error_code failed, size_t) {
                      if (failed) return self->close();
                      self->read_body();
                    });
}

void HttpConnection::read_body() {
  stream_.expires_after(Seconds(limits_.body_seconds));
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](boost::system::error_code problem, size_t) {
                     self->after_body(problem);
                   });
}

void HttpConnection::after_body(boost::system::error_code problem) {
  if (problem == http::error::body_limit) return refuse(413, "the body is too large");
  if (problem && problem.category() == http::make_error_code(http::error::bad_value).category() &&
      problem != http::error::partial_message && problem != http::error::end_of_stream) {
    return refuse(400, "the request is malformed");
  }
  if (problem) return close();
  handle();
}

void HttpConnection::handle() {
  ++requests_;
  const auto& message = parser_->get();
  keep_alive_ = message.keep_alive() && requests_ < limits_.requests_per_connection && !stopping_;
  const std::string target(message.target());
  const size_t mark = target.find('?');
  HttpRequest request{.method = std::string(message.method_string()),
                      .path = target.substr(0, mark),
                      .query = mark == target.npos ? "" : target.substr(mark + 1),
                      .content_type = header_of(message, http::field::content_type),
                      .authorization = header_of(message, http::field::authorization),
                      .body = std::move(parser_->get().body())};
  gone_ = std::make_shared<std::atomic<bool>>(false);
  stream_.expires_never();  // the answer may take long
  watch();
  handler_(std::move(request), std::make_shared<ConnectionReply>(shared_from_this(), gone_));
}

// Detects that the client disconnects while it waits. The end of the stream is seen only after all
// data before it is read, so data of the next request is buffered while there is room.
void HttpConnection::watch() {
  const size_t room = buffer_.max_size() - buffer_.size();
  stream_.socket().async_wait(
      room > 0 ? tcp::socket::wait_read : tcp::socket::wait_error,
      [weak = weak_from_this(), gone = gone_, room](boost::system::error_code problem) {
        const auto self = weak.lock();
        // The request may have been answered in the meantime.
        if (!problem && self && self->gone_ == gone) self->look(room);
      });
}

void HttpConnection::look(size_t room) {
  boost::system::error_code problem;
  tcp::socket& socket = stream_.socket();
  if (room == 0) return mark_gone();
  socket.non_blocking(true, problem);
  const size_t bytes = socket.read_some(buffer_.prepare(std::min(room, unread_.size())), problem);
  buffer_.commit(bytes);
  if (problem == asio::error::eof) return ask_if_gone();
  if (problem && problem != asio::error::would_block) return mark_gone();
  watch();
}

// At the end of the stream the client has either closed the socket, or only finished sending and
// still reads. An interim response tells which: a closed socket resets the connection; an HTTP/1.1
// client that still reads must ignore the response.
void HttpConnection::ask_if_gone() {
  if (streamed_) return;  // writing the stream fails if the client has closed the socket
  static constexpr std::string_view interim = "HTTP/1.1 102 Processing\r\n\r\n";
  boost::system::error_code problem;
  if (parser_->get().version() >= 11) {
    stream_.socket().write_some(asio::buffer(interim), problem);
  }
  if (problem) return mark_gone();
  stream_.socket().async_wait(tcp::socket::wait_error, [weak = weak_from_this(), gone = gone_](
                                                           boost::system::error_code failed) {
    const auto self = weak.lock();
    if (!failed && self && self->gone_ == gone) self->mark_gone();
  });
}

void HttpConnection::mark_gone() { *gone_ = true; }

void HttpConnection::write(HttpResponse response) {
  const bool keep = keep_alive_ && !stopping_;
  gone_.reset();  // ends the watch
  const auto message = std::make_shared<http::response<http::string_body>>(
      message_of(std::move(response), parser_->get().version(), keep));
  if (is_head_) message->body().clear();  // Content-Length stays
  stream_.expires_after(Seconds(limits_.write_seconds));
  http::async_write(
      stream_, *message,
      [self = shared_from_this(), message, keep](boost::system::error_code problem, size_t) {
        self->after_write(problem, keep);
      });
}

void HttpConnection::after_write(boost::system::error_code problem, bool keep) {
  if (refused_ && !problem) {
    stream_.socket().shutdown(tcp::socket::shutdown_send, problem);
    stream_.expires_after(Seconds(2));
    return linger(1 << 20);
  }
  if (problem || !keep) return close();
  read_header();
}

void HttpConnection::refuse(int status, const std::string& why) {
  keep_alive_ = false;
  refused_ = true;
  write({status, "application/json", error_body(why), {}});
}

// Reads what a refused client still sends: closing at once would reset the connection, and the
// client would lose the answer.
void HttpConnection::linger(int64_t more) {
  stream_.async_read_some(
      asio::buffer(unread_),
      [self = shared_from_this(), more](boost::system::error_code problem, size_t bytes) {
        const int64_t left = more - static_cast<int64_t>(bytes);
        if (problem || left <= 0) return self->close();
        self->linger(left);
      });
}

void HttpConnection::close() {
  boost::system::error_code ignored;
  stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
  stream_.close();
}

}  // namespace calque
