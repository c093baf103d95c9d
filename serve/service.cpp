#include "serve/service.h"

#include <utility>

#include "data/text/utf8.h"
#include "serve/http/error.h"
#include "serve/served_task.h"
#include "serve/work/background.h"

namespace calque {
namespace {

// Besides those of each task.
constexpr KnownRoute common_routes[] = {
    {"GET", "/", answer_page, Answer::Errors::text, false},
    {"GET", "/page.css", answer_style, Answer::Errors::text, false},
    {"GET", "/page.js", answer_script, Answer::Errors::text, false},
    {"GET", "/runs", answer_runs, Answer::Errors::text, false},
    {"POST", "/detect", answer_detect},
    {"GET", "/detect", answer_detect},
    {"GET", "/spec", answer_spec, Answer::Errors::text, false},
    {"GET", "/languages", answer_languages, Answer::Errors::text, false},
    {"GET", "/frontend/settings", answer_settings, Answer::Errors::text, false},
    {"POST", "/explain", answer_explain},
    {"GET", "/explain", answer_explain},
    {"POST", "/v1/embeddings", answer_embeddings, Answer::Errors::object},
    {"GET", "/v1/models", answer_models, Answer::Errors::object},
    {"GET", "/v1/models/", answer_model, Answer::Errors::object},
};

std::vector<KnownRoute> all_routes() {
  std::vector<KnownRoute> all(std::begin(common_routes), std::end(common_routes));
  for (const ServedTask* task : served_tasks()) {
    all.insert(all.end(), task->routes.begin(), task->routes.end());
  }
  return all;
}

}  // namespace

Service::Service(ServedRuns runs, ServiceOptions options)
    : runs_(std::move(runs)),
      options_(std::move(options)),
      queue_(options_.queue, {[this](double seconds) { metrics_.waited(seconds); },
                              [this](size_t sentences) { metrics_.batch(sentences); }}) {
  for (const ServedLanguageModel& each : runs_.language_models) {
    generators_.push_back(std::make_unique<Generator>(
        each.run,
        Generator::Options{.capacity = options_.queue.capacity,
                           .prefix_bytes = options_.prefix_cache_mb * 1'000'000},
        [this](double seconds) { metrics_.waited(seconds); }));
  }
}

void Service::handle(const HttpRequest& request, std::shared_ptr<HttpReply> reply) {
  Answer answer(std::move(reply), metrics_);
  try {
    route(request, answer);
  } catch (const HttpError& error) {
    answer.error(error.status, error.what());
  } catch (const std::exception& error) {
    answer.error(500, error.what());
  }
}

void Service::route(const HttpRequest& request, Answer& answer) {
  const std::string& path = request.path;
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (request.method == "OPTIONS") return answer.send({204, "text/plain", ""});
  const bool always_answers = path == "/health" || path == "/metrics";
  if (always_answers && !reads) {
    answer.of_route(path, Answer::Errors::text);
    return answer.error(405, "this route accepts GET", {{"Allow", "GET, HEAD"}});
  }
  if (path == "/health") {
    answer.of_route(path, Answer::Errors::text);
    return server_.stopping() ? answer.error(503, "the server is stopping")
                              : answer.json({{"status", "ok"}});
  }
  if (path == "/metrics") {
    answer.of_route(path, Answer::Errors::text);
    ServerMetrics::Now now = server_.now();
    now.queue_tokens = queue_.unfinished_tokens();
    for (const auto& generator : generators_) {
      now.queue_tokens += generator->unfinished_tokens();
      const PrefixCache::Counts counts = generator->prefixes();
      now.prompts += counts.texts;
      now.prompts_known += counts.hits;
      now.prompt_tokens_known += counts.tokens;
      now.prefix_bytes += counts.bytes;
    }
    return answer.send({200, "text/plain; version=0.0.4", metrics_.text(now)});
  }
  if (path == "/v1" || path.starts_with("/v1/")) answer.of_route("other", Answer::Errors::object);
  std::string allowed;
  static const std::vector<KnownRoute> routes = all_routes();
  for (const KnownRoute& known : routes) {
    if (!known.matches(path)) continue;
    answer.of_route(std::string(known.path), known.errors);
    const bool reads_it = reads && known.method == std::string_view("GET");
    if (reads_it || request.method == known.method) {
      if (server_.stopping()) refuse(503, "the server is stopping");
      Fields fields(request);
      if (known.takes_name()) fields.set("model", path.substr(known.path.size()));
      if (known.needs_key) require_key(request, fields);
      return known.answer(*this, fields, answer);
    }
    allowed += (allowed.empty() ? "" : ", ") + std::string(known.method);
  }
  if (!allowed.empty()) {
    return answer.error(405, "this route accepts " + allowed, {{"Allow", allowed}});
  }
  refuse(404, "there is no such route");
}

void Service::require_key(const HttpRequest& request, const Fields& fields) const {
  if (options_.keys.empty()) return;
  constexpr std::string_view bearer = "Bearer ";
  std::string key = fields.text_or("api_key", "");
  if (request.authorization.starts_with(bearer)) key = request.authorization.substr(bearer.size());
  if (key.empty()) refuse(401, "Please contact the server operator to get an API key");
  if (!options_.keys.contains(key)) refuse(403, "Invalid API key");
}

void Service::check_characters(std::span<const std::string> texts) const {
  int64_t characters = 0;
  for (const std::string& text : texts) characters += count_code_points(text);
  if (characters > options_.characters) {
    refuse(400, "{} characters; a request may have at most {}", characters, options_.characters);
  }
}

void Service::enqueue(QueuedWork work, const Answer& answer) {
  work.failed = [answer](const std::string& why) { answer.error(500, why); };
  work.cancelled = [answer] { return answer.cancelled(); };
  if (!queue_.add(std::move(work))) refuse(503, "the queue is full; try again");
}

void Service::generate(const ServedLanguageModel& model, GenerationRequest request,
                       const Answer& answer) {
  request.cancelled = [answer] { return answer.cancelled(); };
  if (!request.failed) {
    request.failed = [answer](const std::exception_ptr& why) {
      answer.error(500, message_for_client(why));
    };
  }
  const auto number = &model - runs_.language_models.data();
  if (!generators_[static_cast<size_t>(number)]->add(std::move(request))) {
    refuse(503, "the queue is full; try again");
  }
}

}  // namespace calque
