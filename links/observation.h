#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "catena/autograd/variable.h"

namespace catena {

// One observed value: a number, an array or a variable.
class ObservedValue {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> ObservedValue(T number) {
    if constexpr (std::is_floating_point_v<T>) {
      double_ = static_cast<double>(number);
      kind_ = Kind::kDouble;
    } else {
      integer_ = static_cast<int64_t>(number);
    }
  }
  ObservedValue(Array array) : kind_(Kind::kArray), array_(std::move(array)) {}
  ObservedValue(Variable variable)
      : kind_(Kind::kVariable), variable_(std::move(variable)) {}

  // Whether this is a single number: a number or anything 0-d.
  bool is_scalar() const;
  // The number; waits for an array's device. Throws ValueError for arrays of
  // other shapes.
  double as_double() const;
  // The number if it is an integer, else null.
  const int64_t* integer() const {
    return kind_ == Kind::kInteger ? &integer_ : nullptr;
  }
  // The variable if it is one, else null.
  const Variable* variable() const {
    return kind_ == Kind::kVariable ? &variable_ : nullptr;
  }
  // The array of an array or variable; undefined for numbers.
  Array array() const;

  // How much it counts in the means of summaries.
  double weight() const { return weight_; }
  void set_weight(double weight) { weight_ = weight; }

 private:
  // Not a std::variant, which is slow to compile in every program.
  enum class Kind : unsigned char { kInteger, kDouble, kArray, kVariable };

  Kind kind_ = Kind::kInteger;
  union {
    int64_t integer_ = 0;
    double double_;
  };
  Array array_;        // undefined unless it is one
  Variable variable_;  // undefined unless it is one
  double weight_ = 1;
};

// A value that counts so much in means, as a loss of so many examples:
//   report({{"loss", weighted(loss, x.len())}}, this);
inline ObservedValue weighted(ObservedValue value, double weight) {
  value.set_weight(weight);
  return value;
}

// Observed values by name, in the order the names were first set.
class Observation {
 public:
  using Entry = std::pair<std::string, ObservedValue>;

  Observation() = default;
  Observation(std::initializer_list<Entry> entries);

  // Sets the value of a name.
  void set(std::string_view name, ObservedValue value);
  // Sets all values of `other`.
  void update(const Observation& other);
  // The value of that name, or null.
  const ObservedValue* find(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  // The value of that name. Throws ValueError, listing the existing names, when
  // there is none.
  const ObservedValue& operator[](std::string_view name) const&;
  ObservedValue operator[](std::string_view name) && {
    return std::as_const(*this)[name];
  }
  void clear() { entries_.clear(); }

  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  // There are few entries, so a linear search beats a map.
  std::vector<Entry> entries_;
};

}  // namespace catena
