// The part of a connection that writes a streamed reply.
#include <deque>

#include "serve/http/connection.h"

namespace calque {

// The state of a streamed reply and the parts to be written. HTTP/1.0 has no chunks: the end of the
// connection ends the body.
struct HttpConnection::Streamed {
  bool chunked = true;
  std::deque<std::string> parts;
  bool writing = false, last = false;
  std::optional<http::response<http::empty_body>> head;
  std::optional<http::response_serializer<http::empty_body>> serializer;
};

void HttpConnection::begin_stream(const std::string& content_type) {
  keep_alive_ = false;  // the end of the stream is the end of the connection
  const unsigned version = parser_->get().version();
  streamed_ = std::make_shared<Streamed>();
  streamed_->chunked = version >= 11;
  streamed_->head.emplace(http::status::ok, version);
  streamed_->head->set(http::field::content_type, content_type);
  streamed_->head->set(http::field::cache_control, "no-cache");
  streamed_->head->set("Access-Control-Allow-Origin", "*");
  streamed_->head->keep_alive(false);
  if (streamed_->chunked) streamed_->head->chunked(true);
  streamed_->serializer.emplace(*streamed_->head);
  streamed_->writing = true;
  stream_.expires_after(std::chrono::seconds(limits_.write_seconds));
  http::async_write_header(stream_, *streamed_->serializer,
                           [self = shared_from_this()](boost::system::error_code problem, size_t) {
                             if (problem) *self->gone_ = true;
                             self->streamed_->writing = false;
                             self->write_next_part();
                           });
}

void HttpConnection::write_part(std::string part, bool last) {
  if (!streamed_) return;
  if (!part.empty()) streamed_->parts.push_back(std::move(part));
  streamed_->last |= last;
  if (!streamed_->writing) write_next_part();
}

void HttpConnection::write_next_part() {
  if (*gone_) return close();
  Streamed& streamed = *streamed_;
  if (streamed.parts.empty() && !streamed.last) return stream_.expires_never();
  stream_.expires_after(std::chrono::seconds(limits_.write_seconds));
  streamed.writing = true;
  if (streamed.parts.empty()) {
    if (!streamed.chunked) return close();
    asio::async_write(
        stream_, http::make_chunk_last(),
        [self = shared_from_this()](boost::system::error_code, size_t) { self->close(); });
    return;
  }
  const auto part = std::make_shared<std::string>(std::move(streamed.parts.front()));
  streamed.parts.pop_front();
  const auto written = [self = shared_from_this(), part](boost::system::error_code problem,
                                                         size_t) {
    if (problem) *self->gone_ = true;
    self->streamed_->writing = false;
    self->write_next_part();
  };
  if (streamed.chunked) {
    asio::async_write(stream_, http::make_chunk(asio::buffer(*part)), written);
  } else {
    asio::async_write(stream_, asio::buffer(*part), written);
  }
}

}  // namespace calque
