#include "catena/array/elementwise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"

namespace catena {
namespace {

namespace xp = catena::array;
using catena::testing::IsArray;
using catena::testing::IsClose;
using ::testing::ElementsAre;
using xp::ElementwiseArgs;
using xp::KernelOperand;

ElementwiseArgs plan(const std::vector<KernelOperand>& operands) {
  ElementwiseArgs args;
  xp::plan_elementwise(operands, nullptr, args);
  return args;
}

std::vector<int64_t> shape_of(const ElementwiseArgs& args) {
  return {args.shape, args.shape + args.ndim};
}

std::vector<int64_t> strides_of(const ElementwiseArgs& args, int operand) {
  const int64_t* strides = args.operands[operand].strides;
  return {strides, strides + args.ndim};
}

TEST(PlanElementwiseTest, ContiguousArraysFoldIntoOneAxis) {
  const Array a = xp::empty({2, 3, 4}, Dtype::kFloat32);
  const Array out = xp::empty({2, 3, 4}, Dtype::kFloat32);
  const ElementwiseArgs args = plan({a, out});
  EXPECT_THAT(shape_of(args), ElementsAre(24));
  EXPECT_THAT(strides_of(args, 0), ElementsAre(4));
  EXPECT_EQ(args.size, 24);
  EXPECT_EQ(args.noperands, 2);
}

TEST(PlanElementwiseTest, EqualPermutationsFoldIntoOneAxisToo) {
  const Array a = xp::empty({2, 3, 4}).transpose({2, 0, 1});
  const Array out = xp::empty({2, 3, 4}).transpose({2, 0, 1});
  EXPECT_THAT(shape_of(plan({a, out})), ElementsAre(24));
}

TEST(PlanElementwiseTest, ABroadcastOperandStandsStillAlongItsAxes) {
  const Array row = xp::empty({4}, Dtype::kFloat32);
  const Array out = xp::empty({2, 3, 4}, Dtype::kFloat32);
  const ElementwiseArgs args = plan({row, out});
  EXPECT_THAT(shape_of(args), ElementsAre(6, 4));
  EXPECT_THAT(strides_of(args, 0), ElementsAre(0, 4));
  EXPECT_THAT(strides_of(args, 1), ElementsAre(16, 4));
  const Array one = xp::empty({1, 1}, Dtype::kFloat32);
  EXPECT_THAT(shape_of(plan({one, out})), ElementsAre(24));
}

TEST(PlanElementwiseTest, TheOutputsOrderDecides) {
  const Array a = xp::empty({3, 4}, Dtype::kFloat32);
  const Array out = xp::empty({4, 3}, Dtype::kFloat32).T();
  const ElementwiseArgs args = plan({a, out});
  EXPECT_THAT(shape_of(args), ElementsAre(4, 3));
  EXPECT_THAT(strides_of(args, 1), ElementsAre(12, 4));
  EXPECT_THAT(strides_of(args, 0), ElementsAre(4, 16));
}

TEST(PlanElementwiseTest, AxesOfExtentOneGo) {
  const Array out = xp::empty(
      {1, 3, 1, 4}, Dtype::kInt8)[{Slice(), Slice(), Slice(), Slice(0, 3)}];
  EXPECT_THAT(shape_of(plan({out})), ElementsAre(3, 3));
  const Array single = xp::empty({1, 1});
  EXPECT_THAT(shape_of(plan({single.T()[0], single[0]})), ElementsAre(1));
}

TEST(PlanElementwiseTest, NumbersTravelInTheCall) {
  const Array out = xp::empty({3}, Dtype::kFloat32);
  const ElementwiseArgs args =
      plan({KernelOperand(1.5, Dtype::kFloat32, "test"), out});
  EXPECT_TRUE(args.operands[0].is_immediate);
  EXPECT_EQ(*reinterpret_cast<const float*>(args.operands[0].data), 1.5f);
  EXPECT_FALSE(args.operands[1].is_immediate);
}

// One binary operation by a plain loop over elements of type T.
template <class T, class Op>
Array by_hand(const Array& a, const Array& b, Op op) {
  using Compute =
      std::conditional_t<sizeof(T) == 2 && !std::is_integral_v<T>, float, T>;
  const Array x = a.to_device(native_device()).contiguous();
  const Array y = b.to_device(native_device()).contiguous();
  const Array result = xp::empty(x.shape(), x.dtype(), native_device());
  for (int64_t i = 0; i < x.size(); ++i) {
    result.data<T>()[i] =
        static_cast<T>(op(static_cast<Compute>(x.data<T>()[i]),
                          static_cast<Compute>(y.data<T>()[i])));
  }
  return result;
}

class ElementwiseDtypeTest : public catena::testing::DeviceDtypeTest {
 protected:
  // Small whole numbers: no result but a quotient is rounded.
  Array numbers(int64_t size, uint64_t seed) const {
    xp::random::Generator generator(seed, device());
    const bool has_sign =
        is_floating(dtype()) || kind_of(dtype()) == DtypeKind::kInt;
    return generator.randint(has_sign ? -9 : 1, 10, {size}).astype(dtype());
  }
};

TEST_P(ElementwiseDtypeTest, EveryLengthAgreesWithAPlainLoop) {
  if (dtype() == Dtype::kBool) GTEST_SKIP() << "not offered for bool";
  visit_dtype(dtype(), [&](auto tag) {
    using T = decltype(tag);
    if constexpr (!std::is_same_v<T, bool>) {
      std::vector<int64_t> sizes = {100, 511, 512, 513, 1025, 70001};
      for (int64_t n = 0; n <= 70; ++n) sizes.push_back(n);
      for (const int64_t n : sizes) {
        const Array a = numbers(n, 1);
        const Array b = numbers(n, 2);
        ASSERT_THAT(a + b, IsArray(by_hand<T>(
                               a, b, [](auto x, auto y) { return x + y; })))
            << n;
        ASSERT_THAT(a - b, IsArray(by_hand<T>(
                               a, b, [](auto x, auto y) { return x - y; })))
            << n;
        ASSERT_THAT(a * b, IsArray(by_hand<T>(
                               a, b, [](auto x, auto y) { return x * y; })))
            << n;
        ASSERT_THAT(xp::maximum(a, b),
                    IsArray(by_hand<T>(
                        a, b, [](auto x, auto y) { return std::max(x, y); })))
            << n;
      }
    }
  });
}

TEST_P(ElementwiseDtypeTest, AnyLayoutGivesWhatACopyGives) {
  const Array base = numbers(2 * 5 * 40, 3).reshape({2, 5, 40});
  const Array layouts[] = {
      base,
      base.transpose({1, 0, 2}),
      base[{Slice({}, {}, -1)}],
      base[{ellipsis, Slice({}, {}, -1)}],
      base[{ellipsis, Slice(3, 40, 3)}],
      base[{Slice(), Slice(0, 5, 2)}],
      base[1].broadcast_to({2, 5, 40}),
      base[{Slice(), Slice(), Slice(0, 1)}].broadcast_to({2, 5, 33}),
      base[{Slice(1, 1)}],
      base.T(),
  };
  for (const Array& x : layouts) {
    const Array plain = x.copy();
    EXPECT_THAT(x + 1, IsArray(plain + 1)) << x.strides();
    EXPECT_THAT(xp::maximum(x, plain), IsArray(plain)) << x.strides();
    EXPECT_THAT(xp::maximum(plain, x), IsArray(plain)) << x.strides();
    EXPECT_THAT(xp::equal(x, plain), IsArray(xp::equal(plain, plain)));
    EXPECT_THAT(xp::exp(x), IsArray(xp::exp(plain))) << x.strides();
  }
}

TEST_P(ElementwiseDtypeTest, ResultsGoIntoAnyLayout) {
  const Array base = xp::zeros({4, 6, 8}, dtype());
  const Array targets[] = {
      base.T(),
      base[{Slice({}, {}, -1), Slice(), Slice(1, 8, 2)}],
      base.transpose({1, 2, 0})[{Slice(0, 6, 5)}],
      base[{ellipsis, 3}],
  };
  for (const Array& target : targets) {
    base.fill(0);
    const Array expected = numbers(target.size(), 4).reshape(target.shape());
    target += expected;
    EXPECT_THAT(target, IsArray(expected)) << target.strides();
    // Nothing beside the target was touched.
    target.fill(0);
    EXPECT_THAT(base, IsArray(xp::zeros({4, 6, 8}, dtype())));
  }
}

TEST_P(ElementwiseDtypeTest, MemoryNeedsNoMoreAlignmentThanAnItems) {
  const Array whole = numbers(1001, 5);
  for (int64_t offset = 1; offset < 5; ++offset) {
    const Array x = whole[{Slice(offset, 1001)}];
    const Array y = whole[{Slice(0, 1001 - offset)}];
    EXPECT_THAT(x + y, IsArray(x.copy() + y.copy()));
    const Array target = xp::zeros({1001}, dtype());
    const Array part = target[{Slice(offset, 1001)}];
    part += x;
    EXPECT_THAT(part, IsArray(x.copy()));
    EXPECT_THAT((target[{Slice(0, offset)}]),
                IsArray(xp::zeros({offset}, dtype())));
  }
}

TEST_P(ElementwiseDtypeTest, LargeArraysAgreeForAnyNumberOfThreads) {
  const int before = get_num_threads();
  const Array a = numbers(700001, 6);
  const Array b = numbers(700001, 7);
  const Array square = a[{Slice(0, 640000)}].reshape({800, 800});
  const auto run = [&](int threads) {
    set_num_threads(threads);
    return std::vector<Array>{a + b,
                              xp::exp(a),
                              square.T() + square,
                              a[{Slice({}, {}, -1)}] + b,
                              xp::less(a, b),
                              xp::where(xp::less(a, b), a, b)};
  };
  const std::vector<Array> one = run(1);
  const std::vector<Array> many = run(5);
  set_num_threads(before);
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_THAT(many[i], IsArray(one[i])) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ElementwiseDtypeTest,
                         catena::testing::every_device_and_dtype(),
                         catena::testing::device_dtype_name);

class KernelTargetTest : public ::testing::TestWithParam<Dtype> {
 protected:
  void TearDown() override { set_cpu_kernel_target(before_); }

