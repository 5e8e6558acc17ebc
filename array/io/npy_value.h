#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/shape.h"

namespace catena::array {

// An array of UTF-8 strings in C order; 0-d for a single string.
struct NpyString {
  NpyString() = default;
  NpyString(std::string text) : values{std::move(text)} {}
  NpyString(const Shape& shape, std::vector<std::string> values)
      : shape(shape), values(std::move(values)) {}

  friend bool operator==(const NpyString&, const NpyString&) = default;

  Shape shape;
  std::vector<std::string> values = {""};
};

// Python's None, which Chainer saves for a parameter without a value.
struct NpyNone {
  friend bool operator==(NpyNone, NpyNone) { return true; }
};

// The content of a .npy file or of a member of a .npz file.
class NpyValue {
 public:
  NpyValue(Array array) : value_(std::move(array)) {}
  NpyValue(NpyString text) : value_(std::move(text)) {}
  NpyValue(std::string text) : value_(NpyString(std::move(text))) {}
  NpyValue(NpyNone none) : value_(none) {}

  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_text() const { return std::holds_alternative<NpyString>(value_); }
  bool is_none() const { return std::holds_alternative<NpyNone>(value_); }

  // The array, the strings, or the only string. Throw DtypeError if the value
  // is of another kind.
  const Array& array() const&;
  Array array() && { return std::as_const(*this).array(); }
  const NpyString& strings() const&;
  NpyString strings() && { return std::as_const(*this).strings(); }
  const std::string& text() const&;
  std::string text() && { return std::as_const(*this).text(); }

 private:
  std::variant<Array, NpyString, NpyNone> value_;
};

// "an array of dtype float32 and shape (2, 3)", "text of shape ()", "None".
std::string to_string(const NpyValue& value);

}  // namespace catena::array
