#include "serve/run_server.h"

#include <utility>

namespace calque {

RunServer::RunServer(ServedRuns runs, const ServiceOptions& options, const std::string& host,
                     int port, const HttpLimits& limits)
    : service_(std::move(runs), options),
      server_(std::make_unique<HttpServer>(
          host, port, limits, [this](const HttpRequest& request, std::shared_ptr<HttpReply> reply) {
            service_.handle(request, std::move(reply));
          })) {
  service_.attach({.stopping = [this] { return server_->stopping(); },
                   .now =
                       [this] {
                         const HttpServer::Counts counts = server_->counts();
                         return ServerMetrics::Now{.connections = counts.connections,
                                                   .refused_connections = counts.refused};
                       }});
}

}  // namespace calque
