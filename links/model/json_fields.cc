#include "catena/links/model/json_fields.h"

#include <algorithm>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/array/io/byte_source.h"
#include "catena/serializers/json_text.h"

namespace catena::links {
namespace {

using array::quote;
using nlohmann::json;
using serializers::JsonField;

constexpr int64_t kMaxBytes = 16 << 20;
constexpr int kMaxDepth = 8;

}  // namespace

JsonFields JsonFields::read(const std::string& path, const LoadLimits& limits) {
  const array::ByteSource source =
      array::ByteSource::open(path, "load_pretrained", limits);
  if (source.size() > kMaxBytes) {
    raise<IoError>(source.where(), ": expected at most ", kMaxBytes,
                   " bytes, got ", source.size());
  }
  std::string text(static_cast<size_t>(source.size()), '\0');
  source.read(0, text);
  serializers::JsonFaults faults;
  nlohmann::ordered_json json;
  // The parser would take a zero for the end.
  if (text.find('\0') == std::string::npos) {
    json = serializers::parse_json(text, kMaxDepth, faults);
  }
  if (faults.is_deep || faults.has_doubles || !json.is_object()) {
    raise<IoError>(source.where(), ": expected a JSON object, got ",
                   faults.is_deep       ? "deeper nesting"
                   : faults.has_doubles ? "two entries of one name"
                                        : "something else");
  }
  return {std::move(json), source.where()};
}

void JsonFields::fail(const std::string& name,
                      std::string_view expected) const {
  root_[name].refuse(expected);
}

bool JsonFields::has(const std::string& name) const {
  return !root_[name].is_null();
}

JsonField JsonFields::asked(const std::string& name) {
  asked_.insert(name);
  return root_[name];
}

std::optional<JsonFields> JsonFields::object(const std::string& name) {
  const JsonField field = asked(name);
  if (field.is_null()) return std::nullopt;
  if (!field.value().is_object()) field.refuse("an object");
  return JsonFields(field.value(), str(where_, ": ", name));
}

int64_t JsonFields::size(const std::string& name) {
  return asked(name).whole_number(1);
}

std::optional<int64_t> JsonFields::optional_size(const std::string& name) {
  const JsonField field = asked(name);
  if (field.is_null()) return std::nullopt;
  return field.whole_number(1);
}

double JsonFields::number(const std::string& name, double otherwise) {
  return optional_number(name).value_or(otherwise);
}

std::optional<double> JsonFields::optional_number(const std::string& name) {
  const JsonField field = asked(name);
  if (field.is_null()) return std::nullopt;
  return field.number();
}

bool JsonFields::flag(const std::string& name, bool otherwise) {
  return asked(name).boolean_or(otherwise);
}

std::optional<std::string> JsonFields::optional_text(const std::string& name) {
  const JsonField field = asked(name);
  if (field.is_null()) return std::nullopt;
  return field.text();
}

std::vector<std::string> JsonFields::texts(const std::string& name) {
  const JsonField field = asked(name);
  std::vector<std::string> result;
  if (field.is_null()) return result;
  for (const JsonField& entry : field.elements()) {
    result.push_back(entry.text());
  }
  return result;
}

std::vector<int32_t> JsonFields::ids(const std::string& name) {
  const JsonField field = asked(name);
  if (field.is_null()) return {};
  if (!field.value().is_array()) return {field.whole_number()};
  std::vector<int32_t> result;
  for (const JsonField& entry : field.elements()) {
    result.push_back(entry.whole_number());
  }
  return result;
}

std::optional<int64_t> JsonFields::count(const std::string& name) {
  const JsonField field = asked(name);
  if (field.is_null()) return std::nullopt;
  return std::ssize(field.fields());
}

void JsonFields::expect(const std::string& name,
                        std::initializer_list<json> values) {
  const JsonField field = asked(name);
  if (field.is_null() ||
      std::find(values.begin(), values.end(), field.value()) != values.end()) {
    return;
  }
  std::string expected;
  for (const json& allowed : values) {
    if (!expected.empty()) expected += " or ";
    expected += allowed.dump();
  }
  field.refuse(expected);
}

void JsonFields::ignore(std::initializer_list<const char*> names) {
  asked_.insert(names.begin(), names.end());
}

void JsonFields::ignore(const std::set<std::string>& names) {
  asked_.insert(names.begin(), names.end());
}

void JsonFields::refuse_rest() const {
  std::string unknown;
  for (const auto& [name, value] : json_->items()) {
    if (asked_.contains(name)) continue;
    if (!unknown.empty()) unknown += ", ";
    unknown += quote(name);
  }
  if (unknown.empty()) return;
  raise<IoError>(where_, ": expected only fields that are known, got ",
                 unknown);
}

}  // namespace catena::links
