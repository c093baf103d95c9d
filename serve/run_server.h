#pragma once
// Trained runs on an address: a Service behind an HttpServer.

#include <memory>
#include <string>

#include "serve/http/server.h"
#include "serve/service.h"

namespace calque {

class RunServer {
 public:
  // Listens at once; port 0 takes any free port.
  RunServer(ServedRuns runs, const ServiceOptions& options, const std::string& host, int port,
            const HttpLimits& limits = {});

  int port() const { return server_->port(); }
  const ServedRuns& runs() const { return service_.runs(); }

  // As those of HttpServer.
  void run(bool signals) { server_->run(signals); }
  void stop() { server_->stop(); }

 private:
  Service service_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace calque
