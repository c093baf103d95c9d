#include "serve/routes/output_format.h"

#include "core/error.h"
#include "decode/constraints/output_format.h"
#include "serve/http/error.h"

namespace calque {
namespace {

using nlohmann::ordered_json;
using Kind = OutputFormat::Kind;

// response_format is {"type": "text"}, {"type": "json_object"} or {"type": "json_schema",
// "json_schema": {"name": NAME, "schema": SCHEMA, "strict": true}}. A name and `strict` change
// nothing: every answer keeps to the schema.
OutputFormat response_format(const Fields& fields) {
  const ordered_json format = ordered_json::parse(fields.text_in_order("response_format"));
  const auto type = format.is_object() && format.contains("type") ? format["type"] : ordered_json();
  if (type == "text") return {};
  if (type == "json_object") return {Kind::json_object, "", "response_format"};
  if (type != "json_schema") {
    refuse(400, "response_format.type: must be text, json_object or json_schema");
  }
  const auto own = format.find("json_schema");
  if (own == format.end() || !own->is_object() || !own->contains("schema")) {
    refuse(400, "response_format.json_schema.schema: is missing");
  }
  return {Kind::json_schema, (*own)["schema"].dump(), "response_format.json_schema.schema"};
}

// guided_json is a schema, or a schema as text.
OutputFormat guided_json(const Fields& fields) {
  const bool as_text = fields.values()["guided_json"].is_string();
  return {Kind::json_schema,
          as_text ? fields.text("guided_json") : fields.text_in_order("guided_json"),
          "guided_json"};
}

OutputFormat requested_format(const Fields& fields) {
  std::string given;
  for (const char* name : {"response_format", "regex", "guided_regex", "guided_json"}) {
    if (!fields.has(name)) continue;
    if (!given.empty()) refuse(400, "{} and {} cannot be combined", given, name);
    given = name;
  }
  if (given == "response_format") return response_format(fields);
  if (given == "guided_json") return guided_json(fields);
  return given.empty() ? OutputFormat() : OutputFormat{Kind::regex, fields.text(given), given};
}

}  // namespace

std::shared_ptr<const OutputConstraint> requested_constraint(
    const Fields& fields, const ServedLanguageModel& model,
    const std::vector<std::string>& closings) {
  const OutputFormat format = requested_format(fields);
  try {
    return model.constraints.of(format, closings);
  } catch (const Error& error) {
    refuse(400, "{}", error.what());
  }
}

}  // namespace calque
