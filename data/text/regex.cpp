#include "data/text/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>

#include "core/error.h"

namespace calque {
namespace {

PCRE2_SPTR units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

std::string message_of(int problem) {
  std::array<PCRE2_UCHAR, 256> message{};
  pcre2_get_error_message(problem, message.data(), message.size());
  return reinterpret_cast<const char*>(message.data());
}

}  // namespace

Regex::Regex(std::string_view pattern) {
  int problem = 0;
  size_t place = 0;
  code_.reset(pcre2_compile(units(pattern), pattern.size(), PCRE2_UTF | PCRE2_UCP, &problem, &place,
                            nullptr),
              pcre2_code_free);
  if (!code_) fail("regular expression {}: byte {}: {}", pattern, place + 1, message_of(problem));
  pcre2_jit_compile(code_.get(), PCRE2_JIT_COMPLETE);  // if it fails, matching interprets
}

std::optional<Regex::Match> Regex::find(std::string_view text, size_t at) const {
  using Data = std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)>;
  thread_local const Data data(pcre2_match_data_create(1, nullptr), pcre2_match_data_free);
  const int found = pcre2_match(code_.get(), units(text), text.size(), at, PCRE2_NO_UTF_CHECK,
                                data.get(), nullptr);
  if (found == PCRE2_ERROR_NOMATCH) return std::nullopt;
  if (found < 0) fail("regular expression: {}", message_of(found));
  const size_t* bounds = pcre2_get_ovector_pointer(data.get());
  return Match{bounds[0], bounds[1]};
}

std::string Regex::replace_all(std::string_view text, std::string_view by) const {
  std::string out;
  size_t at = 0;
  while (const auto match = find(text, at)) {
    out.append(text, at, match->begin - at).append(by);
    at = match->end;
  }
  return out.append(text, at);
}

}  // namespace calque
