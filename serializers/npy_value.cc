#include "catena/serializers/npy_value.h"

#include <string>
#include <utility>
#include <variant>

namespace catena::serializers {

array::NpyValue to_npy_value(SerializedValue value) {
  if (auto* array = std::get_if<Array>(&value)) {
    if (array->dtype() == Dtype::kBFloat16) {
      return array->astype(Dtype::kFloat32);
    }
    return std::move(*array);
  }
  if (auto* text = std::get_if<std::string>(&value)) return std::move(*text);
  return array::NpyNone();
}

SerializedValue from_npy_value(const array::NpyValue& value) {
  if (value.is_array()) return value.array();
  if (value.is_text()) return value.text();
  return std::monostate();
}

}  // namespace catena::serializers
