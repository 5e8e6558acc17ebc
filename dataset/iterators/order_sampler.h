#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "catena/array/random/random.h"

namespace catena::iterators {

template <class F>
concept OrderFunction = std::is_invocable_r_v<Array, F&, const Array&, int64_t>;
template <class F>
concept RandomOrderFunction =
    std::is_invocable_r_v<Array, F&, const Array&, int64_t,
                          array::random::Generator&>;

// A function that returns the order of the next sweep (1-d, int64, indices into
// the dataset): sampler(order, current_position) or sampler(order,
// current_position, generator), where `order` is that of the last sweep
// (initially 0, 1, 2, ...) and current_position is the position in it at which
// the last minibatch started. All orders must have the same length, which may
// differ from the dataset's.
//
//   // Sweeps that go forth and back.
//   const auto reversed = [](const Array& order, int64_t) {
//     return order[{Slice({}, {}, -1)}];
//   };
//   SerialIterator iterator(dataset, 32, {.order_sampler = reversed});
//
// The generator, on native:0, belongs to the iterator and is saved and loaded
// with it. Other state of a sampler is not saved, so a resumed run may have a
// different order; and an iterator that reads ahead requests orders earlier.
class OrderSampler {
 public:
  OrderSampler() = default;
  OrderSampler(std::nullptr_t) {}
  template <OrderFunction F>
  requires(!RandomOrderFunction<F>) OrderSampler(F function)
      : function_([f = std::move(function)](
                      const Array& order, int64_t position,
                      array::random::Generator&) mutable -> Array {
          return f(order, position);
        }) {}
  template <RandomOrderFunction F>
  OrderSampler(F function) : function_(std::move(function)), is_random_(true) {}

  explicit operator bool() const { return function_ != nullptr; }
  // Whether it takes a generator.
  bool is_random() const { return is_random_; }
  Array operator()(const Array& order, int64_t current_position,
                   array::random::Generator& generator) const {
    return function_(order, current_position, generator);
  }

 private:
  std::function<Array(const Array&, int64_t, array::random::Generator&)>
      function_;
  bool is_random_ = false;
};

// A new random order for each sweep, as with shuffle = true.
struct ShuffleOrderSampler {
  Array operator()(const Array& order, int64_t /*current_position*/,
                   array::random::Generator& generator) const {
    return generator.permutation(order.size());
  }
};

}  // namespace catena::iterators
