// M2M100: translators between many languages.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/error.h"
#include "data/tokenizers/language_tokens.h"
#include "data/tokenizers/vocabulary.h"
#include "interop/huggingface/format.h"
#include "interop/huggingface/names.h"
#include "interop/huggingface/parts.h"
#include "interop/parameters/positions.h"

namespace calque {
namespace {

using Json = nlohmann::ordered_json;

// The languages of M2M100Tokenizer, whose ids follow those of the vocabulary in this order.
constexpr std::string_view m2m100_languages[] = {
    "af", "am", "ar", "ast", "az", "ba", "be", "bg", "bn", "br",  "bs", "ca", "ceb", "cs", "cy",
    "da", "de", "el", "en",  "es", "et", "fa", "ff", "fi", "fr",  "fy", "ga", "gd",  "gl", "gu",
    "ha", "he", "hi", "hr",  "ht", "hu", "hy", "id", "ig", "ilo", "is", "it", "ja",  "jv", "ka",
    "kk", "km", "kn", "ko",  "lb", "lg", "ln", "lo", "lt", "lv",  "mg", "mk", "ml",  "mn", "mr",
    "ms", "my", "ne", "nl",  "no", "ns", "oc", "or", "pa", "pl",  "ps", "pt", "ro",  "ru", "sd",
    "si", "sk", "sl", "so",  "sq", "sr", "ss", "su", "sv", "sw",  "ta", "th", "tl",  "tn", "tr",
    "uk", "ur", "uz", "vi",  "wo", "xh", "yi", "yo", "zh", "zu"};

constexpr int64_t begin_row = 0, padding_row = 1, end_row = 2, unknown_row = 3, first_row = 4;
constexpr int64_t spare_rows = 8;  // behind those of the languages

// Which token has each row of M2M100's table. No token has the rows of the padding, of languages
// that the model does not know, and the spare ones.
struct M2m100Rows {
  static constexpr int32_t none = -1;
  std::vector<int32_t> tokens;
  int64_t vocabulary = 0;  // the rows before those of the languages
};

M2m100Rows m2m100_rows(const Tokenizer& tokenizer, const std::string& place) {
  M2m100Rows rows{{begin_id, M2m100Rows::none, end_id, unknown_id}};
  std::vector<int32_t> languages(std::size(m2m100_languages), M2m100Rows::none);
  for (const std::string& language : languages_with_token(tokenizer)) {
    const auto* found = std::ranges::find(m2m100_languages, language);
    if (found == std::end(m2m100_languages)) {
      fail("{}: not exported: the language {} is none of the {} of M2M100; huggingface can hold it",
           place, language, std::size(m2m100_languages));
    }
    languages[static_cast<size_t>(found - m2m100_languages)] =
        tokenizer.find(language_token(language)).value();
  }
  for (int32_t id = special_ids; id < tokenizer.size(); ++id) {
    if (std::ranges::find(languages, id) == languages.end()) rows.tokens.push_back(id);
  }
  rows.vocabulary = std::ssize(rows.tokens);
  rows.tokens.insert(rows.tokens.end(), languages.begin(), languages.end());
  rows.tokens.resize(rows.tokens.size() + spare_rows, M2m100Rows::none);
  return rows;
}

// A row whose product with every output of the decoder is about -10000, so that its token has no
// probability: with gain g and bias b of the last norm, that of a/g is a times the sum of b/g,
// because what the norm scales has the mean 0. Absent if the sum is so small that rounding would
// decide.
std::optional<std::vector<real>> impossible_row(const Norm& last) {
  constexpr double logit = -10'000, least = 1e-5;
  const auto gain = last.gain.stored.span(), bias = last.bias.span();
  double sum = 0;
  for (size_t i = 0; i < gain.size(); ++i) sum += double(bias[i]) / double(gain[i]);
  if (!(std::abs(sum) >= least * double(gain.size())) || !std::isfinite(sum)) return std::nullopt;
  std::vector<real> row;
  for (const real g : gain) row.push_back(static_cast<real>(logit / sum / double(g)));
  return row;
}

Tensor m2m100_table(const Exported<Transformer>& from, const M2m100Rows& rows,
                    const std::string& place) {
  const Tensor& own = from.model.source_embedding.weight;
  const int64_t d = own.cols();
  const auto impossible = impossible_row(*from.model.decoder.norm);
  if (!impossible) {
    fail(
        "{}: not exported: the biases of the decoder's last norm are too near 0, as of a model "
        "that is not trained: M2M100 could not exclude the languages that the model lacks",
        place);
  }
  Tensor table({std::ssize(rows.tokens), d});
  for (int64_t i = 0; i < table.rows(); ++i) {
    const int32_t token = rows.tokens[static_cast<size_t>(i)];
    const real* const row = token == M2m100Rows::none ? impossible->data() : own.data() + token * d;
    std::copy_n(row, d, table.data() + i * d);
  }
  return table;
}

TensorList m2m100_tensors(const Exported<Transformer>& from, const M2m100Rows& rows,
                          const std::string& place) {
  ListingWalk walk;
  walk_huggingface(walk, from.model);
  for (ListedTensor& each : walk.list) {
    if (each.name == "model.shared.weight") each.tensor = m2m100_table(from, rows, place);
  }
  return std::move(walk.list);
}

Json m2m100_config(const Exported<Transformer>& from, const M2m100Rows& rows) {
  const TransformerOptions& options = from.model.options;
  Json config;
  config["architectures"] = {"M2M100ForConditionalGeneration"};
  config["model_type"] = "m2m_100";
  config["is_encoder_decoder"] = true;
  config["vocab_size"] = rows.tokens.size();
  describe_translator(options, config);
  config["encoder_layerdrop"] = config["decoder_layerdrop"] = 0;
  config["max_position_embeddings"] = exported_positions(options.layer);
  config["tie_word_embeddings"] = true;
  config["bos_token_id"] = begin_row;
  config["pad_token_id"] = padding_row;
  config["eos_token_id"] = end_row;
  config["decoder_start_token_id"] = begin_row;
  config["dtype"] = "float32";
  return config;
}

Json m2m100_generation(const Exported<Transformer>& from) {
  const DecodingConfig& decoding = from.config.decoding;
  Json config;
  config["bos_token_id"] = begin_row;
  config["pad_token_id"] = padding_row;
  config["eos_token_id"] = end_row;
  config["decoder_start_token_id"] = begin_row;
  config["suppress_tokens"] = {begin_row, padding_row};
  if (!decoding.allow_unknown) config["suppress_tokens"].push_back(unknown_row);
  config["num_beams"] = decoding.beam;
  config["length_penalty"] = decoding.length_penalty;
  config["max_length"] = exported_positions(from.model.options.layer);
  return config;
}

Json m2m100_vocabulary(const SentencePieceModel& pieces, const M2m100Rows& rows) {
  Json ids = Json::object();
  ids["<s>"] = begin_row;
  ids["<pad>"] = padding_row;
  ids["</s>"] = end_row;
  ids["<unk>"] = unknown_row;
  for (int64_t row = first_row; row < rows.vocabulary; ++row) {
    ids[pieces.piece(rows.tokens[static_cast<size_t>(row)])] = row;
  }
  if (std::ssize(ids) != rows.vocabulary) {
    fail("the SentencePiece model has a piece twice, which m2m100 cannot hold");
  }
  return ids;
}

Json m2m100_tokenizer(const Exported<Transformer>& from) {
  Json config;
  config["tokenizer_class"] = "M2M100Tokenizer";
  config["language_codes"] = "m2m100";
  config["num_madeup_words"] = spare_rows;
  config["model_max_length"] = exported_positions(from.model.options.layer);
  config["src_lang"] = languages_with_token(from.source()).front();
  return config;
}

constexpr std::string_view m2m100_readme = R"(# A translator for Hugging Face transformers

```python
from transformers import M2M100ForConditionalGeneration, M2M100Tokenizer
tokenizer = M2M100Tokenizer.from_pretrained("PATH OF THIS FOLDER")
model = M2M100ForConditionalGeneration.from_pretrained("PATH OF THIS FOLDER")
tokenizer.src_lang = "{}"  # the language to translate to
batch = tokenizer(["A sentence."], return_tensors="pt", padding=True)
print(tokenizer.batch_decode(model.generate(**batch), skip_special_tokens=True))
```

This model reads the token of the target language where M2M100 reads that of the source: `src_lang` names the language to
translate to, and `forced_bos_token_id` must not be set. It knows{}.
)";

std::string m2m100_readme_text(const std::vector<std::string>& languages) {
  std::string list;
  for (const std::string& language : languages) {
    list += (list.empty() ? " `" : ", `") + language + "`";
  }
  return fmt::format(fmt::runtime(m2m100_readme), languages.front(), list);
}

}  // namespace

void write_m2m100(const Exported<Transformer>& from, ExportFolder& to) {
  const M2m100Rows rows = m2m100_rows(from.source(), to.out());
  to.write_safetensors("model.safetensors", m2m100_tensors(from, rows, to.out()), "pt");
  to.write_json("config.json", m2m100_config(from, rows));
  to.write_json("generation_config.json", m2m100_generation(from));
  to.write("sentencepiece.bpe.model", from.source().sentence_piece()->bytes());
  to.write_json("vocab.json", m2m100_vocabulary(*from.source().sentence_piece(), rows));
  to.write_json("tokenizer_config.json", m2m100_tokenizer(from));
  to.write("README.md", m2m100_readme_text(languages_with_token(from.source())));
}

}  // namespace calque
