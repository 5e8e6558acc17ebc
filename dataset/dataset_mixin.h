#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/dataset/example.h"

namespace catena::dataset {

// The base class of datasets, which define size() and get_example(). Both must
// be thread-safe.
//
//   class Squares : public dataset::DatasetMixin {
//    public:
//     int64_t size() const override { return 100; }
//     Example get_example(int64_t i) const override { return {i, i * i}; }
//   };
class DatasetMixin {
 public:
  virtual ~DatasetMixin() = default;

  virtual int64_t size() const = 0;
  // The example at an index in [0, size()).
  virtual Example get_example(int64_t i) const = 0;
  // The examples at these indices (1-d, int64, each in [0, size())) with their
  // arrays stacked, for datasets that can read them faster than one by one.
  virtual std::optional<Example> gather(const Array& /*indices*/) const {
    return std::nullopt;
  }

  // One example, or those in a slice, or those at some indices. Negative
  // indices count from the end. Throws IndexError when an index is outside the
  // dataset.
  Example operator[](std::integral auto index) const {
    return at(static_cast<int64_t>(index));
  }
  std::vector<Example> operator[](const Slice& slice) const;
  std::vector<Example> operator[](std::span<const int64_t> indices) const;

 private:
  Example at(int64_t index) const;
};

template <class D>
concept DatasetType = std::derived_from<std::decay_t<D>, DatasetMixin>;

namespace internal {

template <class T>
inline constexpr bool is_tuple_of_fields = false;
template <class... Ts>
inline constexpr bool is_tuple_of_fields<std::tuple<Ts...>> =
    (std::convertible_to<Ts, Field> && ...);
template <class T, class U>
inline constexpr bool is_tuple_of_fields<std::pair<T, U>> =
    is_tuple_of_fields<std::tuple<T, U>>;

}  // namespace internal

// What an example can be in a vector that is a dataset: an Example; one field,
// which is an array, a number or a vector of numbers; a pair or tuple of them.
template <class T>
concept ExampleLike = std::same_as<T, Example> ||
    std::convertible_to<T, Field> || internal::is_tuple_of_fields<T>;

// A handle to a dataset of any type, used by iterators and dataset views;
// copies share the dataset, as in Python. Converting a dataset to a Dataset
// copies it (which is cheap for datasets made of arrays) or, with std::move,
// moves it; a shared pointer is shared.
class Dataset {
 public:
  template <DatasetType D>
  Dataset(D&& dataset)
      : dataset_(
            std::make_shared<const std::decay_t<D>>(std::forward<D>(dataset))) {
  }
  // Throws ValueError when null.
  template <DatasetType D>
  Dataset(std::shared_ptr<D> dataset) : dataset_(std::move(dataset)) {
    check_not_null();
  }
  // The slices of an array along its first axis. Throws ShapeError for 0-d.
  Dataset(const Array& array);
  // The elements of a vector, whose shapes may differ. Like other datasets it
  // is copied (arrays share their memory) or, with std::move, moved.
  template <ExampleLike E>
  Dataset(std::vector<E> examples) : Dataset(of_vector(std::move(examples))) {}

  int64_t size() const { return dataset_->size(); }
  template <class I>
  auto operator[](const I& index) const {
    return (*dataset_)[index];
  }
  const DatasetMixin& operator*() const { return *dataset_; }
  const DatasetMixin* operator->() const { return dataset_.get(); }

 private:
  void check_not_null() const;

  static Dataset of_examples(std::vector<Example> examples);
  template <class E>
  static Dataset of_vector(std::vector<E> elements);

  std::shared_ptr<const DatasetMixin> dataset_;
};

// Types that convert to Dataset: datasets of any type, arrays, and vectors of
// examples.
template <class T>
concept DatasetLike = std::convertible_to<T, Dataset>;

namespace internal {

template <ExampleLike E>
Example example_of(E element) {
  if constexpr (std::convertible_to<E, Field>) {
    return Example{Field(std::move(element))};
  } else {
    return std::apply(
        [](auto&... fields) { return Example{Field(std::move(fields))...}; },
        element);
  }
}

}  // namespace internal

template <class E>
Dataset Dataset::of_vector(std::vector<E> elements) {
  if constexpr (std::same_as<E, Example>) {
    return of_examples(std::move(elements));
  } else if constexpr (Element<E> && !std::same_as<E, bool>) {
    return array::array(elements, std::nullopt, native_device());
  } else {
    std::vector<Example> examples;
    examples.reserve(elements.size());
    for (size_t i = 0; i < elements.size(); ++i) {
      examples.push_back(internal::example_of<E>(std::move(elements[i])));
    }
    return of_examples(std::move(examples));
  }
}

}  // namespace catena::dataset
