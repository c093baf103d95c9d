#include "train/report/figures/inspection_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "core/threads/largest_first.h"
#include "data/text/utf8.h"
#include "decode/inspection/head_patterns.h"

namespace calque {
namespace {

constexpr int64_t word_columns = 12;

// The text in exactly `columns` code points: cut, or filled with spaces.
std::string fitted(const std::string& text, int64_t columns) {
  std::string out;
  int64_t taken = 0;
  const bool cut = count_code_points(text) > columns;
  for (const char byte : text) {
    const bool begins = (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
    if (begins && ++taken > columns - (cut ? 1 : 0)) break;
    out += byte;
  }
  if (cut) return out + "~";
  return out + std::string(static_cast<size_t>(columns - count_code_points(text)), ' ');
}

std::string percent(double share) { return fmt::format("{:3}%", std::lround(100 * share)); }

std::string without_trailing_spaces(const std::string& lines) {
  std::string out;
  for (const char byte : lines) {
    if (byte == '\n') out.erase(out.find_last_not_of(' ') + 1);
    out += byte;
  }
  return out;
}

std::string on_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string state_name(int64_t state) {
  return state == 0 ? "embedding" : fmt::format("layer {}", state);
}

// As many of the states 0 to count - 1 as there is room for, evenly spread, with the last one.
std::vector<int64_t> shown_states(int64_t count, int64_t room) {
  const int64_t shown = std::clamp<int64_t>(room, 2, count);
  std::vector<int64_t> states;
  for (int64_t i = 0; i < shown; ++i) states.push_back(i * (count - 1) / (shown - 1));
  return states;
}

// Writes the tables with the words of one explanation.
class Tables {
 public:
  Tables(const Explanation& explanation, int width) : explanation_(explanation), width_(width) {}

  std::string lens(const std::vector<std::vector<LensGuess>>& lens) const {
    const int64_t column = word_columns + 6;
    const auto states = shown_states(std::ssize(lens), (width_ - 2 * word_columns - 2) / column);
    std::string out = "Logit lens: the most probable next token after each layer\n" +
                      fitted("read", word_columns + 1);
    for (const int64_t state : states) out += fitted(state_name(state), column);
    out += "in the text\n";
    for (size_t t = 0; t < explanation_.target_tokens.size(); ++t) {
      out += read_word(t) + ' ';
      for (const int64_t state : states) {
        const LikelyToken& best = lens[state][t].best.front();
        out += word(best.token) + percent(best.probability) + "  ";
      }
      out += plain(explanation_.target_tokens[t]) + '\n';
    }
    return out;
  }

  std::string heads(const Inspection& inspection) const {
    const int32_t target = explanation_.target_tokens[explanation_.given];
    const auto score = [](double value) {
      return std::isnan(value) ? std::string("      -   ") : fmt::format("{:7.2f}   ", value);
    };
    std::string out = fmt::format(
        "Heads: the share of their attention for each pattern, and the probability of {} without "
        "them ({} with all)\n"
        "head    pattern         previous     first       own induction   without\n",
        plain(target), trimmed(inspection.lens.back()[explanation_.given].target));
    for (size_t i = 0; i < inspection.patterns.size(); ++i) {
      const HeadPattern& pattern = inspection.patterns[i];
      out += fmt::format(
          "{:8}{:15}{}{}{}{}{:>7}\n", fmt::format("{}.{}", pattern.layer + 1, pattern.head + 1),
          pattern_name(pattern), score(pattern.previous), score(pattern.first), score(pattern.own),
          score(pattern.induction), trimmed(inspection.zeroed[i].target));
    }
    return out;
  }

  // The tokens with the largest numbers, positive or negative.
  std::string attribution(const ExplainedMatrix& matrix) const {
    std::string out = "Attribution: gradient times input for the logit of each new token\n";
    const auto shown = static_cast<size_t>(std::max<int64_t>(1, (width_ - word_columns) / 20));
    for (int64_t row = 0; row < matrix.rows; ++row) {
      const std::span values(matrix.values.data() + row * matrix.columns,
                             static_cast<size_t>(explanation_.given + row + 1));
      std::vector<float> sizes;
      for (const float value : values) sizes.push_back(std::abs(value));
      out += word(explanation_.target_tokens[explanation_.given + row]);
      const std::vector<size_t> order = largest_first(sizes);
      for (size_t i = 0; i < std::min(shown, order.size()); ++i) {
        out += fmt::format("{:+6.2f} {}", values[order[i]], read_word(order[i]));
      }
      out += '\n';
    }
    return out;
  }

  std::string patching(const Patching& patching) const {
    std::string out = fmt::format(
        "Patching from '{}': how far one vector of its pass takes\n"
        "log p({}) - log p({}) from {:.2f} to {:.2f}\n",
        on_one_line(patching.against), plain(patching.gains), plain(patching.loses),
        patching.before, patching.after);
    const int64_t column = 11;
    const auto states =
        shown_states(patching.patched.rows, (width_ - 2 * word_columns - 2) / column);
    out += fitted("token", word_columns + 1) + fitted("from", word_columns + 1);
    for (const int64_t state : states) out += fitted(state_name(state), column);
    out += '\n';
    const double way = patching.after - patching.before;
    for (int64_t t = 0; t < patching.patched.columns; ++t) {
      out += read_word(t) + ' ' + word(patching.other[t]) + ' ';
      for (const int64_t state : states) {
        const double moved =
            patching.patched.values[state * patching.patched.columns + t] - patching.before;
        out += fitted(percent(way > 0 ? moved / way : 0), column);
      }
      out += '\n';
    }
    return out;
  }

  std::string edited(const EditedOutput& edited) const {
    std::string out = "Changed:";
    for (const std::string& edit : edited.edits) out += (out.back() == ':' ? " " : ", ") + edit;
    out += "\n" + fitted("next token", word_columns + 1) + "before   after\n";
    for (const ChangedToken& each : edited.next) {
      out += word(each.token) +
             fmt::format(" {:>6}  {:>6}\n", trimmed(each.before), trimmed(each.after));
    }
    return out + fmt::format("before  {}\nafter   {}\n", on_one_line(explanation_.translation),
                             on_one_line(edited.text));
  }

  std::string heading() const {
    return fmt::format("prompt        {}\ncontinuation  {}\nmodel         {}\n",
                       on_one_line(explanation_.source), on_one_line(explanation_.translation),
                       explanation_.model);
  }

 private:
  static std::string trimmed(double share) { return fmt::format("{:.1f}%", 100 * share); }

  std::string plain(int32_t token) const {
    return explanation_.vocabulary[static_cast<size_t>(token)];
  }
  std::string word(int32_t token) const { return fitted(plain(token), word_columns); }

  // The token that was read at this place: <s>, then the text.
  std::string read_word(size_t place) const {
    return place == 0 ? fitted("<s>", word_columns) : word(explanation_.target_tokens[place - 1]);
  }

  const Explanation& explanation_;
  int64_t width_;
};

}  // namespace

std::string inspection_text(const Explanation& explanation, const Inspection& inspection,
                            int width) {
  const Tables tables(explanation, width);
  std::string out = tables.heading();
  if (inspection.edited) out += '\n' + tables.edited(*inspection.edited);
  if (inspection.patching) out += '\n' + tables.patching(*inspection.patching);
  out += '\n' + tables.lens(inspection.lens);
  out += '\n' + tables.heads(inspection);
  out += '\n' + tables.attribution(inspection.attribution);
  return without_trailing_spaces(out);
}

}  // namespace calque
