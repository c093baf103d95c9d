// The server with valid and invalid requests.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <mutex>

#include "serve/client.h"

namespace calque {
namespace {

// Answers the method, the path, the query and the body.
void echo(const HttpRequest& request, const std::shared_ptr<HttpReply>& reply) {
  reply->send({.status = 200,
               .content_type = "text/plain",
               .body = request.method + " " + request.path + " " + request.query + " " +
                       request.body + "\n"});
}

const std::string host = "Host: here\r\n", closing = "Connection: close\r\n";

std::string post(const std::string& body, const std::string& more = closing) {
  return "POST /x?a=b HTTP/1.1\r\n" + host + more +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

TEST_CASE("a request reaches the handler, and the answer reaches the client") {
  const RunningServer server({}, echo);
  const std::string answer = exchange(server.port(), post("some text"));
  CHECK(answer.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(answer.find("Connection: close\r\n") != std::string::npos);
  CHECK(answer.ends_with("\r\n\r\nPOST /x a=b some text\n"));
  const std::string chunked = exchange(
      server.port(), "POST /y HTTP/1.1\r\n" + host + closing +
                         "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  CHECK(chunked.ends_with("POST /y  abcde\n"));
  const std::string head = exchange(server.port(), "HEAD / HTTP/1.1\r\n" + host + closing + "\r\n");
  CHECK(head.ends_with("\r\n\r\n"));
  CHECK(status_of(head) == "200");
}

TEST_CASE("a connection serves requests in order, pipelined or not, up to its limit") {
  const RunningServer server({.requests_per_connection = 4}, echo);
  const Client client(server.port());
  client.send(post("one", ""));
  CHECK(client.read_until("one\n").starts_with("HTTP/1.1 200"));
  client.send(post("two", "") + post("three", "") + post("four", "") + post("five", ""));
  const std::string rest = client.read_all();
  CHECK(rest.find("two\n") < rest.find("three\n"));
  CHECK(rest.ends_with("four\n"));  // the limit ends the connection
}

TEST_CASE("invalid and too large requests are refused with a status") {
  const RunningServer server({.header_bytes = 1000, .body_bytes = 1000}, echo);
  const auto status = [&](const std::string& bytes) {
    return status_of(exchange(server.port(), bytes));
  };
  const std::string start = "POST / HTTP/1.1\r\n" + host;
  CHECK(status("nonsense\r\n\r\n") == "400");
  CHECK(status(std::string("\0\xff\r\n\r\n", 6)) == "400");
  CHECK(status(start + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n") ==
        "400");
  CHECK(status(start + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc") == "400");
  CHECK(status(start + "Content-Length: -1\r\n\r\n") == "400");
  CHECK(status(start + "Content-Length: 1001\r\n\r\n") == "413");
  CHECK(status(start + "Transfer-Encoding: chunked\r\n\r\n7d0\r\n" + std::string(2000, 'a') +
               "\r\n0\r\n\r\n") == "413");
  CHECK(status(post(std::string(100'000, 'a'))) == "413");
  CHECK(status("GET / HTTP/1.1\r\nX: " + std::string(2000, 'a') + "\r\n\r\n") == "431");
  CHECK(status(start + "Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\na") == "415");
  CHECK(status(post("after all of this")) == "200");
}

TEST_CASE("too long chunk extensions and trailers are refused") {
  const RunningServer server({}, echo);
  const std::string start = "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n";
  const std::string trailer = "a: b\r\n";
  std::string trailers;
  for (int i = 0; i < 40'000; ++i) trailers += trailer;
  CHECK(status_of(exchange(server.port(), start + "3;x=" + std::string(200'000, 'y'))) == "400");
  CHECK(status_of(exchange(server.port(), start + "3\r\nabc\r\n0\r\n" + trailers)) == "400");
  const std::string few = "3;x=y\r\nabc\r\n0\r\n" + trailer + "\r\n" + post("next");
  CHECK(exchange(server.port(), start + few).ends_with("next\n"));
}

TEST_CASE("the connection of a client that is too slow is closed") {
  const RunningServer server({.header_seconds = 1, .body_seconds = 1}, echo);
  const auto begin = std::chrono::steady_clock::now();
  const Client header(server.port()), body(server.port());
  header.send("GET / HT");
  body.send("POST / HTTP/1.1\r\n" + host + "Content-Length: 10\r\n\r\nabc");
  CHECK(header.read_all() == "");
  CHECK(body.read_all() == "");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(8));
}

TEST_CASE("connections beyond the limit get 503 until other connections are closed") {
  const RunningServer server({.connections_per_address = 2}, echo);
  {
    const Client one(server.port()), two(server.port());
    one.send(post("one", ""));
    one.read_until("one\n");
    two.send(post("two", ""));
    two.read_until("two\n");
    CHECK(status_of(exchange(server.port(), post("three"))) == "503");
    CHECK(server.server.counts().refused == 1);
  }
  for (int i = 0; i < 100 && server.server.counts().connections > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  CHECK(status_of(exchange(server.port(), post("three"))) == "200");
}

TEST_CASE("a streamed answer is sent in chunks, and to HTTP/1.0 clients without chunks") {
  const RunningServer server({}, [](const HttpRequest&, const std::shared_ptr<HttpReply>& reply) {
    reply->stream("text/event-stream");
    reply->write("data: one\n\n");
    reply->write("data: two\n\n");
    reply->finish();
  });
  const std::string old = exchange(server.port(), "GET / HTTP/1.0\r\n\r\n");
  CHECK(old.find("Transfer-Encoding") == std::string::npos);
  CHECK(old.ends_with("\r\n\r\ndata: one\n\ndata: two\n\n"));
  const std::string answer = exchange(server.port(), "GET / HTTP/1.1\r\n" + host + "\r\n");
  CHECK(answer.find("Transfer-Encoding: chunked\r\n") != std::string::npos);
  CHECK(answer.ends_with("b\r\ndata: one\n\n\r\nb\r\ndata: two\n\n\r\n0\r\n\r\n"));
}

// A handler that keeps the reply instead of answering.
class Keeper {
 public:
  HttpHandler handler() {
    return [this](const HttpRequest&, std::shared_ptr<HttpReply> reply) {
      const std::lock_guard lock(mutex_);
      kept_ = std::move(reply);
    };
  }
  bool has_request() const {
    const std::lock_guard lock(mutex_);
    return kept_ != nullptr;
  }
  bool cancelled() const {
    const std::lock_guard lock(mutex_);
    return kept_ && kept_->cancelled();
  }
  void answer(const std::string& body) {
    const std::lock_guard lock(mutex_);
    kept_->send({.status = 200, .content_type = "text/plain", .body = body});
    kept_.reset();
  }
  void drop() {
    const std::lock_guard lock(mutex_);
    kept_.reset();
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<HttpReply> kept_;
};

// Whether the condition becomes true within five seconds.
template <class Condition>
bool comes_true(Condition&& condition) {
  for (int i = 0; i < 250 && !condition(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return condition();
}

TEST_CASE("a reply is cancelled when its client disconnects, also after a pipelined request") {
  const std::string ahead = post("ahead", ""), none;
  for (const std::string& more : {none, ahead}) {
    Keeper keeper;
    const RunningServer server({}, keeper.handler());
    {
      const Client client(server.port());
      client.send(post("never answered", "") + more);
      REQUIRE(comes_true([&] { return keeper.has_request(); }));
      CHECK_FALSE(keeper.cancelled());
    }
    CHECK(comes_true([&] { return keeper.cancelled(); }));
    keeper.drop();
  }
}

TEST_CASE("a client that has closed only its sending side gets its answer") {
  for (const std::string version : {"1.0", "1.1"}) {
    Keeper keeper;
    const RunningServer server({}, keeper.handler());
    const Client client(server.port());
    client.send("GET / HTTP/" + version + "\r\n" + host + "\r\n");
    client.end_sending();
    REQUIRE(comes_true([&] { return keeper.has_request(); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    CHECK_FALSE(keeper.cancelled());
    keeper.answer("here it is");
    const std::string answer = client.read_all();
    CHECK(answer.ends_with("here it is"));
    CHECK(answer.starts_with("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200") == (version == "1.1"));
  }
}

TEST_CASE("a request that the handler does not answer gets 500") {
  const RunningServer server({}, [](const HttpRequest&, const std::shared_ptr<HttpReply>&) {});
  CHECK(status_of(exchange(server.port(), post("x"))) == "500");
}

TEST_CASE("a server that stops finishes the requests that it has read") {
  std::thread answers;
  std::atomic<bool> read = false;
  HttpServer server("127.0.0.1", 0, {}, [&](const HttpRequest&, std::shared_ptr<HttpReply> reply) {
    read = true;
    answers = std::thread([reply = std::move(reply)] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      reply->send({.status = 200, .content_type = "text/plain", .body = "late"});
    });
  });
  std::thread running([&] { server.run(); });
  const Client client(server.port()), idle(server.port());
  client.send(post("x", ""));
  while (!read) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  client.send("GET /half-of-another");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  server.stop();
  CHECK(client.read_all().ends_with("late"));
  CHECK(idle.read_all() == "");
  running.join();
  answers.join();
}

TEST_CASE("an address that cannot be used is an error that names it") {
  const RunningServer server({}, echo);
  CHECK_THROWS_WITH(HttpServer("127.0.0.1", server.port(), {}, echo),
                    doctest::Contains("cannot listen on 127.0.0.1:"));
  CHECK_THROWS_WITH(HttpServer("nowhere", 0, {}, echo), "--host nowhere: is not an IP address");
}

}  // namespace
}  // namespace calque
