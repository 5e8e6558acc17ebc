#pragma once

#include <memory>
#include <string>
#include <utility>
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
  NpyValue(Array array) : array_(std::move(array)) {}
  NpyValue(NpyString text);
  NpyValue(std::string text) : NpyValue(NpyString(std::move(text))) {}
  NpyValue(NpyNone) : is_none_(true) {}

  bool is_array() const { return !is_text() && !is_none(); }
  bool is_text() const { return text_ != nullptr; }
  bool is_none() const { return is_none_; }

  // The array, the strings, or the only string. Throw DtypeError when the value
  // is of another kind.
  const Array& array() const&;
  Array array() && { return std::as_const(*this).array(); }
  const NpyString& strings() const&;
  NpyString strings() && { return std::as_const(*this).strings(); }
  const std::string& text() const&;
  std::string text() && { return std::as_const(*this).text(); }

 private:
  Array array_;
  std::shared_ptr<const NpyString> text_;
  bool is_none_ = false;
};

// "an array of dtype float32 and shape (2, 3)", "text of shape ()", "None".
std::string to_string(const NpyValue& value);

}  // namespace catena::array
