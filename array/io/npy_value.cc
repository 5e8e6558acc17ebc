#include "catena/array/io/npy_value.h"

#include "catena/array/core/error.h"

namespace catena::array {

NpyValue::NpyValue(NpyString text)
    : text_(std::make_shared<const NpyString>(std::move(text))) {}

const Array& NpyValue::array() const& {
  if (is_array()) return array_;
  raise<DtypeError>("NpyValue::array: expected an array, got ", *this);
}

const NpyString& NpyValue::strings() const& {
  if (is_text()) return *text_;
  raise<DtypeError>("NpyValue::strings: expected text, got ", *this);
}

const std::string& NpyValue::text() const& {
  if (is_text() && strings().shape.empty()) return strings().values.front();
  raise<DtypeError>("NpyValue::text: expected a single string, got ", *this);
}

std::string to_string(const NpyValue& value) {
  if (value.is_none()) return "None";
  if (value.is_text()) return str("text of shape ", value.strings().shape);
  const Array& a = value.array();
  if (!a.defined()) return "an undefined array";
  return str("an array of dtype ", a.dtype(), " and shape ", a.shape());
}

}  // namespace catena::array
