#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/onednn/description.h"
#include "catena/array/onednn/operation.h"
#include "catena/array/onednn/primitive.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"

namespace catena::cpu::onednn {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::testing::HasSubstr;

TEST(DescriptionTest, ArraysAreDescribedAsTheyLie) {
  const Array a = array::zeros({2, 3, 4, 5}, Dtype::kFloat32);
  using Tag = dnnl::memory::format_tag;
  const dnnl::memory::dims dims = {2, 3, 4, 5};
  const auto type = dnnl::memory::data_type::f32;
  EXPECT_EQ(describe(a), dnnl::memory::desc(dims, type, Tag::nchw));
  const Array last =
      array::zeros({2, 4, 5, 3}, Dtype::kFloat32).transpose({0, 3, 1, 2});
  EXPECT_EQ(describe(last), dnnl::memory::desc(dims, type, Tag::nhwc));
  EXPECT_EQ(describe_channels_last({2, 3, 4, 5}, Dtype::kFloat32),
            describe(last));
}

TEST(DescriptionTest, OnlyArraysWithGapsAreCopied) {
  const Array a = array::arange(24, Dtype::kFloat32).reshape({2, 3, 4});
  EXPECT_TRUE(dense(a).is_same(a));
  EXPECT_TRUE(dense(a.T()).storage() == a.storage());
  const Array every_other = a[{Slice(), Slice(), Slice(0, 4, 2)}];
  EXPECT_FALSE(dense(every_other).storage() == a.storage());
  EXPECT_THAT(dense(every_other), IsArray(every_other.copy()));
  const Array repeated = a[{Slice(0, 1)}].broadcast_to({5, 3, 4});
  EXPECT_TRUE(dense(repeated).is_contiguous());
  const Array backward = a[{Slice(std::nullopt, std::nullopt, -1)}];
  EXPECT_TRUE(dense(backward).is_contiguous());
}

TEST(DescriptionTest, NamesADtypeThatOneDnnLacks) {
  EXPECT_THAT(error_of<DtypeError>([] { data_type(Dtype::kInt64); }),
              HasSubstr("got int64"));
}

constexpr float kZero = 0;

// max(x, 0) on memory in one layout by a primitive for another.
Operation make_relu(const Shape& shape, const dnnl::memory::desc& given) {
  const dnnl::memory::desc wanted({shape.begin(), shape.end()},
                                  dnnl::memory::data_type::f32,
                                  dnnl::memory::format_tag::nChw16c);
  const dnnl::memory::desc zero = describe({1, 1, 1, 1}, Dtype::kFloat32);
  const auto primitive = describe_primitive<dnnl::binary>(
      with_user_scratchpad(), dnnl::algorithm::binary_max, wanted, zero,
      wanted);
  const Operation::Argument arguments[] = {
      {DNNL_ARG_SRC_0, Operation::Direction::kIn, given, wanted},
      {DNNL_ARG_SRC_1, Operation::Direction::kIn, zero, zero},
      {DNNL_ARG_DST, Operation::Direction::kOut, given, wanted}};
  return Operation(dnnl::binary(primitive), primitive.scratchpad_desc(),
                   arguments);
}

TEST(OperationTest, BringsArgumentsIntoTheLayoutOfThePrimitiveAndBack) {
  const Shape shape = {2, 5, 3, 4};  // the channels leave a block half empty
  const Array x = array::arange(-60, 60, 1, Dtype::kFloat32).reshape(shape);
  const Array y = array::empty(shape, Dtype::kFloat32);
  make_relu(shape, describe(x))
      .run("relu", {x.raw_data(), &kZero, y.raw_data()});
  for (int64_t i = 0; i < 120; ++i) {
    ASSERT_EQ(y.data<float>()[i], i < 60 ? 0 : static_cast<float>(i - 60));
  }
}

TEST(OperationTest, ThreadsRunOneSideBySide) {
  const Shape shape = {1, 16, 32, 32};
  const Operation relu = make_relu(shape, describe(shape, Dtype::kFloat32));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const float value = t % 2 == 0 ? t + 1.f : -t - 1.f;
      const Array x = array::full(shape, value, Dtype::kFloat32);
      const Array y = array::empty(shape, Dtype::kFloat32);
      for (int i = 0; i < 50; ++i) {
        relu.run("relu", {x.raw_data(), &kZero, y.raw_data()});
        if (y.data<float>()[16383] != (t % 2 == 0 ? value : 0)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(OperationTest, IsMadeOnceForAKeyAndANumberOfThreads) {
  const Shape shape = {1, 16, 2, 2};
  int made = 0;
  const auto get = [&](int64_t number) {
    OperationKey key(-1);
    key.add(shape);
    key.add(number);
    return cached_operation("relu", key, [&] {
      ++made;
      return std::optional(make_relu(shape, describe(shape, Dtype::kFloat32)));
    });
  };
  const auto first = get(1);
  EXPECT_EQ(get(1), first);
  EXPECT_EQ(made, 1);
  EXPECT_NE(get(2), first);
  EXPECT_EQ(made, 2);
  const int threads = get_num_threads();
  set_num_threads(threads + 1);
  EXPECT_NE(get(1), first);
  set_num_threads(threads);
  // Others push it out; who holds it keeps it.
  for (int64_t i = 0; i < 600; ++i) get(100 + i);
  made = 0;
  EXPECT_NE(get(1), first);
  EXPECT_EQ(made, 1);
}

TEST(OperationTest, RemembersThatThereIsNone) {
  int asked = 0;
  const auto get = [&] {
    return cached_operation("f", OperationKey(-2),
                            [&]() -> std::optional<Operation> {
                              ++asked;
                              return std::nullopt;
                            });
  };
  EXPECT_EQ(get(), nullptr);
  EXPECT_EQ(get(), nullptr);
  EXPECT_EQ(asked, 1);
}

TEST(OperationTest, ErrorsNameTheFunction) {
  const auto fail = [](dnnl_status_t status) {
    with_errors_of("pooling", [&] { throw dnnl::error(status, "no luck"); });
  };
  EXPECT_THAT(error_of<NotImplementedError>([&] { fail(dnnl_unimplemented); }),
              HasSubstr("pooling: expected oneDNN to succeed, got no luck"));
  EXPECT_THAT(error_of<OutOfMemoryError>([&] { fail(dnnl_out_of_memory); }),
              HasSubstr("pooling: no memory"));
}

}  // namespace
}  // namespace catena::cpu::onednn
