#include "train/report/pages/inspection_json.h"

#include <fmt/format.h>

#include <span>

#include "core/error.h"
#include "decode/inspection/head_patterns.h"
#include "train/report/explain_data.h"
#include "train/report/page_text.h"

namespace calque {
namespace {

// Writes parts of an inspection with the texts of the tokens.
class InspectionWriter {
 public:
  InspectionWriter(const Explanation& explanation, int digits)
      : explanation_(explanation), digits_(digits) {}

  std::string lens(const Inspection& inspection) const {
    return json_list(inspection.lens, [&](const std::vector<LensGuess>& guesses) {
      return json_list(guesses, [&](const LensGuess& guess) {
        return fmt::format("\n{{\"target\":{},\"best\":{}}}", number(guess.target),
                           likely(guess.best));
      });
    });
  }

  std::string heads(const Inspection& inspection) const {
    std::string out;
    for (size_t i = 0; i < inspection.patterns.size(); ++i) {
      const HeadPattern& pattern = inspection.patterns[i];
      const ZeroedHead& zeroed = inspection.zeroed[i];
      out += fmt::format(
          "{}\n{{\"layer\":{},\"head\":{},\"pattern\":{},\"previous\":{},\"first\":{},\"own\":{},"
          "\"induction\":{},\"without\":{{\"target\":{},\"next\":{}}}}}",
          i == 0 ? "" : ",", pattern.layer, pattern.head, json_quoted(pattern_name(pattern)),
          number(pattern.previous), number(pattern.first), number(pattern.own),
          number(pattern.induction), number(zeroed.target), changed(zeroed.next));
    }
    return fmt::format("[{}]", out);
  }

  std::string patching(const Patching& patching) const {
    return fmt::format(
        "{{\"against\":{},\"tokens\":{},\"gains\":{{{}}},\"loses\":{{{}}},\"before\":{},"
        "\"after\":{},\"patched\":{}}}",
        json_quoted(patching.against), tokens(patching.other), token(patching.gains),
        token(patching.loses), number(patching.before), number(patching.after),
        matrix(patching.patched));
  }

  std::string edited(const EditedOutput& edited) const {
    return fmt::format("{{\"edits\":{},\"next\":{},\"continuation\":{},\"text\":{}}}",
                       json_texts(edited.edits), changed(edited.next), tokens(edited.continuation),
                       json_quoted(edited.text));
  }

  std::string matrix(const ExplainedMatrix& matrix) const {
    std::string rows;
    for (int64_t row = 0; row < matrix.rows; ++row) {
      const std::span<const float> values(matrix.values.data() + row * matrix.columns,
                                          static_cast<size_t>(matrix.columns));
      rows += (row == 0 ? "" : ",") + json_numbers(values, digits_);
    }
    return fmt::format("[{}]", rows);
  }

 private:
  std::string number(double value) const { return json_number(value, digits_); }

  // The id and the text of a token, two keys of an object.
  std::string token(int32_t id) const {
    return fmt::format("\"id\":{},\"text\":{}", id, token_json(explanation_, id));
  }

  std::string tokens(const std::vector<int32_t>& ids) const {
    return json_list(ids, [&](int32_t id) { return fmt::format("{{{}}}", token(id)); });
  }

  std::string changed(const std::vector<ChangedToken>& changed) const {
    return json_list(changed, [&](const ChangedToken& each) {
      return fmt::format("{{{},\"before\":{},\"after\":{}}}", token(each.token),
                         number(each.before), number(each.after));
    });
  }

  std::string likely(const std::vector<LikelyToken>& best) const {
    return json_list(best, [&](const LikelyToken& each) {
      return fmt::format("{{{},\"probability\":{}}}", token(each.token), number(each.probability));
    });
  }

  const Explanation& explanation_;
  int digits_;
};

}  // namespace

std::string inspection_json(const Explanation& explanation, const Inspection& inspection,
                            int digits) {
  require(inspection.patterns.size() == inspection.zeroed.size() &&
              inspection.patterns.size() == explanation.decoder_self.size(),
          "inspection: {} patterns and {} outputs of {} heads", inspection.patterns.size(),
          inspection.zeroed.size(), explanation.decoder_self.size());
  for (const auto& guesses : inspection.lens) {
    require(guesses.size() == explanation.target_tokens.size(),
            "inspection: {} guesses for {} tokens", guesses.size(),
            explanation.target_tokens.size());
  }
  const InspectionWriter write(explanation, digits);
  return fmt::format(
      "{{\"lens\":{},\n\"heads\":{},\n\"attribution\":{},\n\"patching\":{},\n\"edited\":{}}}",
      write.lens(inspection), write.heads(inspection), write.matrix(inspection.attribution),
      inspection.patching ? write.patching(*inspection.patching) : "null",
      inspection.edited ? write.edited(*inspection.edited) : "null");
}

}  // namespace calque
