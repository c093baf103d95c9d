#pragma once
// Regular expressions of PCRE2 over UTF-8, with Unicode's classes of characters, compiled to
// machine code where PCRE2 supports the processor.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct pcre2_real_code_8;

namespace calque {

class Regex {
 public:
  // Throws an Error for an invalid pattern.
  explicit Regex(std::string_view pattern);

  struct Match {
    size_t begin, end;
  };
  // The first match that begins at `at` or later. These require well-formed UTF-8 and may be called
  // from several threads.
  std::optional<Match> find(std::string_view text, size_t at = 0) const;
  // Requires a pattern that does not match the empty text. `by` is plain text.
  std::string replace_all(std::string_view text, std::string_view by) const;

 private:
  std::shared_ptr<pcre2_real_code_8> code_;
};

}  // namespace calque
