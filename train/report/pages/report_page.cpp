#include "train/report/pages/report_page.h"

#include <string_view>

#include "train/report/page_text.h"
#include "train/report/pages/report_data.h"
#include "train/storage/durable_files.h"

namespace calque {

extern const std::string_view report_html, page_css, report_css;
extern const std::string_view page_js, numbers_js, curves_js, chart_js, readings_js,
    report_state_js, report_tables_js, report_samples_js, report_js;

std::string report_page(std::span<const ReportRun> runs) {
  std::string title;
  for (const ReportRun& run : runs) title += (title.empty() ? "" : ", ") + run.name;
  std::string style, script;
  for (const std::string_view part : {page_css, report_css}) style += part;
  for (const std::string_view part :
       {page_js, numbers_js, curves_js, chart_js, readings_js, report_state_js, report_tables_js,
        report_samples_js, report_js}) {
    script += part;
  }
  return filled(report_html, {{"title", html_escaped(title)},
                              {"style", style},
                              {"data", report_data(runs)},
                              {"script", script}});
}

void write_report(const std::filesystem::path& run_folder, std::span<const MetricInfo> metrics) {
  const ReportRun run = read_run(run_folder, metrics);
  replace_text(real_files(), (run_folder / "report.html").string(), report_page({&run, 1}));
}

}  // namespace calque
