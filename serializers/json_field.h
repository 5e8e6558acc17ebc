#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/core/error.h"

namespace catena::serializers {

// A value in a JSON file, with its path for messages: "model.unk_token". What
// is asked of a value that is something else throws IoError. The value must
// outlive this.
class JsonField {
 public:
  JsonField(const nlohmann::json& value, std::string where, std::string path)
      : value_(&value), where_(std::move(where)), path_(std::move(path)) {}

  // An object without other fields than these, which need not be there.
  void check_fields(std::initializer_list<std::string_view> names) const;

  // A field of an object, null if it is not there.
  JsonField operator[](std::string_view name) const;
  // The elements of a list.
  std::vector<JsonField> elements() const;
  // The fields of an object.
  std::vector<std::pair<std::string, JsonField>> fields() const;

  bool is_null() const { return value_->is_null(); }
  const std::string& text() const;
  std::string text_or(std::string_view otherwise) const;
  bool boolean() const;
  bool boolean_or(bool otherwise) const;
  // A whole number from `min`, at least 0, to 2,147,483,647.
  int32_t whole_number(int32_t min = 0) const;
  // A finite number.
  double number() const;

  // Throws that this was expected.
  [[noreturn]] void refuse(std::string_view expected) const;
  // Unless the value is null.
  void expect_null() const;

  const nlohmann::json& value() const { return *value_; }

 private:
  const nlohmann::json* value_;
  std::string where_;  // the operation and the file
  std::string path_;
};

}  // namespace catena::serializers
