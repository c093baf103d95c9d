// Sends bytes to a server that has all routes but no runs. It must close every connection and never
// answer with status 500. The input's first byte chooses where the rest is cut into two sends.

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "fuzz/memory_file.h"
#include "serve/http/server.h"
#include "serve/service.h"

using namespace calque;

namespace {

// A server that lives as long as the process.
class FuzzedServer {
 public:
  FuzzedServer()
      : service_(runs(), {.characters = 1000, .sentences = 100}),
        server_("127.0.0.1", 0, {.header_bytes = 1000, .body_bytes = 2000},
                [this](const HttpRequest& request, std::shared_ptr<HttpReply> reply) {
                  service_.handle(request, std::move(reply));
                }) {
    std::thread([this] { server_.run(); }).detach();
  }
  int port() const { return server_.port(); }

 private:
  static ServedRuns runs() {
    ServedRuns none;
    none.detector.learn("de", "der kleine Hund");
    none.detector.learn("en", "the little dog");
    return none;
  }
  Service service_;
  HttpServer server_;
};

int connect_to_server() {
  static const FuzzedServer& server = *new FuzzedServer;
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(server.port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // The ports of earlier connections may be in use for a while.
  for (int tries = 0;
       ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0;) {
    if (errno != EADDRNOTAVAIL || ++tries == 300) {
      std::perror("http_fuzz: connect");
      std::abort();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  const timeval receive_timeout{.tv_sec = 20, .tv_usec = 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &receive_timeout, sizeof(receive_timeout));
  return socket;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t cut = bytes.empty() ? 0 : data[0] * bytes.size() / 256;
  const int socket = connect_to_server();
  for (const std::string& part : {bytes.substr(0, cut), bytes.substr(cut)}) {
    if (!part.empty()) (void)::send(socket, part.data(), part.size(), MSG_NOSIGNAL);
  }
  ::shutdown(socket, SHUT_WR);
  std::string answer;
  char part[4096];
  ssize_t count = 0;
  while ((count = ::recv(socket, part, sizeof(part), 0)) > 0) {
    answer.append(part, static_cast<size_t>(count));
  }
  must(count == 0 || errno != EAGAIN);                    // the server has closed the connection
  must(answer.empty() || answer.starts_with("HTTP/1."));  // 1.0 for requests of 1.0
  for (const char* failure : {"HTTP/1.0 500", "HTTP/1.1 500"}) {
    must(answer.find(failure) == std::string::npos);
  }
  const linger reset{.l_onoff = 1, .l_linger = 0};  // keeps no port in TIME_WAIT
  ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
  ::close(socket);
  return 0;
}
