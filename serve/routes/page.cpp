// The page at /, its parts, and the list of runs that it shows. A Content-Security-Policy ensures
// that the page loads nothing from elsewhere.

#include "serve/service.h"

namespace calque {

extern const std::string_view serve_html, page_css, explain_css, serve_css, page_js, serve_js;
extern const std::string_view serve_shared_js, serve_translate_js, serve_generate_js;

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
  std::string script;
  for (const std::string_view each :
       {page_js, serve_shared_js, serve_translate_js, serve_generate_js, serve_js}) {
    script += each;
  }
  answer.send(part("text/javascript", std::move(script)));
}

void answer_runs(Service& service, const Fields&, const Answer& answer) {
  using nlohmann::json;
  const ServedRuns& runs = service.runs();
  json list = {{"translators", json::array()},
               {"language_models", json::array()},
               {"classifiers", json::array()},
               {"key_required", !service.options().keys.empty()}};
  for (const ServedTranslator& each : runs.translators) {
    list["translators"].push_back(
        {{"name", each.name}, {"source", each.source}, {"target", each.target}});
  }
  for (const ServedLanguageModel& each : runs.language_models) {
    list["language_models"].push_back({{"name", each.name}});
  }
  for (const ServedClassifier& each : runs.classifiers) {
    list["classifiers"].push_back({{"name", each.name}, {"labels", each.run.labels}});
  }
  answer.json(list);
}

}  // namespace calque
