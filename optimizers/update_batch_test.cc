#include "catena/optimizers/update_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "catena/array/core/captured_work.h"
#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/optimizers/copy_ops.h"
#include "catena/optimizers/hook_ops.h"
#include "catena/optimizers/sgd.h"
#include "catena/optimizers/sgd_ops.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::optimizers {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::testing::HasSubstr;

class UpdateBatchTest : public ::catena::testing::DeviceTest {
 protected:
  Array normal(const Shape& shape, Dtype dtype = Dtype::kFloat32) const {
    return array::random::normal(0, 1, shape, Dtype::kFloat32, native_device())
        .astype(dtype)
        .to_device(device());
  }
};

// The operands of one update by momentum, twice over.
struct Operands {
  Array grad, param, v;
  Array expected_param, expected_v;
};

TEST_P(UpdateBatchTest, ManyArraysBecomeWhatEachBecomesAlone) {
  const MomentumSGDOp op{0.1, 0.9};
  for (const Dtype dtype :
       {Dtype::kFloat16, Dtype::kBFloat16, Dtype::kFloat32, Dtype::kFloat64}) {
    std::vector<Operands> all;
    const auto add = [&](const Array& grad, const Array& param,
                         const Array& v) {
      all.push_back({grad, param, v, param.copy(), v.copy()});
      UpdateBatch alone;
      alone.add(op, {grad}, {all.back().expected_param, all.back().expected_v});
      alone.run();
    };
    for (int64_t i = 0; i < 140; ++i) {
      const Shape shape{1 + i * i % 997};
      add(normal(shape, dtype), normal(shape, dtype), normal(shape, dtype));
    }
    for (const int64_t size : {40000, 100001, 0, 3}) {
      const Shape shape{size};
      add(normal(shape, dtype), normal(shape, dtype), normal(shape, dtype));
    }
    UpdateBatch batch;
    for (const Operands& each : all) {
      batch.add(op, {each.grad}, {each.param, each.v});
    }
    batch.run();
    for (const Operands& each : all) {
      SCOPED_TRACE(each.grad.size());
      ASSERT_THAT(each.param.to_device(native_device()),
                  IsArray(each.expected_param.to_device(native_device())));
      ASSERT_THAT(each.v.to_device(native_device()),
                  IsArray(each.expected_v.to_device(native_device())));
    }
  }
}

// Their operands differ in dtype.
TEST_P(UpdateBatchTest, CopiesAreWhatCastsMake) {
  for (const Dtype dtype : {Dtype::kFloat16, Dtype::kBFloat16}) {
    std::vector<Array> halves;
    for (int64_t i = 0; i < 70; ++i) halves.push_back(normal({1 + i}, dtype));
    halves.push_back(normal({40001}, dtype));
    halves.push_back(normal({3, 5}, dtype).T());
    halves.push_back(normal({16}, dtype)[{Slice(1, 16)}]);  // not aligned
    std::vector<Array> wide;
    UpdateBatch batch;
    for (const Array& half : halves) {
      wide.push_back(array::empty(half.shape(), Dtype::kFloat32, device()));
      batch.add(WidenOp{0.3}, {half}, {wide.back()});
    }
    batch.run();
    for (size_t i = 0; i < halves.size(); ++i) {
      SCOPED_TRACE(i);
      ASSERT_THAT(wide[i], IsArray(halves[i].astype(Dtype::kFloat32) * 0.3));
      batch.add(NarrowOp(), {wide[i]}, {halves[i]});
    }
    batch.run();
    for (size_t i = 0; i < halves.size(); ++i) {
      SCOPED_TRACE(i);
      ASSERT_THAT(halves[i], IsArray(wide[i].astype(dtype)));
    }
    EXPECT_THAT(error_of<DtypeError>(
                    [&] { batch.add(WidenOp{1}, {halves[0]}, {halves[0]}); }),
                HasSubstr("float32"));
    EXPECT_THAT(error_of<DtypeError>(
                    [&] { batch.add(WidenOp{1}, {wide[0]}, {wide[0]}); }),
                HasSubstr("not offered"));
  }
}

