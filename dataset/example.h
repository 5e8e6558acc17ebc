#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "catena/array/array.h"
#include "catena/array/creation.h"

namespace catena::dataset {

// A field of an example or a minibatch: an array, or a list of arrays. A
// minibatch has a list where its examples have different shapes. A number
// becomes a 0-d array of the matching dtype, a vector of numbers a 1-d array.
class Field {
 public:
  Field(Array array) : array_(std::move(array)) {}
  template <Element T>
  Field(T number)
      : array_(array::full({}, number, dtype_of<T>, native_device())) {}
  template <Element T>
  requires(!std::same_as<T, bool>) Field(const std::vector<T>& numbers)
      : array_(array::array(numbers, std::nullopt, native_device())) {}
  Field(std::vector<Array> list)
      : list_(std::make_shared<const std::vector<Array>>(std::move(list))) {}

  bool is_list() const { return list_ != nullptr; }
  // Throws ValueError when it is a list.
  const Array& array() const& {
    if (is_list()) [[unlikely]]
      throw_wrong_form("this field");
    return array_;
  }
  Array array() && { return std::as_const(*this).array(); }
  operator const Array&() const& { return array(); }
  // Throws ValueError when it is an array.
  const std::vector<Array>& list() const& {
    if (!is_list()) [[unlikely]]
      throw_wrong_form("this field");
    return *list_;
  }
  std::vector<Array> list() && { return std::as_const(*this).list(); }

 private:
  friend class Example;

  // Throws a ValueError that says what was expected there: the other form.
  [[noreturn]] void throw_wrong_form(std::string_view label) const;

  Array array_;  // undefined when it is a list
  std::shared_ptr<const std::vector<Array>> list_;
};

// An element of a dataset: an ordered list of fields (such as an image and its
// label), which may have names, as in a Python dict. A minibatch has the same
// form; its arrays have one more leading axis.
class Example {
 public:
  using Fields = absl::InlinedVector<Field, 2>;
  using Names = std::shared_ptr<const std::vector<std::string>>;

  Example() = default;
  // Example{image, 3}.
  Example(std::initializer_list<Field> fields)
      : fields_(fields.begin(), fields.end()) {}
  // Throws ValueError unless there is a name for each field or no names at all.
  explicit Example(Fields fields, Names names = nullptr);

  int64_t size() const { return static_cast<int64_t>(fields_.size()); }
  // The array of a field. Throws IndexError for an index outside; negative
  // indices count from the end. Throws ValueError, listing the existing names,
  // when there is no such name. Throws ValueError when the field is a list.
  const Array& operator[](std::integral auto index) const& {
    return array_at(index_of(static_cast<int64_t>(index)));
  }
  Array operator[](std::integral auto index) && {
    return array_at(index_of(static_cast<int64_t>(index)));
  }
  const Array& operator[](std::string_view name) const& {
    return array_at(index_of(name));
  }
  Array operator[](std::string_view name) && {
    return std::as_const(*this)[name];
  }
  // The arrays of a field that is a list. Throws the same errors when there is
  // no such field, and ValueError when the field is an array.
  const std::vector<Array>& list(std::integral auto index) const& {
    return list_at(index_of(static_cast<int64_t>(index)));
  }
  std::vector<Array> list(std::integral auto index) && {
    return list_at(index_of(static_cast<int64_t>(index)));
  }
  const std::vector<Array>& list(std::string_view name) const& {
    return list_at(index_of(name));
  }
  std::vector<Array> list(std::string_view name) && {
    return list_at(index_of(name));
  }
  // The position of a field. Throws the same errors when there is no such
  // field.
  int64_t index_of(int64_t index) const;
  int64_t index_of(std::string_view name) const;

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
  const Array& array_at(int64_t index) const;
  const std::vector<Array>& list_at(int64_t index) const;

  Fields fields_;
  Names names_;
};

// Whether both have the same names in the same order, or no names.
bool same_names(const Example::Names& a, const Example::Names& b);

}  // namespace catena::dataset

// `auto [x, t] = concat_examples(batch)` does not compile: the number of fields
// is known at run time only.
template <class T>
requires std::same_as<T, catena::dataset::Example>
struct std::tuple_size<T> {
  static_assert(sizeof(T) == 0,
                "an Example has as many fields as its data set: write `const "
                "auto batch = concat_examples(...);`, then `batch[0]` and "
                "`batch[1]`");
};
