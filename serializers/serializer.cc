#include "catena/serializers/serializer.h"

#include <cmath>

#include "catena/array/aliasing.h"
#include "catena/array/core/error.h"
#include "catena/array/core/name_list.h"

namespace catena {

std::string describe(const SerializedValue& value) {
  if (const Array* array = std::get_if<Array>(&value)) {
    return str(array->dtype(), " of shape ", array->shape());
  }
  return std::holds_alternative<std::string>(value) ? "text" : "none";
}

Serializer::Serializer(SerializerBackend& backend)
    : backend_(&backend),
      assignments_(std::make_shared<std::vector<std::function<void()>>>()) {}

Serializer Serializer::operator[](std::string_view key) const {
  Serializer child = *this;
  child.path_ = path_of(key) + "/";
  return child;
}

std::string Serializer::path_of(std::string_view key) const {
  // Paths of parameters begin with a slash, keys in files do not.
  if (key.starts_with('/')) key.remove_prefix(1);
  return path_ + std::string(key);
}

void Serializer::fail(std::string_view key, std::string_view expected,
                      std::string_view actual) const {
  raise<IoError>("load: ", backend_->name(), ": ", path_of(key), ": expected ",
                 expected, ", got ", actual);
}

void Serializer::write(std::string_view key, SerializedValue value) const {
  backend_->write(path_of(key), std::move(value));
}

const SerializedValue* Serializer::read(std::string_view key) const {
  const std::string path = path_of(key);
  const SerializedValue* value = backend_->read(path);
  if (value == nullptr && backend_->is_strict(path)) {
    const std::vector<std::string> keys = backend_->keys();
    fail(key, "an entry",
         keys.empty() ? "none with that name"
                      : "none with that name; the entries are " +
                            array::list_names(keys, path));
  }
  return value;
}

bool Serializer::contains(std::string_view key) const {
  return !is_writer() && backend_->read(path_of(key)) != nullptr;
}

void Serializer::on_commit(std::function<void()> assignment) const {
  assignments_->push_back(std::move(assignment));
}

void Serializer::commit() const {
  for (const auto& assignment : *assignments_) assignment();
  assignments_->clear();
}

void Serializer::write_number(std::string_view key, Scalar value) const {
  Array number = array::empty({}, value.dtype(), native_device());
  number.fill(value);
  write(key, std::move(number));
}

std::optional<Scalar> Serializer::read_number(std::string_view key,
                                              Dtype dtype) const {
  const SerializedValue* value = read(key);
  if (value == nullptr) return std::nullopt;
  const Array* number = std::get_if<Array>(value);
  if (number == nullptr || number->size() != 1) {
    fail(key, "a number", describe(*value));
  }
  const Scalar scalar = number->item_as_scalar();
  const bool whole = scalar.kind() != DtypeKind::kFloat ||
                     std::trunc(scalar.as<double>()) == scalar.as<double>();
  if (!is_floating(dtype) && !whole) {
    fail(key, "a whole number", message_text(scalar.as<double>()));
  }
  try {
    char item[8];
    scalar.store(item, dtype, "load");
  } catch (const DtypeError&) {
    fail(key, str("a number that ", dtype, " can hold"), to_string(scalar));
  }
  return scalar;
}

void Serializer::operator()(std::string_view key, std::string& value) const {
  if (is_writer()) return write(key, value);
  const SerializedValue* entry = read(key);
  if (entry == nullptr) return;
  const auto* text = std::get_if<std::string>(entry);
  if (text == nullptr) fail(key, "text", describe(*entry));
  on_commit([&value, copy = *text]() mutable { value = std::move(copy); });
}

void Serializer::operator()(std::string_view key, Array& value) const {
  if (is_writer()) {
    return write(key,
                 value.defined() ? SerializedValue(value) : SerializedValue());
  }
  const SerializedValue* entry = read(key);
  if (entry == nullptr || std::holds_alternative<std::monostate>(*entry)) {
    return;
  }
  const Array* loaded = std::get_if<Array>(entry);
  if (loaded == nullptr) fail(key, "an array", describe(*entry));
  if (!value.defined()) {
    on_commit([&value, copy = *loaded] { value = copy; });
    return;
  }
  const bool same_kind = kind_of(loaded->dtype()) <= kind_of(value.dtype());
  if (loaded->shape() != value.shape() || !same_kind) {
    fail(key, describe(SerializedValue(value)), describe(*entry));
  }
  // Whatever takes memory comes before the first assignment.
  array::check_writable(value, "load");
  const Array ready = loaded->to_device(value.device());
  on_commit([target = value, ready] { target.assign(ready); });
}

}  // namespace catena
