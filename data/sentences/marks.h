#pragma once
// The characters at the borders of sentences: full stops of all scripts, quotes, brackets and
// spaces.

namespace calque {

// period: a "." that may also end an abbreviation or an ordinal number
// ellipsis: "…"; it ends a sentence only before a capital
// question: "?" and "!" of scripts with spaces
// stop: ends a sentence also without a space after it, as "。"
enum class StopMark { none, period, ellipsis, question, stop };
StopMark stop_mark(char32_t point);

// Whether the second character closes a quotation or bracket that the first one opens.
bool closes(char32_t opening, char32_t point);
// Whether the character opens a quotation only at the start of a word: " also closes one.
bool opens_at_word_start(char32_t point);
// Whether the character may stand between a full stop and the space after it.
bool is_closing(char32_t point);
bool is_opening(char32_t point);
bool is_dash(char32_t point);
bool is_bullet(char32_t point);

bool is_white_space(char32_t point);
bool is_line_end(char32_t point);  // LF, CR, and the separators of lines and paragraphs
bool is_no_break_space(char32_t point);

}  // namespace calque
