#include "interop/tokenizers/byte_level.h"

#include "core/error.h"
#include "data/text/utf8.h"
#include "train/storage/durable_files.h"

namespace calque {
namespace {

using Json = nlohmann::ordered_json;

// The patterns as the published models write them.
constexpr Named<WordRule> splits_of_words[] = {
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3})"
     R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     WordRule::llama3},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})"
     R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     WordRule::qwen2}};

// How the parts of the pre-tokenizer cut a text into words.
WordRule read_word_rule(const TokenizerFile& file) {
  const std::vector<ForeignJson> splits = file.parts("pre_tokenizer");
  const ForeignJson& last = splits.back();
  if (last.flag("add_prefix_space", true)) last.refuse("add_prefix_space", "must be false");
  const bool words = last.flag("use_regex", true);
  if (splits.size() == 1 && words) return WordRule::gpt2;
  if (splits.size() == 2 && words && splits[0].text("type") == "Digits" &&
      splits[0].flag("individual_digits", false)) {
    return WordRule::smollm;
  }
  if (splits.size() == 2 && !words && splits[0].text("type") == "Split" &&
      splits[0].text("behavior") == "Isolated" && !splits[0].flag("invert", false)) {
    if (const auto rule = choice_named(splits_of_words, part_pattern(splits[0]))) return *rule;
  }
  file.refuse("pre_tokenizer",
              "cuts words in a way that calque does not have; it has those of GPT-2, Llama 3, "
              "Qwen 2 and SmolLM");
}

BytePairModel::Rules read_byte_level_rules(const TokenizerFile& file) {
  BytePairModel::Rules rules{.words = read_word_rule(file)};
  const ForeignJson model = file.model();
  for (const ForeignJson& part : file.parts("normalizer")) {
    if (part.text("type") != "NFC") {
      file.refuse("normalizer", "must be null or NFC before byte-level BPE");
    }
    rules.nfc = true;
  }
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (!model.text(key, "").empty()) model.refuse(key, "must be empty before byte-level BPE");
  }
  rules.whole_words = model.flag("ignore_merges", false);
  return rules;
}

Json byte_level_part(bool use_regex) {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", false},
          {"trim_offsets", true},
          {"use_regex", use_regex}};
}

}  // namespace

bool add_token(Vocabulary& to, const std::string& text) {
  const bool plain = text.find_first_of(std::string_view(" \t\n\r\0", 5)) == text.npos;
  if (!plain || find_invalid_utf8(text) || to.find(text)) return false;
  to.add(text);
  return true;
}

// Byte-level BPE ends its pre-tokenizer with ByteLevel.
bool is_byte_level(const TokenizerFile& file) {
  const std::vector<ForeignJson> splits = file.parts("pre_tokenizer");
  return file.type == "BPE" && !splits.empty() && splits.back().text("type") == "ByteLevel";
}

Tokenizer byte_level_tokenizer(const TokenizerFile& file,
                               const std::function<bool(int64_t)>& is_symbol) {
  BytePairModel::Rules rules = read_byte_level_rules(file);
  Vocabulary vocabulary;
  for (const auto& [id, text] : file.tokens) {
    if (is_symbol(id)) continue;
    if (file.added.contains(id)) rules.verbatim.push_back(text);
    if (file.special.contains(id)) rules.control.push_back(text);
    if (!add_token(vocabulary, text)) {
      file.refuse("model.vocab",
                  fmt::format("has the token {}, which calque cannot hold", printable(text)));
    }
  }
  std::vector<BytePairModel::Merge> merges;
  for (auto& [left, right] : file.merges()) merges.push_back({left, right});
  return {
      BytePairModel(std::move(vocabulary), std::move(merges), std::move(rules), file.file.path()),
      {.kind = TokenizerKind::byte_pairs, .nfkc = false}};
}

Json byte_level_split(WordRule rule) {
  if (rule == WordRule::gpt2) return byte_level_part(true);
  Json parts = Json::array();
  if (rule == WordRule::smollm) {
    parts = {{{"type", "Digits"}, {"individual_digits", true}}, byte_level_part(true)};
  } else {
    parts = {{{"type", "Split"},
              {"pattern", {{"Regex", name_of(splits_of_words, rule)}}},
              {"behavior", "Isolated"},
              {"invert", false}},
             byte_level_part(false)};
  }
  return {{"type", "Sequence"}, {"pretokenizers", parts}};
}

}  // namespace calque
