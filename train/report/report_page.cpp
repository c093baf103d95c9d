// Puts the parts of the page together.
#include "train/report/report_page.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>

#include "core/error.h"
#include "train/report/page_text.h"
#include "train/report/report_data.h"

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

void write_whole_file(const std::filesystem::path& file, std::string_view text) {
  const std::filesystem::path beside = file.string() + ".part";
  std::ofstream out(beside, std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  const std::string reason = std::strerror(errno);
  std::error_code error, ignored;
  if (out) std::filesystem::rename(beside, file, error);
  if (!out || error) {
    std::filesystem::remove(beside, ignored);
    fail("{}: cannot be written ({})", file.string(), error ? error.message() : reason);
  }
}

void write_report(const std::filesystem::path& run_folder) {
  const ReportRun run = read_run(run_folder);
  write_whole_file(run_folder / "report.html", report_page({&run, 1}));
}

}  // namespace calque
