#include "catena/serializers/json_field.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/array/core/quote.h"

namespace catena::serializers {

using nlohmann::json;

namespace {

// The value of fields that are not there.
const json& nothing() {
  static const json null;
  return null;
}

std::string text_of(const json& value) {
  return array::quote(
      value.dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace

void JsonField::check_fields(
    std::initializer_list<std::string_view> names) const {
  if (!value_->is_object()) refuse("an object");
  for (const auto& [name, value] : value_->items()) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    raise<IoError>(where_, ": ", path_, path_.empty() ? "" : ".",
                   array::quote(name), ": expected no such field, got ",
                   text_of(value));
  }
}

JsonField JsonField::operator[](std::string_view name) const {
  const auto found = value_->find(std::string(name));
  return {found == value_->end() ? nothing() : *found, where_,
          str(path_, path_.empty() ? "" : ".", name)};
}

std::vector<JsonField> JsonField::elements() const {
  if (!value_->is_array()) refuse("a list");
  std::vector<JsonField> result;
  for (const json& element : *value_) {
    result.emplace_back(element, where_, str(path_, "[", result.size(), "]"));
  }
  return result;
}

std::vector<std::pair<std::string, JsonField>> JsonField::fields() const {
  if (!value_->is_object()) refuse("an object");
  std::vector<std::pair<std::string, JsonField>> result;
  for (const auto& [name, value] : value_->items()) {
    result.emplace_back(
        name, JsonField(value, where_, str(path_, ".", array::quote(name))));
  }
  return result;
}

const std::string& JsonField::text() const {
  if (!value_->is_string()) refuse("text");
  return value_->get_ref<const std::string&>();
}

std::string JsonField::text_or(std::string_view otherwise) const {
  return is_null() ? std::string(otherwise) : text();
}

bool JsonField::boolean() const {
  if (!value_->is_boolean()) refuse("true or false");
  return value_->get<bool>();
}

bool JsonField::boolean_or(bool otherwise) const {
  return is_null() ? otherwise : boolean();
}

int32_t JsonField::whole_number(int32_t min) const {
  constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
  const bool is_whole = value_->is_number_unsigned() &&
                        value_->get<uint64_t>() <= kMost &&
                        value_->get<int32_t>() >= min;
  if (!is_whole) refuse(str("a whole number from ", min, " to ", kMost));
  return value_->get<int32_t>();
}

double JsonField::number() const {
  if (!value_->is_number() || !std::isfinite(value_->get<double>())) {
    refuse("a finite number");
  }
  return value_->get<double>();
}

void JsonField::refuse(std::string_view expected) const {
  raise<IoError>(where_, ": ", path_.empty() ? "the whole" : path_,
                 ": expected ", expected, ", got ",
                 value_ == &nothing() ? "nothing" : text_of(*value_));
}

void JsonField::expect_null() const {
  if (!is_null()) refuse("null");
}

}  // namespace catena::serializers
