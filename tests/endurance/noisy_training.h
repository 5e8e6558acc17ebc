#pragma once

#include <cstdint>

#include "catena/dataset/dataset_mixin.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/noise/dropout.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"

namespace catena::testing {

// Examples (x, t) that are computed when they are read: x is one of two points
// in 8 dimensions plus noise that depends only on the index, t is the index of
// the point. A model can learn it partly.
class MadeUpData final : public dataset::DatasetMixin {
 public:
  static constexpr int64_t kWidth = 8;

  explicit MadeUpData(int64_t size) : size_(size) {}
  int64_t size() const override { return size_; }
  dataset::Example get_example(int64_t i) const override {
    const Array x = array::empty({kWidth}, Dtype::kFloat32, native_device());
    uint64_t noise = static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15u + 1;
    const int32_t t = static_cast<int32_t>(i % 2);
    for (int64_t k = 0; k < kWidth; ++k) {
      noise = noise * 6364136223846793005u + 1442695040888963407u;
      x.data<float>()[k] =
          static_cast<float>(noise >> 40) * 0x1p-23f - 1.0f + 0.5f * t;
    }
    return {x, t};
  }

 private:
  int64_t size_;
};

// A perceptron whose training draws from the device's random generator.
class NoisyMLP : public Chain<NoisyMLP> {
 public:
  NoisyMLP() : l1(this, "l1", 16), l2(this, "l2", 2) {}
  Variable forward(const Variable& x) {
    return l2(functions::dropout(functions::relu(l1(x)), {.ratio = 0.25}));
  }

 private:
  Child<links::Linear> l1, l2;
};

}  // namespace catena::testing
