#include "serve/http/server.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <map>

#include "core/error.h"
#include "serve/http/connection.h"

namespace calque {

struct HttpServer::State : std::enable_shared_from_this<HttpServer::State> {
  asio::io_context io{1};
  tcp::acceptor acceptor{io};
  asio::signal_set signals{io};
  HttpLimits limits;
  HttpHandler handler;
  int port = 0;
  std::map<std::string, int> by_address;  // open connections
  std::atomic<int64_t> open = 0, refused = 0;
  std::atomic<bool> stopping = false;
  std::vector<std::weak_ptr<HttpConnection>> connections;

  void listen(const std::string& host, int wanted);
  void accept();
  void open_connection(tcp::socket socket);
  void stop();
};

namespace {

// `host` is an address or "localhost".
asio::ip::address address_of(const std::string& host) {
  boost::system::error_code problem;
  const auto address = asio::ip::make_address(host == "localhost" ? "127.0.0.1" : host, problem);
  if (problem) fail("--host {}: is not an IP address", host);
  return address;
}

// Raises the limit of file descriptors, of which each connection needs one. Many systems allow a
// program 1024 unless it raises the limit.
void allow_open_files(rlim_t count) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count) return;
  limit.rlim_cur = std::min(count, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

void HttpServer::State::listen(const std::string& host, int wanted) {
  const tcp::endpoint endpoint(address_of(host), static_cast<uint16_t>(wanted));
  boost::system::error_code problem;
  acceptor.open(endpoint.protocol(), problem);
  if (!problem) acceptor.set_option(asio::socket_base::reuse_address(true), problem);
  if (!problem) acceptor.bind(endpoint, problem);
  if (!problem) acceptor.listen(asio::socket_base::max_listen_connections, problem);
  if (problem) fail("cannot listen on {}:{}: {}", host, wanted, problem.message());
  port = acceptor.local_endpoint().port();
}

void HttpServer::State::accept() {
  acceptor.async_accept(
      [self = shared_from_this()](boost::system::error_code problem, tcp::socket socket) {
        if (problem == asio::error::operation_aborted || self->stopping) return;
        if (!problem) {
          self->open_connection(std::move(socket));
          return self->accept();
        }
        // Retry: if no file descriptor was left, connections that end free some.
        const auto pause =
            std::make_shared<asio::steady_timer>(self->io, std::chrono::milliseconds(50));
        pause->async_wait([self, pause](boost::system::error_code) {
          if (!self->stopping) self->accept();
        });
      });
}

void HttpServer::State::open_connection(tcp::socket socket) {
  boost::system::error_code unknown;
  const auto peer = socket.remote_endpoint(unknown);
  if (unknown) return;  // the client has disconnected
  const std::string address = peer.address().to_string();
  int& from_address = by_address[address];
  if (open >= limits.connections || from_address >= limits.connections_per_address) {
    ++refused;
    if (from_address == 0) by_address.erase(address);
    return refuse_connection(std::move(socket));
  }
  ++from_address, ++open;
  socket.set_option(tcp::no_delay(true), unknown);  // streamed events are small
  const auto closed = [self = shared_from_this(), address] {
    if (--self->by_address[address] == 0) self->by_address.erase(address);
    --self->open;
  };
  const auto connection =
      std::make_shared<HttpConnection>(std::move(socket), limits, handler, stopping, closed);
  std::erase_if(connections, [](const auto& each) { return each.expired(); });
  connections.push_back(connection);
  connection->start();
}

void HttpServer::State::stop() {
  if (stopping.exchange(true)) return io.stop();
  boost::system::error_code ignored;
  acceptor.close(ignored);
  signals.clear(ignored);  // the next signal ends the process
  for (const auto& each : connections) {
    if (const auto connection = each.lock()) connection->close_if_idle();
  }
}

HttpServer::HttpServer(const std::string& host, int port, const HttpLimits& limits,
                       HttpHandler handler)
    : state_(std::make_shared<State>()) {
  constexpr rlim_t others = 128;  // standard streams, epoll, connections that are refused
  allow_open_files(static_cast<rlim_t>(limits.connections) + others);
  state_->limits = limits;
  state_->handler = std::move(handler);
  state_->listen(host, port);
  state_->accept();
}

HttpServer::~HttpServer() { state_->io.stop(); }

int HttpServer::port() const { return state_->port; }
bool HttpServer::stopping() const { return state_->stopping; }

HttpServer::Counts HttpServer::counts() const { return {state_->open, state_->refused}; }

void HttpServer::run(bool signals) {
  if (signals) {
    std::signal(SIGPIPE, SIG_IGN);
    state_->signals.add(SIGINT);
    state_->signals.add(SIGTERM);
    state_->signals.async_wait([state = state_](boost::system::error_code problem, int) {
      if (!problem) state->stop();
    });
  }
  state_->io.run();
}

void HttpServer::stop() {
  asio::post(state_->io, [state = state_] { state->stop(); });
}

}  // namespace calque