  // Results of f on every target but the baseline, which comes first.
  static std::vector<Array> on_every_target(const std::function<Array()>& f) {
    std::vector<Array> results;
    for (const KernelTarget target : cpu_kernel_targets()) {
      try {
        set_cpu_kernel_target(target);
      } catch (const ValueError&) {
        continue;  // an older machine
      }
      results.push_back(f());
    }
    return results;
  }

 private:
  KernelTarget before_ = cpu_kernel_target();
};

Array sample(Dtype dtype, uint64_t seed) {
  xp::random::Generator generator(seed, native_device());
  if (is_floating(dtype)) return generator.normal(0, 10, {1003}, dtype);
  return generator.randint(0, 120, {1003}).astype(dtype);
}

TEST_P(KernelTargetTest, ExactOperationsGiveTheSameBitsOnEveryTarget) {
  const Dtype dtype = GetParam();
  const Array a = sample(dtype, 1);
  const Array b = sample(dtype, 2);
  std::vector<std::function<Array()>> operations = {
      [&] { return a + b; },
      [&] { return a * b; },
      [&] { return a / b; },
      [&] { return xp::sqrt(xp::abs(a)); },
      [&] { return xp::maximum(a, b); },
      [&] { return xp::minimum(a, b); },
      [&] { return xp::less(a, b); },
      [&] { return xp::equal(a, b); },
      [&] { return xp::where(xp::less(a, b), a, b); },
      [&] { return xp::square(a); },
      [&] { return a[{Slice({}, {}, -2)}] + b[{Slice({}, {}, 2)}]; },
  };
  if (dtype != Dtype::kBool) {
    operations.push_back([&] { return a - b; });
    operations.push_back([&] { return -a; });
    operations.push_back([&] { return xp::sign(a); });
    operations.push_back([&] { return xp::relu(a); });
    operations.push_back([&] { return xp::floor_divide(a, b); });
    operations.push_back([&] { return xp::remainder(a, b); });
  }
  for (const Dtype to : catena::testing::all_dtypes()) {
    operations.push_back([&, to] { return a.astype(to); });
  }
  for (size_t i = 0; i < operations.size(); ++i) {
    const std::vector<Array> results = on_every_target(operations[i]);
    for (const Array& result : results) {
      EXPECT_THAT(result, IsArray(results[0])) << "operation " << i;
    }
  }
}

// Large results are written non-temporally.
TEST_P(KernelTargetTest, LargeResultsAreThoseOfTheirPieces) {
  constexpr int64_t kPiece = 100000;
  const int64_t n = (9 << 20) / item_size(GetParam()) + 77;
  xp::random::Generator generator(3, native_device());
  const Array a = generator.randint(0, 120, {n}).astype(GetParam());
  const Array b = generator.randint(0, 120, {n}).astype(GetParam());
  const auto sum = [](const Array& x, const Array& y) { return x + y; };
  const auto cast = [](const Array& x, const Array& y) {
    return (x + y).astype(Dtype::kInt64);
  };
  const auto compare = [](const Array& x, const Array& y) {
    return xp::less(x, y);
  };
  using Operation = std::function<Array(const Array&, const Array&)>;
  for (const Operation& f :
       {Operation(sum), Operation(cast), Operation(compare)}) {
    for (const Array& whole : on_every_target([&] { return f(a, b); })) {
      for (int64_t begin = 0; begin < n; begin += kPiece) {
        const Slice piece(begin, std::min(n, begin + kPiece));
        ASSERT_THAT(whole[{piece}], IsArray(f(a[{piece}], b[{piece}])))
            << begin;
      }
    }
  }
}

TEST_P(KernelTargetTest, TranscendentalOperationsAgreeAsFarAsTheyPromise) {
  const Array a = sample(GetParam(), 3);
  const Array positive = xp::abs(a) + 1;
  const std::vector<std::function<Array()>> operations = {
      [&] { return xp::exp(xp::minimum(a, 10)); },
      [&] { return xp::log(positive); },
      [&] { return xp::log1p(positive); },
      [&] { return xp::tanh(a / 10); },
      [&] { return xp::sigmoid(a); },
      [&] { return xp::power(positive, 1.5); },
  };
  for (size_t i = 0; i < operations.size(); ++i) {
    const std::vector<Array> results = on_every_target(operations[i]);
    for (const Array& result : results) {
      EXPECT_THAT(result, IsClose(results[0])) << "operation " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, KernelTargetTest,
                         ::testing::ValuesIn(catena::testing::all_dtypes()),
                         [](const auto& info) {
                           return to_string(info.param);
                         });

}  // namespace
}  // namespace catena
