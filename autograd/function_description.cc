#include "catena/autograd/function_description.h"

#include <type_traits>

namespace catena {

OptionValue::OptionValue(const OptionValue& other) = default;
OptionValue::OptionValue(OptionValue&& other) noexcept = default;
OptionValue& OptionValue::operator=(const OptionValue& other) {
  return *this = OptionValue(other);
}
OptionValue& OptionValue::operator=(OptionValue&& other) noexcept = default;
OptionValue::~OptionValue() = default;

std::string OptionValue::to_string() const {
  return std::visit(
      []<class T>(const T& value) -> std::string {
        if constexpr (std::is_same_v<T, std::monostate>) {
          return "none";
        } else if constexpr (std::is_same_v<T, bool>) {
          return value ? "true" : "false";
        } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
          std::string text;
          for (const int64_t number : value) {
            text += str(text.empty() ? "" : ", ", number);
          }
          return str("[", text, "]");
        } else if constexpr (std::is_same_v<T, Array>) {
          return str(value.dtype(), " ", value.shape());
        } else {
          return str(value);
        }
      },
      value_);
}

const OptionValue* FunctionDescription::find(std::string_view option) const {
  for (const auto& [name, value] : options_) {
    if (name == option) return &value;
  }
  return nullptr;
}

std::string FunctionDescription::to_string() const {
  std::string text;
  for (const auto& [name, value] : options_) {
    if (!text.empty()) text += ", ";
    text += str(name, "=", value.to_string());
  }
  return text;
}

void FunctionDescription::raise_missing(std::string_view option) const {
  raise<ValueError>("FunctionDescription: expected an option '", option,
                    "' of the type that is asked for, got ",
                    options_.empty() ? "no options" : to_string());
}

}  // namespace catena