// A functor that is made for every launch, and differs between arrays.
TEST_P(UpdateBatchTest, CapturedFunctorsAreMadeForEachLaunch) {
  if (device().is_native()) GTEST_SKIP() << "the CPU captures nothing";
  for (const Dtype dtype : {Dtype::kFloat16, Dtype::kFloat32}) {
    // Many, a transposed view, one that is not aligned, and one that occurs
    // twice.
    std::vector<Array> params;
    for (int64_t i = 0; i < 70; ++i) params.push_back(normal({1 + i}, dtype));
    params.push_back(normal({3, 5}, dtype).T());
    params.push_back(normal({16}, dtype)[{Slice(1, 16)}]);
    params.push_back(params.front());
    std::vector<Array> grads;
    std::vector<Array> expected;
    for (const Array& param : params) {
      grads.push_back(normal(param.shape(), dtype));
      expected.push_back(param.copy());
    }
    expected.back() = expected.front();
    double lr = 0;
    const auto rate = [&lr](size_t i) {
      return SGDOp{lr * static_cast<double>(i + 1)};
    };
    const auto work = capture_work(device(), [&] {
      UpdateBatch batch;
      for (size_t i = 0; i < params.size(); ++i) {
        batch.add([&rate, i] { return rate(i); }, {grads[i]}, {params[i]});
      }
      batch.run();
    });
    for (const double now : {0.5, -0.25}) {
      lr = now;
      work->launch();
      for (size_t i = 0; i < params.size(); ++i) {
        UpdateBatch alone;
        alone.add(rate(i), {grads[i]}, {expected[i]});
        alone.run();
      }
      for (size_t i = 0; i < params.size(); ++i) {
        SCOPED_TRACE(i);
        ASSERT_THAT(params[i], IsArray(expected[i]));
      }
    }
  }
}

TEST_P(UpdateBatchTest, LayoutsMayDiffer) {
  const Array grad = normal({5, 3});
  const Array param = normal({3, 5}).T();
  const Array unaligned =
      normal({16})[{Slice(1, 16)}].reshape({5, 3});  // 4 bytes further
  const Array before = param.copy();
  const Array unaligned_before = unaligned.copy();
  UpdateBatch batch;
  batch.add(SGDOp{0.5}, {grad}, {param});
  batch.add(SGDOp{0.5}, {grad}, {unaligned});
  batch.run();
  EXPECT_THAT(param.to_device(native_device()),
              IsArray((before - grad * 0.5).to_device(native_device())));
  EXPECT_THAT(
      unaligned.to_device(native_device()),
      IsArray((unaligned_before - grad * 0.5).to_device(native_device())));
}

TEST_P(UpdateBatchTest, EqualFunctorsRunOnceOnEachArrayOthersAfterThem) {
  const Array x = array::ones({4}, Dtype::kFloat32).to_device(device());
  const Array y = array::ones({4}, Dtype::kFloat32).to_device(device());
  UpdateBatch batch;
  batch.add(ScaleGradientOp{2}, {}, {x});
  batch.add(SGDOp{1}, {y}, {x});
  batch.add(ScaleGradientOp{3}, {}, {y});
  batch.run();
  batch.run();  // nothing is left
  EXPECT_THAT(x.to_device(native_device()),
              IsArray(array::full({4}, 1).astype(Dtype::kFloat32)));
  EXPECT_THAT(y.to_device(native_device()),
              IsArray(array::full({4}, 3).astype(Dtype::kFloat32)));
}

// The CPU then changes a part of all arrays before it comes to the next part.
TEST_P(UpdateBatchTest, SeveralFunctorsGiveWhatTheyGiveOneAfterTheOther) {
  const auto add_all = [](UpdateBatch& batch, const std::vector<Array>& halves,
                          const std::vector<Array>& wide,
                          const std::vector<Array>& params,
                          const std::vector<Array>& v, auto next) {
    const size_t count = halves.size();
    for (size_t i = 0; i < count; ++i) {
      batch.add(WidenOp{0.5}, {halves[i]}, {wide[i]});
    }
    next();
    for (size_t i = 0; i < count; ++i) {
      batch.add(ScaleGradientOp{0.25}, {}, {wide[i]});
    }
    next();
    for (size_t i = 0; i < count; ++i) {  // two functors
      batch.add(MomentumSGDOp{i % 2 == 0 ? 0.1 : 0.2, 0.9}, {wide[i]},
                {params[i], v[i]});
    }
    next();
    for (size_t i = 0; i < count; ++i) {
      batch.add(NarrowOp(), {params[i]}, {halves[i]});
    }
    next();
  };
  std::vector<std::vector<Array>> together, apart;
  for (auto* all : {&together, &apart}) {
    array::random::seed(3);
    all->resize(4);
    for (const int64_t size : {1, 4096, 4097, 30000, 70001, 5}) {
      (*all)[0].push_back(normal({size}, Dtype::kBFloat16));
      for (int k = 1; k < 4; ++k) (*all)[k].push_back(normal({size}));
    }
  }
  UpdateBatch batch;
  add_all(batch, together[0], together[1], together[2], together[3], [] {});
  batch.run();
  add_all(batch, apart[0], apart[1], apart[2], apart[3], [&] { batch.run(); });
  for (size_t k = 0; k < apart.size(); ++k) {
    for (size_t i = 0; i < apart[k].size(); ++i) {
      ASSERT_THAT(together[k][i], IsArray(apart[k][i])) << k << ' ' << i;
    }
  }
}

