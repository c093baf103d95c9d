#include "serve/client.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace calque {

Client::Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
}

Client::~Client() { ::close(socket_); }

void Client::send(const std::string& bytes) const {
  size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return;  // the server has closed the connection
    sent += static_cast<size_t>(count);
  }
}

void Client::end_sending() const { ::shutdown(socket_, SHUT_WR); }

std::string Client::read_all(int seconds) const {
  const timeval time{.tv_sec = seconds, .tv_usec = 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
  std::string all;
  char part[4096];
  while (true) {
    const ssize_t count = ::recv(socket_, part, sizeof(part), 0);
    if (count <= 0) return all;
    all.append(part, static_cast<size_t>(count));
  }
}

std::string Client::read_until(const std::string& text) const {
  std::string all;
  char one = 0;
  while (all.find(text) == std::string::npos && ::recv(socket_, &one, 1, 0) == 1) all += one;
  return all;
}

std::string exchange(int port, const std::string& bytes) {
  const Client client(port);
  client.send(bytes);
  return client.read_all();
}

std::string status_of(const std::string& answer) {
  return answer.size() > 12 ? answer.substr(9, 3) : "none";
}

}  // namespace calque
