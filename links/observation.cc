#include "catena/links/observation.h"

#include <algorithm>

#include "catena/array/core/error.h"
#include "catena/array/core/name_list.h"

namespace catena {

bool ObservedValue::is_scalar() const {
  if (kind_ == Kind::kInteger || kind_ == Kind::kDouble) return true;
  const Array data = array();
  return data.defined() && data.ndim() == 0;
}

double ObservedValue::as_double() const {
  if (kind_ == Kind::kDouble) return double_;
  if (const int64_t* number = integer()) return static_cast<double>(*number);
  const Array data = array();
  if (!data.defined() || data.ndim() != 0) {
    raise<ValueError>("ObservedValue::as_double: expected a number, got ",
                      data.defined()
                          ? "an array of shape " + to_string(data.shape())
                          : std::string("an undefined array"));
  }
  return data.item<double>();
}

Array ObservedValue::array() const {
  if (kind_ == Kind::kArray) return array_;
  return variable_.defined() ? variable_.data() : Array();
}

Observation::Observation(std::initializer_list<Entry> entries) {
  entries_.reserve(entries.size());
  for (const auto& [name, value] : entries) set(name, value);
}

void Observation::set(std::string_view name, ObservedValue value) {
  const auto it = std::ranges::find(entries_, name, &Entry::first);
  if (it == entries_.end()) {
    entries_.emplace_back(name, std::move(value));
  } else {
    it->second = std::move(value);
  }
}

void Observation::update(const Observation& other) {
  for (const auto& [name, value] : other) set(name, value);
}

const ObservedValue* Observation::find(std::string_view name) const {
  const auto it = std::ranges::find(entries_, name, &Entry::first);
  return it == entries_.end() ? nullptr : &it->second;
}

const ObservedValue& Observation::operator[](std::string_view name) const& {
  if (const ObservedValue* value = find(name)) return *value;
  array::throw_unknown_name("Observation", "an entry",
                            array::names_of(entries_), name);
}

}  // namespace catena
