#include "data/conversations/turns.h"

#include <algorithm>
#include <span>

#include "core/error.h"

namespace calque {
namespace {

using Kind = TurnPiece::Kind;

constexpr std::string_view alpaca_preamble =
    "Below is an instruction that describes a task. Write a response that appropriately completes "
    "the request.";

// The white space that the filter trim of Jinja removes.
constexpr std::string_view jinja_white[] = {
    " ",      "\t",     "\n",     "\v",     "\f",     "\r",     "\x1c",   "\x1d",
    "\x1e",   "\x1f",   "\u0085", "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002",
    "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a",
    "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};

std::string trimmed(std::string_view text) {
  const auto strip = [&](auto&& at_edge, auto&& remove) {
    for (bool more = true; more;) {
      const auto* found = std::ranges::find_if(jinja_white, at_edge);
      more = found != std::end(jinja_white);
      if (more) remove(found->size());
    }
  };
  strip([&](std::string_view space) { return text.starts_with(space); },
        [&](size_t size) { text.remove_prefix(size); });
  strip([&](std::string_view space) { return text.ends_with(space); },
        [&](size_t size) { text.remove_suffix(size); });
  return std::string(text);
}

// Collects pieces; neighbouring texts that are answers or not alike become one.
struct Pieces {
  const TurnOptions& options;
  std::vector<TurnPiece> list = {};

  void text(const std::string& text, bool answer = false) {
    if (text.empty()) return;
    if (!list.empty() && list.back().kind == Kind::text && list.back().answer == answer) {
      list.back().text += text;
    } else {
      list.push_back({Kind::text, text, answer});
    }
  }
  void marker(std::string text) { list.push_back({Kind::marker, std::move(text)}); }
  void begin(std::string_view usual) {
    list.push_back({Kind::begin, options.begin.empty() ? std::string(usual) : options.begin});
  }
  void end_answer() {
    list.push_back(end_of_answer(options));
    list.back().answer = true;
  }
};

// A conversation without its system text.
struct Turns {
  std::string system;
  bool has_system = false;
  std::span<const Message> rest;
};

Turns turns_of(const Conversation& conversation, bool open) {
  Turns turns{"", false, conversation};
  if (!conversation.empty() && conversation.front().speaker == Speaker::system) {
    turns = {conversation.front().text, true, turns.rest.subspan(1)};
  }
  Speaker next = Speaker::user;
  for (const Message& message : turns.rest) {
    if (message.speaker != next) {
      fail("the roles must be user and assistant in turn, after at most one system text");
    }
    next = next == Speaker::user ? Speaker::assistant : Speaker::user;
  }
  if (turns.rest.empty()) fail("there is no text of a user");
  const Speaker last = turns.rest.back().speaker;
  if (last != (open ? Speaker::user : Speaker::assistant)) {
    fail("the last role must be {}", open ? "user" : "assistant");
  }
  return turns;
}

void add_chatml(const Turns& turns, bool open, Pieces& to) {
  const auto turn = [&](std::string_view speaker, const std::string& text) {
    to.marker("<|im_start|>");
    to.text(fmt::format("{}\n", speaker));
    const bool answer = speaker == "assistant";
    to.text(text, answer);
    if (answer) {
      to.end_answer();
    } else {
      to.marker("<|im_end|>");
    }
    to.text("\n");
  };
  if (turns.has_system) turn("system", turns.system);
  const std::string usual = usual_system(to.options);
  if (!turns.has_system && !usual.empty()) turn("system", usual);
  for (const Message& each : turns.rest) turn(name_of(speakers, each.speaker), each.text);
  if (!open) return;
  to.marker("<|im_start|>");
  to.text("assistant\n");
}

void add_llama3(const Turns& turns, bool open, Pieces& to) {
  const auto head = [&](std::string_view speaker) {
    to.marker("<|start_header_id|>");
    to.text(std::string(speaker));
    to.marker("<|end_header_id|>");
    to.text("\n\n");
  };
  to.begin("<|begin_of_text|>");
  if (turns.has_system) {
    head("system");
    to.text(trimmed(turns.system));
    to.marker("<|eot_id|>");
  }
  for (const Message& each : turns.rest) {
    const bool answer = each.speaker == Speaker::assistant;
    head(name_of(speakers, each.speaker));
    to.text(trimmed(each.text), answer);
    if (answer) {
      to.end_answer();
    } else {
      to.marker("<|eot_id|>");
    }
  }
  if (open) head("assistant");
}

void add_gemma(const Turns& turns, bool open, Pieces& to) {
  to.begin("<bos>");
  std::string system = turns.has_system ? turns.system + "\n\n" : "";
  for (const Message& each : turns.rest) {
    const bool answer = each.speaker == Speaker::assistant;
    to.marker("<start_of_turn>");
    to.text(answer ? "model\n" : "user\n" + system);
    system.clear();
    to.text(trimmed(each.text), answer);
    if (answer) {
      to.end_answer();
    } else {
      to.marker("<end_of_turn>");
    }
    to.text("\n");
  }
  if (!open) return;
  to.marker("<start_of_turn>");
  to.text("model\n");
}

void add_mistral(const Turns& turns, Pieces& to) {
  to.begin("<s>");
  std::string system = turns.has_system ? turns.system + "\n\n" : "";
  for (const Message& each : turns.rest) {
    if (each.speaker == Speaker::user) {
      to.text(fmt::format("[INST] {}{} [/INST]", system, each.text));
      system.clear();
    } else {
      to.text(each.text, true);
      to.end_answer();
    }
  }
}

void add_alpaca(const Turns& turns, Pieces& to) {
  to.begin("<s>");
  to.text((turns.has_system ? turns.system : usual_system(to.options)) + "\n\n");
  for (const Message& each : turns.rest) {
    if (each.speaker == Speaker::user) {
      to.text(fmt::format("### Instruction:\n{}\n\n### Response:\n", each.text));
    } else {
      to.text(each.text, true);
      to.end_answer();
    }
  }
}

void add_plain(const Turns& turns, Pieces& to) {
  if (turns.has_system || turns.rest.size() > 2) {
    fail("messages need data.turns, the turn format of the model");
  }
  to.begin("<s>");
  to.text(turns.rest.front().text);
  if (turns.rest.size() == 1) return;
  to.text(turns.rest.back().text, true);
  to.end_answer();
}

}  // namespace

TurnPiece end_of_answer(const TurnOptions& options) {
  switch (options.format) {
    case TurnFormat::chatml:
      return {Kind::marker, "<|im_end|>"};
    case TurnFormat::llama3:
      return {Kind::marker, "<|eot_id|>"};
    case TurnFormat::gemma:
      return {Kind::marker, "<end_of_turn>"};
    case TurnFormat::none:
    case TurnFormat::mistral:
    case TurnFormat::alpaca:
      break;
  }
  return {Kind::end, options.end.empty() ? "</s>" : options.end};
}

std::string usual_system(const TurnOptions& options) {
  if (options.format == TurnFormat::chatml) return options.system;
  if (options.format != TurnFormat::alpaca) return "";
  return options.system.empty() ? std::string(alpaca_preamble) : options.system;
}

std::vector<TurnPiece> turn_pieces(const TurnOptions& options, const Conversation& conversation,
                                   bool open) {
  const Turns turns = turns_of(conversation, open);
  Pieces to{options};
  switch (options.format) {
    case TurnFormat::none:
      add_plain(turns, to);
      break;
    case TurnFormat::chatml:
      add_chatml(turns, open, to);
      break;
    case TurnFormat::llama3:
      add_llama3(turns, open, to);
      break;
    case TurnFormat::gemma:
      add_gemma(turns, open, to);
      break;
    case TurnFormat::mistral:
      add_mistral(turns, to);
      break;
    case TurnFormat::alpaca:
      add_alpaca(turns, to);
      break;
  }
  return std::move(to.list);
}

std::string text_of(const std::vector<TurnPiece>& pieces) {
  std::string text;
  for (const TurnPiece& piece : pieces) text += piece.text;
  return text;
}

}  // namespace calque
