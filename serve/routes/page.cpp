// The page at /, its parts, and the list of runs that it shows. A Content-Security-Policy ensures
// that the page loads nothing from elsewhere.

#include "serve/served_task.h"

namespace calque {

extern const std::string_view serve_html, page_css, explain_css, serve_css, page_js, serve_js;
extern const std::string_view serve_shared_js;

namespace {

HttpResponse part(const char* type, std::string body) {
  return {.status = 200,
          .content_type = std::string(type) + "; charset=utf-8",
          .body = std::move(body),
          .headers = {{"Content-Security-Policy",
                       "default-src 'none'; style-src 'self'; script-src 'self'; connect-src "
                       "'self'; frame-src 'self'; img-src data:"},
                      {"Cache-Control", "no-cache"}}};
}

}  // namespace

void answer_page(Service&, const Fields&, const Answer& answer) {
  answer.send(part("text/html", std::string(serve_html)));
}

void answer_style(Service&, const Fields&, const Answer& answer) {
  answer.send(
      part("text/css", std::string(page_css) + std::string(explain_css) + std::string(serve_css)));
}

void answer_script(Service&, const Fields&, const Answer& answer) {
  std::string script = std::string(page_js) + std::string(serve_shared_js);
  for (const ServedTask* task : served_tasks()) {
    for (const std::string_view* part : task->scripts) script += *part;
  }
  script += serve_js;
  answer.send(part("text/javascript", std::move(script)));
}

void answer_runs(Service& service, const Fields&, const Answer& answer) {
  using nlohmann::json;
  json list = {{"key_required", !service.options().keys.empty()}};
  for (const ServedTask* task : served_tasks()) {
    json& entries = list[task->list] = json::array();
    for (DescribedRun& run : task->describe(service.runs())) entries.push_back(run.entry);
  }
  answer.json(list);
}

}  // namespace calque
