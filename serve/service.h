#pragma once
// Finds the route of a request, checks its API key, and passes work that takes long to other
// threads.

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serve/answer.h"
#include "serve/served_runs.h"
#include "serve/server_metrics.h"
#include "serve/work/generator.h"
#include "serve/work/queue.h"

namespace calque {

struct ServiceOptions {
  int64_t characters = 10'000;  // of a request's texts
  int64_t sentences = 1000;     // of a request's texts
  int64_t explained_tokens = 256;
  int64_t alternatives = 10;
  int64_t new_tokens = 2048;      // of one generated text
  int64_t samples = 16;           // generated texts of one request
  int64_t prefix_cache_mb = 256;  // for keys and values of prompts, of each language model
  WorkQueue::Options queue = {};
  std::set<std::string> keys = {};  // empty: requests need no key
};

class Service {
 public:
  Service(ServedRuns runs, ServiceOptions options);

  // Answers at once, or when the queue has computed the answer.
  void handle(const HttpRequest& request, std::shared_ptr<HttpReply> reply);

  // What the service asks the HTTP server. While it stops, the routes answer 503.
  struct Server {
    std::function<bool()> stopping = [] { return false; };
    std::function<ServerMetrics::Now()> now = [] { return ServerMetrics::Now{}; };
  };
  void attach(Server server) { server_ = std::move(server); }

  // For the routes.
  const ServedRuns& runs() const { return runs_; }
  const ServiceOptions& options() const { return options_; }
  // Throws an HttpError if the texts together have more characters than a request may have.
  void check_characters(std::span<const std::string> texts) const;
  // Throws an HttpError (503) if the queue is full. Answers 500 with the message if the work fails.
  void enqueue(QueuedWork work, const Answer& answer);
  // The same for texts to generate. Unless the request has `failed`, answers as above.
  void generate(const ServedLanguageModel& model, GenerationRequest request, const Answer& answer);

 private:
  void route(const HttpRequest& request, Answer& answer);
  void require_key(const HttpRequest& request, const Fields& fields) const;

  const ServedRuns runs_;
  const ServiceOptions options_;
  Server server_;
  ServerMetrics metrics_;
  // Last: their threads use the other members.
  WorkQueue queue_;
  std::vector<std::unique_ptr<Generator>> generators_;  // of each language model
};

// A route: answers, or throws an HttpError.
using Route = void (*)(Service& service, const Fields& fields, const Answer& answer);

struct KnownRoute {
  const char* method;
  std::string_view path;  // if it ends in a slash, a name follows: the field `model`
  Route answer;
  Answer::Errors errors = Answer::Errors::text;
  bool needs_key = true;

  bool takes_name() const { return path.size() > 1 && path.ends_with('/'); }
  bool matches(std::string_view asked) const {
    return takes_name() ? asked.starts_with(path) && asked.size() > path.size() : asked == path;
  }
};

// page.cpp
void answer_page(Service& service, const Fields& fields, const Answer& answer);
void answer_style(Service& service, const Fields& fields, const Answer& answer);
void answer_script(Service& service, const Fields& fields, const Answer& answer);
void answer_runs(Service& service, const Fields& fields, const Answer& answer);
// libretranslate.cpp
void answer_translate(Service& service, const Fields& fields, const Answer& answer);
// languages.cpp
void answer_detect(Service& service, const Fields& fields, const Answer& answer);
void answer_spec(Service& service, const Fields& fields, const Answer& answer);
void answer_languages(Service& service, const Fields& fields, const Answer& answer);
void answer_settings(Service& service, const Fields& fields, const Answer& answer);
// completions.cpp
void answer_chat_completions(Service& service, const Fields& fields, const Answer& answer);
void answer_completions(Service& service, const Fields& fields, const Answer& answer);
// embeddings.cpp
void answer_embeddings(Service& service, const Fields& fields, const Answer& answer);
void answer_models(Service& service, const Fields& fields, const Answer& answer);
void answer_model(Service& service, const Fields& fields, const Answer& answer);
// inspection.cpp
void answer_explain(Service& service, const Fields& fields, const Answer& answer);
void answer_score(Service& service, const Fields& fields, const Answer& answer);
void answer_align(Service& service, const Fields& fields, const Answer& answer);
void answer_confidence(Service& service, const Fields& fields, const Answer& answer);

}  // namespace calque
