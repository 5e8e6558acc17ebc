#include "catena/autograd/function_description.h"

#include <type_traits>
#include <variant>

namespace catena {

struct OptionValue::Value {
  std::variant<bool, int64_t, double, Dtype, Device, Shape,
               std::vector<int64_t>, std::string, Array>
      of_type;
};

template <class T>
void OptionValue::set(T value) {
  value_ = std::make_shared<const Value>(Value{std::move(value)});
}

OptionValue::OptionValue(bool value) { set(value); }
OptionValue::OptionValue(double value) { set(value); }
OptionValue::OptionValue(Dtype value) { set(value); }
OptionValue::OptionValue(const Shape& value) { set(value); }
OptionValue::OptionValue(Device value) { set(value); }
OptionValue::OptionValue(const std::vector<int64_t>& value) { set(value); }
OptionValue::OptionValue(std::string_view value) { set(std::string(value)); }

OptionValue::OptionValue(Scalar value) {
  if (value.kind() == DtypeKind::kFloat) {
    set(value.as<double>());
  } else {
    set(value.as<int64_t>());
  }
}

OptionValue::OptionValue(const Array& value) {
  if (value.defined()) set(value);
}

OptionValue OptionValue::of_integer(int64_t value) {
  OptionValue result;
  result.set(value);
  return result;
}

template <OptionType T>
const T* OptionValue::get_if() const {
  return value_ == nullptr ? nullptr : std::get_if<T>(&value_->of_type);
}

template const bool* OptionValue::get_if() const;
template const int64_t* OptionValue::get_if() const;
template const double* OptionValue::get_if() const;
template const Dtype* OptionValue::get_if() const;
template const Device* OptionValue::get_if() const;
template const Shape* OptionValue::get_if() const;
template const std::vector<int64_t>* OptionValue::get_if() const;
template const std::string* OptionValue::get_if() const;
template const Array* OptionValue::get_if() const;

std::string OptionValue::to_string() const {
  if (is_none()) return "none";
  return std::visit(
      []<class T>(const T& value) -> std::string {
        if constexpr (std::is_same_v<T, bool>) {
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
      value_->of_type);
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
