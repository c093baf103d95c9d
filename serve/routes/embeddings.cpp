// OpenAI's interface to embeddings: /v1/embeddings, and /v1/models, whose models all embed.

#include <algorithm>
#include <bit>
#include <limits>

#include "data/files/base64.h"
#include "serve/http/error.h"
#include "serve/service.h"

namespace calque {
namespace {

using nlohmann::json;
using Ids = std::vector<int32_t>;

struct EmbeddingsRequest {
  const ServedEmbedder* model = nullptr;
  std::vector<Ids> texts = {};
  int64_t tokens = 0;
  bool base64 = false;
};

const ServedEmbedder& embedder_for(const Service& service, const Fields& fields) {
  const auto& all = service.runs().embedders;
  if (all.empty()) refuse(404, "no run is served that embeds texts");
  if (!fields.has("model")) return all.front();
  const std::string name = fields.text("model");
  const auto found = std::ranges::find(all, name, &ServedEmbedder::name);
  if (found != all.end()) return *found;
  refuse(404, "the model {} does not exist, or does not embed texts", name);
}

json model_json(const ServedEmbedder& model) {
  return {{"id", model.name}, {"object", "model"}, {"created", 0}, {"owned_by", "calque"}};
}

bool all_of_type(const json& list, bool (json::*is)() const noexcept) {
  return std::ranges::all_of(list, [&](const json& each) { return (each.*is)(); });
}

Ids ids_of(const json& list, const SentenceEncoder& encoder, const std::string& place) {
  Ids ids;
  for (const json& each : list) {
    if (!each.is_number_integer()) refuse(400, "{}: must be a list of token ids", place);
    const bool known = each.is_number_unsigned() &&
                       each.get<uint64_t>() < static_cast<uint64_t>(encoder.vocabulary);
    if (!known) {
      refuse(400, "{}: {} is no token id; ids are 0 to {}", place, each.dump(),
             encoder.vocabulary - 1);
    }
    ids.push_back(each.get<int32_t>());
  }
  return ids;
}

// The texts of the field `input`: a text, a list of texts, the ids of one text, or a list of these.
std::vector<Ids> texts_of(const Service& service, const Fields& fields,
                          const SentenceEncoder& encoder) {
  if (!fields.has("input")) refuse(400, "input: is missing");
  const json& input = fields.values()["input"];
  if (input.is_array() && input.empty()) refuse(400, "input: is an empty list");
  if (input.is_array() && input.front().is_number()) return {ids_of(input, encoder, "input")};
  std::vector<Ids> texts;
  if (input.is_array() && input.front().is_array()) {
    if (!all_of_type(input, &json::is_array)) {
      refuse(400, "input: must be texts, or lists of token ids, not both");
    }
    for (const json& list : input) {
      texts.push_back(ids_of(list, encoder, fmt::format("input[{}]", texts.size())));
    }
    return texts;
  }
  const bool valid =
      input.is_string() || (input.is_array() && all_of_type(input, &json::is_string));
  if (!valid) {
    refuse(400, "input: must be a text, a list of texts, or lists of token ids");
  }
  const std::vector<std::string> given = fields.texts("input");
  service.check_characters(given);
  for (const std::string& text : given) texts.push_back(encoder.tokenize(text));
  return texts;
}

// Throws an HttpError for texts that are too many, empty or too long.
void check_texts(const Service& service, const EmbeddingsRequest& request) {
  const ServiceOptions& limits = service.options();
  const SentenceEncoder& encoder = request.model->encoder;
  if (std::ssize(request.texts) > limits.sentences) {
    refuse(400, "input: has {} texts; a request may have at most {}", request.texts.size(),
           limits.sentences);
  }
  for (size_t i = 0; i < request.texts.size(); ++i) {
    const int64_t size = std::ssize(request.texts[i]);
    if (size == 0) refuse(400, "input[{}]: is empty", i);
    if (size > encoder.longest()) {
      refuse(400, "input[{}]: has {} tokens; {} embeds at most {}", i, size, request.model->name,
             encoder.longest());
    }
  }
  if (request.tokens > limits.characters) {
    refuse(400, "input: has {} tokens; a request may have at most {}", request.tokens,
           limits.characters);
  }
}

EmbeddingsRequest embeddings_request_of(const Service& service, const Fields& fields) {
  EmbeddingsRequest request{.model = &embedder_for(service, fields)};
  const SentenceEncoder& encoder = request.model->encoder;
  const std::string format = fields.text_or("encoding_format", "float");
  if (format != "float" && format != "base64") {
    refuse(400, "encoding_format: must be float or base64");
  }
  request.base64 = format == "base64";
  const int64_t dimensions =
      fields.whole_or("dimensions", encoder.width, 1, std::numeric_limits<int32_t>::max());
  if (dimensions != encoder.width) {
    refuse(400, "dimensions: is {}; the embeddings of {} have {}", dimensions, request.model->name,
           encoder.width);
  }
  request.texts = texts_of(service, fields, encoder);
  for (const Ids& text : request.texts) request.tokens += std::ssize(text);
  check_texts(service, request);
  return request;
}

// The numbers as float32, little-endian.
std::string base64_of(const std::vector<real>& vector) {
  std::string bytes;
  for (const real x : vector) {
    const auto bits = std::bit_cast<uint32_t>(static_cast<float>(x));
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 0xFFU);
  }
  return base64(bytes);
}

void embed(const EmbeddingsRequest& request, const Answer& answer) {
  json data = json::array();
  for (const auto& vector : sentence_embeddings(request.model->encoder, request.texts)) {
    data.push_back({{"object", "embedding"},
                    {"index", data.size()},
                    {"embedding", request.base64 ? json(base64_of(vector)) : json(vector)}});
  }
  answer.json({{"object", "list"},
               {"model", request.model->name},
               {"data", data},
               {"usage", {{"prompt_tokens", request.tokens}, {"total_tokens", request.tokens}}}});
}

}  // namespace

void answer_embeddings(Service& service, const Fields& fields, const Answer& answer) {
  EmbeddingsRequest request = embeddings_request_of(service, fields);
  QueuedWork work;
  work.cost = request.tokens;
  work.compute = [request = std::move(request), answer] { embed(request, answer); };
  service.enqueue(std::move(work), answer);
}

void answer_models(Service& service, const Fields&, const Answer& answer) {
  json models = json::array();
  for (const ServedEmbedder& each : service.runs().embedders) models.push_back(model_json(each));
  answer.json({{"object", "list"}, {"data", models}});
}

void answer_model(Service& service, const Fields& fields, const Answer& answer) {
  answer.json(model_json(embedder_for(service, fields)));
}

}  // namespace calque
