// The CUDA kernels give the same results as the CPU's, for every layout.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/concatenate.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/linalg/float32_precision.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/take.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/cuda/device.h"
#include "catena/cuda/testing/gpu_test.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::cuda {
namespace {

using catena::testing::all_dtypes;
using catena::testing::float_dtypes;
using catena::testing::IsArray;
using catena::testing::IsClose;

class KernelsTest : public GpuTest {};

Array to_gpu(const Array& a) { return a.to_device(cuda_device()); }
Array to_host(const Array& a) { return a.to_device(native_device()); }

// Small numbers of either sign, exact in every dtype.
Array numbers(const Shape& shape, Dtype dtype, uint64_t seed = 1) {
  array::random::Generator generator(seed, native_device());
  const bool is_signed =
      kind_of(dtype) != DtypeKind::kUInt && kind_of(dtype) != DtypeKind::kBool;
  return generator
      .randint(is_signed ? -5 : 0, is_signed ? 6 : 4, shape, Dtype::kInt64)
      .astype(dtype);
}

// The same view of the same elements on either device.
using View = std::function<Array(const Array&)>;

struct NamedView {
  std::string name;
  View view;
};

// Views of an array of shape (6, 10, 14).
std::vector<NamedView> views() {
  return {
      {"contiguous", [](const Array& a) { return a; }},
      {"transposed", [](const Array& a) { return a.transpose(); }},
      {"swapped",
       [](const Array& a) {
         return a.transpose({0, 2, 1});
       }},
      {"unaligned", [](const Array& a) { return a.ravel()[{Slice(1, 800)}]; }},
      {"stepped",
       [](const Array& a) {
         return a[{ellipsis, Slice(std::nullopt, std::nullopt, 3)}];
       }},
      {"reversed",
       [](const Array& a) {
         return a[{Slice(std::nullopt, std::nullopt, -1), ellipsis,
                   Slice(std::nullopt, std::nullopt, -2)}];
       }},
      {"repeated",
       [](const Array& a) {
         return a[{Slice(0, 1)}].broadcast_to({4, 10, 14});
       }},
      {"empty", [](const Array& a) { return a[{Slice(2, 2)}]; }},
      {"single",
       [](const Array& a) {
         return a[{1, 2, 3}];
       }},
  };
}

TEST_F(KernelsTest, BinaryUfuncsTakeEveryLayout) {
  for (const Dtype dtype : all_dtypes()) {
    const Array a = numbers({6, 10, 14}, dtype, 1);
    const Array b = numbers({6, 10, 14}, dtype, 2);
    const Array gpu_a = to_gpu(a);
    const Array gpu_b = to_gpu(b);
    for (const NamedView& left : views()) {
      for (const NamedView& right : views()) {
        const Array x = left.view(a);
        const Array y = right.view(b);
        if (x.shape() != y.shape() && x.size() != 1 && y.size() != 1) continue;
        SCOPED_TRACE(left.name + ", " + right.name + ", " + to_string(dtype));
        EXPECT_THAT(to_host(array::add(left.view(gpu_a), right.view(gpu_b))),
                    IsArray(array::add(x, y)));
        EXPECT_THAT(to_host(array::less(left.view(gpu_a), right.view(gpu_b))),
                    IsArray(array::less(x, y)));
      }
    }
  }
}

TEST_F(KernelsTest, NumbersTravelInTheCall) {
  for (const Dtype dtype : all_dtypes()) {
    for (const NamedView& layout : views()) {
      SCOPED_TRACE(layout.name + ", " + to_string(dtype));
      const Array a = numbers({6, 10, 14}, dtype);
      EXPECT_THAT(to_host(array::maximum(layout.view(to_gpu(a)), 1)),
                  IsArray(array::maximum(layout.view(a), 1)));
    }
  }
}

TEST_F(KernelsTest, TranscendentalFunctionsAgree) {
  for (const Dtype dtype : float_dtypes()) {
    const Array x = array::linspace(0.25, 4, 1001).astype(dtype);
    const Array gpu_x = to_gpu(x);
    for (const array::UnaryUfunc& function :
         {array::exp, array::log, array::log1p, array::sqrt, array::tanh,
          array::sigmoid}) {
      EXPECT_THAT(to_host(function(gpu_x)), IsClose(function(x)));
    }
    EXPECT_THAT(to_host(array::power(gpu_x, gpu_x)),
                IsClose(array::power(x, x)));
  }
}

TEST_F(KernelsTest, SpecialValuesAgree) {
  const Array x = array::array(std::vector<float>{INFINITY, -INFINITY, NAN, 0.f,
                                                  -0.f, 1e-45f, 3e38f, -3e38f});
  for (const Dtype dtype : float_dtypes()) {
    const Array y = x.astype(dtype);
    const Array gpu_y = to_gpu(y);
    for (const array::UnaryUfunc& function :
         {array::exp, array::tanh, array::sigmoid, array::relu, array::sign,
          array::isnan, array::isfinite, array::negative}) {
      EXPECT_THAT(to_host(function(gpu_y)), IsClose(function(y)));
    }
    EXPECT_THAT(to_host(array::maximum(gpu_y, 0.0)),
                IsArray(array::maximum(y, 0.0)));
  }
}

TEST_F(KernelsTest, CastsAgreeBetweenAllDtypes) {
  const Array values = array::array(
      std::vector<double>{0, -0.0, 0.5, 1, -1, 1.5, 2.5, 100.7, -100.7, 65504,
                          1e5, 3e9, 1e19, -1e19, INFINITY, NAN});
  for (const Dtype from : all_dtypes()) {
    const Array x = values.astype(from);
    const Array gpu_x = to_gpu(x);
    for (const Dtype to : all_dtypes()) {
      SCOPED_TRACE(str(from, " to ", to));
      EXPECT_THAT(to_host(gpu_x.astype(to)), IsArray(x.astype(to)));
    }
  }
}

TEST_F(KernelsTest, LargeArraysAreCoveredToTheLastElement) {
  for (const int64_t size : {1023, 1 << 20, (1 << 22) + 3}) {
    const Array x = array::arange(size, Dtype::kFloat32);
    EXPECT_THAT(to_host(array::add(to_gpu(x), 1)), IsArray(array::add(x, 1)));
  }
}

TEST_F(KernelsTest, FillAndAssignReachEveryLayout) {
  for (const NamedView& layout : views()) {
    if (layout.name == "repeated") continue;
    SCOPED_TRACE(layout.name);
    const Array host = numbers({6, 10, 14}, Dtype::kInt32);
    const Array gpu = to_gpu(host);
    layout.view(host).fill(7);
    layout.view(gpu).fill(7);
    EXPECT_THAT(to_host(gpu), IsArray(host));
    const Array source = numbers(layout.view(host).shape(), Dtype::kInt32, 3);
    layout.view(host).assign(source);
    layout.view(gpu).assign(to_gpu(source));
    EXPECT_THAT(to_host(gpu), IsArray(host));
  }
}

TEST_F(KernelsTest, ReductionsTakeEveryLayoutAndAxis) {
  using Reduction = Array (*)(const Array&, const array::ReduceOptions&);
  for (const Dtype dtype : all_dtypes()) {
    const Array a = numbers({6, 10, 14}, dtype);
    const Array gpu_a = to_gpu(a);
    for (const NamedView& layout : views()) {
      const Array x = layout.view(a);
      for (const Axes& axes :
           {Axes{}, Axes{0}, Axes{1}, Axes{2}, Axes{0, 2}, Axes{0, 1, 2}}) {
        if (axes.size() > 0 && axes.back() >= x.ndim()) continue;
        SCOPED_TRACE(str(layout.name, ", ", dtype, ", axes ", axes));
        const array::ReduceOptions options{.axis = axes};
        for (const Reduction reduction :
             {Reduction{array::sum}, Reduction{array::mean},
              Reduction{array::any}, Reduction{array::count_nonzero}}) {
          EXPECT_THAT(to_host(reduction(layout.view(gpu_a), options)),
                      IsClose(reduction(x, options)));
        }
        if (x.size() == 0) continue;
        EXPECT_THAT(to_host(array::max(layout.view(gpu_a), options)),
                    IsArray(array::max(x, options)));
      }
      if (x.size() == 0) continue;
      for (int64_t axis = 0; axis < x.ndim(); ++axis) {
        EXPECT_THAT(to_host(array::argmax(layout.view(gpu_a), axis)),
                    IsArray(array::argmax(x, axis)));
        EXPECT_THAT(to_host(array::argmin(layout.view(gpu_a), axis)),
                    IsArray(array::argmin(x, axis)));
      }
    }
  }
}

TEST_F(KernelsTest, LongReductionsAgreeAndAreTheSameEveryTime) {
  for (const Shape& shape : {Shape{3, 1 << 20}, Shape{1 << 20, 3},
                             Shape{1 << 22}, Shape{4097, 513}}) {
    const Array x = array::random::Generator(5, native_device())
                        .uniform(-1, 1, shape, Dtype::kFloat32);
    const Array gpu_x = to_gpu(x);
    for (int64_t axis = 0; axis < x.ndim(); ++axis) {
      SCOPED_TRACE(str(shape, ", axis ", axis));
      const array::ReduceOptions options{.axis = axis};
      const Array first = to_host(array::sum(gpu_x, options));
      EXPECT_THAT(first, IsClose(array::sum(x, options)));
      EXPECT_THAT(to_host(array::sum(gpu_x, options)), IsArray(first));
      EXPECT_THAT(to_host(array::argmax(gpu_x, axis)),
                  IsArray(array::argmax(x, axis)));
    }
  }
}

TEST_F(KernelsTest, NanIsFoundByExtremes) {
  Array x = array::arange(10000, Dtype::kFloat32);
  x[1234].fill(NAN);
  x[5000].fill(NAN);
  const Array gpu_x = to_gpu(x);
  EXPECT_TRUE(std::isnan(array::max(gpu_x).item<float>()));
  EXPECT_TRUE(std::isnan(array::min(gpu_x).item<float>()));
  EXPECT_EQ(array::argmax(gpu_x).item<int64_t>(), 1234);
  EXPECT_EQ(array::argmin(gpu_x).item<int64_t>(), 1234);
}

TEST_F(KernelsTest, MatrixProductsAgree) {
  for (const Dtype dtype : all_dtypes()) {
    SCOPED_TRACE(to_string(dtype));
    const Array a = numbers({3, 20, 17}, dtype, 1);
    const Array b = numbers({3, 17, 35}, dtype, 2);
    const Array gpu_a = to_gpu(a);
    const Array gpu_b = to_gpu(b);
    EXPECT_THAT(to_host(array::matmul(gpu_a, gpu_b)),
                IsClose(array::matmul(a, b)));
    EXPECT_THAT(to_host(array::matmul(gpu_a[0], gpu_b[1])),
                IsClose(array::matmul(a[0], b[1])));
    EXPECT_THAT(to_host(array::matmul(gpu_b[0].T(), gpu_a[0].T())),
                IsClose(array::matmul(b[0].T(), a[0].T())));
    EXPECT_THAT(to_host(array::matmul(gpu_a, gpu_a, {.transa = true})),
                IsClose(array::matmul(a, a, {.transa = true})));
    // The stack repeats one matrix, and runs backward.
    EXPECT_THAT(to_host(array::matmul(gpu_a, gpu_b[0])),
                IsClose(array::matmul(a, b[0])));
    const Slice backward(std::nullopt, std::nullopt, -1);
    EXPECT_THAT(to_host(array::matmul(gpu_a[{backward}], gpu_b)),
                IsClose(array::matmul(a[{backward}], b)));
    // A vector.
    EXPECT_THAT(to_host(array::matmul(gpu_a, gpu_b[{0, ellipsis, 0}])),
                IsClose(array::matmul(a, b[{0, ellipsis, 0}])));
  }
}

TEST_F(KernelsTest, ProductsOfFloat32AreExactUnlessTf32IsAskedFor) {
  // TF32 has no bit for the 2^-12.
  const double factor = 1 + 0x1p-12;
  const Array a =
      array::full({256, 256}, factor, Dtype::kFloat64, cuda_device());
  const Array identity = array::identity(256, Dtype::kFloat64, cuda_device());
  const auto first_of_product = [&](Dtype dtype) {
    return array::matmul(a.astype(dtype), identity.astype(dtype))
        .ravel()[0]
        .astype(Dtype::kFloat64)
        .item<double>();
  };
  EXPECT_EQ(first_of_product(Dtype::kFloat32), factor);
  const array::Float32PrecisionScope scope(array::Float32Precision::kTf32);
  EXPECT_EQ(first_of_product(Dtype::kFloat64), factor);
  if (properties(0).major >= 8) {
    EXPECT_EQ(first_of_product(Dtype::kFloat32), 1);
  }
}

TEST_F(KernelsTest, GemmScalesAndAdds) {
  for (const Dtype dtype : {Dtype::kFloat16, Dtype::kBFloat16, Dtype::kFloat32,
                            Dtype::kFloat64, Dtype::kInt32}) {
    SCOPED_TRACE(to_string(dtype));
    const Array a = numbers({20, 17}, dtype, 1);
    const Array b = numbers({17, 35}, dtype, 2);
    const Array host = numbers({20, 35}, dtype, 3);
    const Array gpu = to_gpu(host);
    const array::GemmOptions options{.alpha = 2, .beta = 3};
    array::gemm(a, b, host, options);
    array::gemm(to_gpu(a), to_gpu(b), gpu, options);
    EXPECT_THAT(to_host(gpu), IsClose(host));
  }
}

TEST_F(KernelsTest, TakeAndScatterAgree) {
  const Array indices =
      array::array(std::vector<int64_t>{3, -1, 0, 3, 3, 9, -10, 5});
  const Array gpu_indices = to_gpu(indices);
  for (const Dtype dtype : all_dtypes()) {
    for (int64_t axis = 0; axis < 3; ++axis) {
      SCOPED_TRACE(str(dtype, ", axis ", axis));
      Shape shape{10, 10, 10};
      shape[2] = axis == 2 ? 10 : 3;
      const Array a = numbers(shape, dtype, 1);
      const Array gpu_a = to_gpu(a);
      const Array taken = array::take(a, indices, axis);
      EXPECT_THAT(to_host(array::take(gpu_a, gpu_indices, axis)),
                  IsArray(taken));
      const Array values = numbers(taken.shape(), dtype, 2);
      array::scatter_add(a, indices, axis, values);
      array::scatter_add(gpu_a, gpu_indices, axis, to_gpu(values));
      EXPECT_THAT(to_host(gpu_a), IsArray(a));
      array::scatter_update(a, indices, axis, values);
      array::scatter_update(gpu_a, gpu_indices, axis, to_gpu(values));
      EXPECT_THAT(to_host(gpu_a), IsArray(a));
    }
  }
}

TEST_F(KernelsTest, TakeNamesABadIndexWhenTheHostWaits) {
  const Array a = to_gpu(array::zeros({10}));
  Array indices = array::zeros({5000}, Dtype::kInt64);
  indices[1234].fill(10);
  indices[4321].fill(10);
  const Array taken = array::take(a, to_gpu(indices));
  EXPECT_THAT(::catena::testing::error_of<IndexError>([&] { to_host(taken); }),
              ::testing::HasSubstr("take: index 10 is out of range"));
  EXPECT_THAT(to_host(array::take(a, to_gpu(indices),
                                  {.mode = array::IndexMode::kWrap})),
              IsArray(array::zeros({5000})));
}

TEST_F(KernelsTest, ConcatenateAgrees) {
  const Array a = numbers({3, 4}, Dtype::kFloat32, 1);
  const Array b = numbers({3, 5}, Dtype::kFloat16, 2);
  EXPECT_THAT(to_host(array::concatenate({to_gpu(a), to_gpu(b)}, 1)),
              IsArray(array::concatenate({a, b}, 1)));
}

TEST_F(KernelsTest, ASeedGivesTheSameNumbersAsOnTheCpu) {
  using array::random::Generator;
  for (const int64_t size : {1, 63, 64, 1000, 100003}) {
    Generator cpu(17, native_device());
    Generator gpu(17, cuda_device());
    for (const Dtype dtype : float_dtypes()) {
      SCOPED_TRACE(str(size, ", ", dtype));
      EXPECT_THAT(to_host(gpu.uniform(-1, 2, {size}, dtype)),
                  IsArray(cpu.uniform(-1, 2, {size}, dtype)));
      EXPECT_THAT(to_host(gpu.normal(1, 2, {size}, dtype)),
                  IsArray(cpu.normal(1, 2, {size}, dtype)));
      EXPECT_THAT(to_host(gpu.bernoulli(0.3, {size}, dtype)),
                  IsArray(cpu.bernoulli(0.3, {size}, dtype)));
    }
    EXPECT_THAT(to_host(gpu.randint(-3, 1000, {size})),
                IsArray(cpu.randint(-3, 1000, {size})));
    EXPECT_THAT(to_host(gpu.randint(INT64_MIN, INT64_MAX, {size})),
                IsArray(cpu.randint(INT64_MIN, INT64_MAX, {size})));
    EXPECT_THAT(to_host(gpu.permutation(size)), IsArray(cpu.permutation(size)));
  }
}

}  // namespace
}  // namespace catena::cuda