TEST_P(UpdateBatchTest, AfterThenEqualFunctorsRunAgain) {
  const Array x = array::ones({4}, Dtype::kFloat32).to_device(device());
  const Array y = array::ones({4}, Dtype::kFloat32).to_device(device());
  UpdateBatch batch;
  batch.add(ScaleGradientOp{2}, {}, {x});
  batch.add(SGDOp{1}, {y}, {x});
  batch.then();
  batch.add(ScaleGradientOp{2}, {}, {x});
  batch.run();
  EXPECT_THAT(x, IsArray(array::full({4}, 2).astype(Dtype::kFloat32)));
}

// One functor reads what another has changed in a different array, or a part.
TEST_P(UpdateBatchTest, FunctorsThatShareMemoryInOtherWaysFollowOneAnother) {
  const Array x = array::ones({10000}, Dtype::kFloat32).to_device(device());
  const Array y = array::zeros({10000}, Dtype::kFloat32).to_device(device());
  const Array z = array::zeros({9000}, Dtype::kFloat32).to_device(device());
  UpdateBatch batch;
  batch.add(ScaleGradientOp{2}, {}, {x});
  batch.add(ScaleGradientOp{3}, {}, {y});
  batch.then();
  batch.add(WeightDecayOp{1}, {x}, {y});  // both have been scaled
  batch.then();
  batch.add(WeightDecayOp{10}, {x[{Slice(1000, 10000)}]}, {z});
  batch.then();
  batch.add(ScaleGradientOp{5}, {}, {x});
  batch.run();
  EXPECT_THAT(x, IsArray(array::full({10000}, 10).astype(Dtype::kFloat32)));
  EXPECT_THAT(y, IsArray(array::full({10000}, 2).astype(Dtype::kFloat32)));
  EXPECT_THAT(z, IsArray(array::full({9000}, 20).astype(Dtype::kFloat32)));
}

// Tied weights: two parameters with the same memory.
TEST_P(UpdateBatchTest, UpdatesOfTheSameMemoryFollowOneAnother) {
  const Array shared =
      array::zeros({100000}, Dtype::kFloat32).to_device(device());
  const Array grad = array::ones({100000}, Dtype::kFloat32).to_device(device());
  UpdateBatch batch;
  for (int i = 0; i < 8; ++i) batch.add(SGDOp{1}, {grad}, {shared});
  const Array part = shared[{Slice(5, 100000)}];
  batch.add(SGDOp{1}, {grad[{Slice(5, 100000)}]}, {part});
  batch.run();
  EXPECT_EQ(shared[0].to_device(native_device()).item<float>(), -8);
  EXPECT_EQ(shared[99999].to_device(native_device()).item<float>(), -9);
}

TEST_P(UpdateBatchTest, ResultsDoNotDependOnTheThreads) {
  const int threads = get_num_threads();
  std::vector<Array> grads;
  for (const int64_t size : {70000, 9, 33000, 65537, 1, 200000}) {
    grads.push_back(normal({size}));
  }
  std::vector<std::vector<Array>> results;
  for (const int count : {1, 2, 3}) {
    set_num_threads(count);
    UpdateBatch batch;
    std::vector<Array>& params = results.emplace_back();
    for (const Array& grad : grads) {
      params.push_back(array::ones_like(grad));
      batch.add(SGDOp{0.3}, {grad}, {params.back()});
    }
    batch.run();
  }
  set_num_threads(threads);
  for (size_t i = 0; i < grads.size(); ++i) {
    const Array expected = results[0][i].to_device(native_device());
    EXPECT_THAT(results[1][i].to_device(native_device()), IsArray(expected));
    EXPECT_THAT(results[2][i].to_device(native_device()), IsArray(expected));
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, UpdateBatchTest,
                         ::catena::testing::every_device());

TEST(UpdateBatchErrorTest, ArraysAreAlike) {
  const Array x = array::ones({4}, Dtype::kFloat32);
  UpdateBatch batch;
  EXPECT_THAT(error_of<ShapeError>(
                  [&] { batch.add(SGDOp{1}, {array::ones({3})}, {x}); }),
              HasSubstr("SGD: expected arrays of shape (4,), got (3,)"));
  EXPECT_THAT(error_of<DtypeError>([&] {
                batch.add(SGDOp{1}, {array::ones({4}, Dtype::kFloat64)}, {x});
              }),
              HasSubstr("SGD"));
  EXPECT_THAT(error_of<DeviceError>([&] {
                batch.add(SGDOp{1}, {x.to_device(native_device(1))}, {x});
              }),
              HasSubstr("expected arrays on native:0, got native:1"));
  const Array repeated = array::ones({1}, Dtype::kFloat32);
  EXPECT_THROW(batch.add(ScaleGradientOp{2}, {}, {repeated.broadcast_to({4})}),
               ValueError);
  const Array whole = array::ones({4}, Dtype::kInt32);
  EXPECT_THAT(
      error_of<DtypeError>([&] { batch.add(ScaleGradientOp{2}, {}, {whole}); }),
      HasSubstr("not offered"));
  batch.run();
  EXPECT_THAT(x, IsArray(array::ones({4}, Dtype::kFloat32)));
}

}  // namespace
}  // namespace catena::optimizers
