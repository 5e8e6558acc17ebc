#include "catena/links/model/json_fields.h"

#include <algorithm>
#include <cmath>

#include "catena/array/core/quote.h"
#include "catena/array/io/byte_source.h"
#include "catena/serializers/json_text.h"

namespace catena::links {
namespace {

using array::quote;
using nlohmann::ordered_json;

constexpr int64_t kMaxSize = INT32_MAX;
constexpr int64_t kMaxBytes = 16 << 20;
constexpr int kMaxDepth = 8;

// A whole number from `min` to kMaxSize.
std::optional<int64_t> whole(const ordered_json& value, int64_t min) {
  if (!value.is_number_unsigned()) return std::nullopt;
  const auto number = value.get<uint64_t>();
  if (number > static_cast<uint64_t>(kMaxSize)) return std::nullopt;
  const auto size = static_cast<int64_t>(number);
  return size >= min ? std::optional(size) : std::nullopt;
}

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
  ordered_json json;
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
  const auto it = json_.find(name);
  raise<IoError>(where_, ": ", name, ": expected ", expected, ", got ",
                 it == json_.end() ? "nothing" : quote(it->dump()));
}

bool JsonFields::has(const std::string& name) const {
  const auto it = json_.find(name);
  return it != json_.end() && !it->is_null();
}

const ordered_json* JsonFields::find(const std::string& name) {
  asked_.insert(name);
  return has(name) ? &json_[name] : nullptr;
}

std::optional<JsonFields> JsonFields::object(const std::string& name) {
  const ordered_json* const value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_object()) fail(name, "an object");
  return JsonFields(*value, str(where_, ": ", name));
}

int64_t JsonFields::size(const std::string& name) {
  const std::optional<int64_t> size = optional_size(name);
  if (!size) fail(name, "a whole number");
  return *size;
}

std::optional<int64_t> JsonFields::optional_size(const std::string& name) {
  const ordered_json* const value = find(name);
  if (value == nullptr) return std::nullopt;
  const std::optional<int64_t> size = whole(*value, 1);
  if (!size) fail(name, str("a whole number from 1 to ", kMaxSize));
  return size;
}

double JsonFields::number(const std::string& name, double otherwise) {
  return optional_number(name).value_or(otherwise);
}

std::optional<double> JsonFields::optional_number(const std::string& name) {
  const ordered_json* const value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number() || !std::isfinite(value->get<double>())) {
    fail(name, "a finite number");
  }
  return value->get<double>();
}

bool JsonFields::flag(const std::string& name, bool otherwise) {
  const ordered_json* const value = find(name);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) fail(name, "true or false");
  return value->get<bool>();
}

std::optional<std::string> JsonFields::optional_text(const std::string& name) {
  const ordered_json* const value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) fail(name, "text");
  return value->get<std::string>();
}

std::vector<std::string> JsonFields::texts(const std::string& name) {
  const ordered_json* const value = find(name);
  if (value == nullptr) return {};
  if (!value->is_array()) fail(name, "a list of texts");
  std::vector<std::string> result;
  for (const ordered_json& entry : *value) {
    if (!entry.is_string()) fail(name, "a list of texts");
    result.push_back(entry.get<std::string>());
  }
  return result;
}

std::vector<int32_t> JsonFields::ids(const std::string& name) {
  const ordered_json* const value = find(name);
  if (value == nullptr) return {};
  std::vector<int32_t> result;
  for (const ordered_json& entry :
       value->is_array() ? *value : ordered_json::array({*value})) {
    const std::optional<int64_t> id = whole(entry, 0);
    if (!id) fail(name, str("whole numbers from 0 to ", kMaxSize));
    result.push_back(static_cast<int32_t>(*id));
  }
  return result;
}

std::optional<int64_t> JsonFields::count(const std::string& name) {
  const ordered_json* const value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_object()) fail(name, "an object");
  return static_cast<int64_t>(value->size());
}

void JsonFields::expect(const std::string& name,
                        std::initializer_list<ordered_json> values) {
  const ordered_json* const value = find(name);
  if (value == nullptr ||
      std::find(values.begin(), values.end(), *value) != values.end()) {
    return;
  }
  std::string expected;
  for (const ordered_json& allowed : values) {
    if (!expected.empty()) expected += " or ";
    expected += allowed.dump();
  }
  fail(name, expected);
}

void JsonFields::ignore(std::initializer_list<const char*> names) {
  asked_.insert(names.begin(), names.end());
}

void JsonFields::ignore(const std::set<std::string>& names) {
  asked_.insert(names.begin(), names.end());
}

void JsonFields::refuse_rest() const {
  std::string unknown;
  for (const auto& [name, value] : json_.items()) {
    if (asked_.contains(name)) continue;
    if (!unknown.empty()) unknown += ", ";
    unknown += quote(name);
  }
  if (unknown.empty()) return;
  raise<IoError>(where_, ": expected only fields that are known, got ",
                 unknown);
}

}  // namespace catena::links
