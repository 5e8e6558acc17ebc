#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "catena/dataset/convert.h"
#include "catena/dataset/dataset_mixin.h"
#include "catena/dataset/iterator.h"

// Shared by the tests of iterators.
namespace catena::iterators {

// Examples (i, i * i), with an optional callback when one is read.
class Generated final : public dataset::DatasetMixin {
 public:
  using OnRead = std::function<void(int64_t)>;
  explicit Generated(int64_t size, OnRead on_read = nullptr)
      : size_(size), on_read_(std::move(on_read)) {}
  int64_t size() const override { return size_; }
  dataset::Example get_example(int64_t i) const override {
    if (on_read_) on_read_(i);
    return {i, static_cast<float>(i * i)};
  }

 private:
  int64_t size_;
  OnRead on_read_;
};

using Values = std::vector<int64_t>;

inline Values values_of(const dataset::NextBatch& batch) {
  if (!batch) return {};
  return dataset::concat_examples(*batch)[0].to_vector<int64_t>();
}

// The result of next(), and the state of the iterator after it.
struct Step {
  explicit Step(dataset::Iterator& iterator)
      : values(values_of(iterator.next())),
        epoch(iterator.epoch()),
        epoch_detail(iterator.epoch_detail()),
        previous(iterator.previous_epoch_detail()),
        is_new_epoch(iterator.is_new_epoch()) {}
  bool operator==(const Step&) const = default;

  Values values;
  int64_t epoch;
  double epoch_detail;
  std::optional<double> previous;
  bool is_new_epoch;
};

// Expects that the next `count` steps of both are equal.
inline void expect_same_steps(dataset::Iterator& a, dataset::Iterator& b,
                              int count) {
  for (int i = 0; i < count; ++i) {
    const Step expected(b);
    const Step actual(a);
    ASSERT_EQ(actual.values, expected.values) << "step " << i;
    ASSERT_EQ(actual, expected) << "step " << i;
  }
}

}  // namespace catena::iterators
