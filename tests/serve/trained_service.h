#pragma once
// A service over small runs of four tasks, for tests of its routes.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "serve/kept_reply.h"
#include "serve/service.h"
#include "support/folders.h"
#include "train/tasks/fixture.h"

namespace calque {

// Runs of four tasks, trained once.
struct TrainedRuns {
  TemporaryFolder folder;
  TrainedRuns() {
    for (const char* name : {"translation", "language-model", "classification", "tagging"}) {
      run_task(*std::ranges::find(all_tasks(), name, &TaskCase::name), folder, {}, name);
    }
  }
  std::vector<std::string> places() const {
    return {folder.path("translation"), folder.path("language-model"),
            folder.path("classification"), folder.path("tagging")};
  }
};

inline const TrainedRuns& trained() {
  static const TrainedRuns runs;
  return runs;
}

struct TestService {
  Service service;

  explicit TestService(const ServiceOptions& options = {})
      : TestService(open_served_runs(places(trained().places(), {})), options) {}
  TestService(ServedRuns runs, const ServiceOptions& options) : service(std::move(runs), options) {}

  HttpResponse answer(const HttpRequest& request) { return answer_of(service, request); }
  HttpResponse get(const std::string& path, const std::string& query = "") {
    return answer({.method = "GET", .path = path, .query = query});
  }
  HttpResponse post(const std::string& path, const nlohmann::json& body,
                    const std::string& key = "") {
    return answer({.method = "POST",
                   .path = path,
                   .content_type = "application/json",
                   .authorization = key,
                   .body = body.dump()});
  }
  nlohmann::json posted(const std::string& path, const nlohmann::json& body) {
    return accepted_json(post(path, body));
  }
  // Returns "400 why" for a request that is refused.
  std::string refused(const std::string& path, const nlohmann::json& body) {
    return refusal_of(post(path, body));
  }
};

}  // namespace calque
