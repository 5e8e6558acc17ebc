#pragma once

#include <concepts>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "catena/array/array.h"
#include "catena/array/creation.h"

namespace catena::dataset {

// One array of an example; a number becomes a 0-d array of the matching dtype.
class Field {
 public:
  Field(Array array) : array_(std::move(array)) {}
  template <Element T>
  Field(T number)
      : array_(array::full({}, number, dtype_of<T>, native_device())) {}

  const Array& array() const& { return array_; }
  Array array() && { return std::move(array_); }

 private:
  Array array_;
};

// An element of a dataset: an ordered list of arrays (such as an image and its
// label), which may have names, as in a Python dict. A minibatch has the same
// form, with one more leading axis.
class Example {
 public:
  using Fields = absl::InlinedVector<Array, 2>;
  using Names = std::shared_ptr<const std::vector<std::string>>;

  Example() = default;
  // Example{image, 3}.
  Example(std::initializer_list<Field> fields);
  // ValueError unless there is a name for each array or no names at all.
  explicit Example(Fields fields, Names names = nullptr);

  int64_t size() const { return static_cast<int64_t>(fields_.size()); }
  // IndexError; negative indices count from the end.
  const Array& operator[](std::integral auto index) const& {
    return at(static_cast<int64_t>(index));
  }
  Array operator[](std::integral auto index) && {
    return at(static_cast<int64_t>(index));
  }
  // ValueError, listing the existing names, when there is no such name.
  const Array& operator[](std::string_view name) const&;
  Array operator[](std::string_view name) && {
    return std::as_const(*this)[name];
  }
  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }

  const Fields& fields() const& { return fields_; }
  Fields fields() && { return std::move(fields_); }
  // Null for examples without names.
  const Names& names() const& { return names_; }
  Names names() && { return std::move(names_); }
  // The name of a field in error messages: "field 0" or "field 'x'".
  std::string label(int64_t index) const;

 private:
  const Array& at(int64_t index) const;

  Fields fields_;
  Names names_;
};

// Whether both have the same names in the same order, or no names.
bool same_names(const Example::Names& a, const Example::Names& b);

}  // namespace catena::dataset
