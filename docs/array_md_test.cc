// The code of array.md: compiled, run, and compared with the page.

#include "catena/docs/array_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;
using catena::testing::IsClose;

TEST(ArrayPageTest, Arithmetic) {
  Array x = xp::arange(12.0).reshape({3, 4});
  Array y = xp::exp(-x) + x.T()[0].expand_dims(0).broadcast_to({4, 3}).T() * 2;
  Array m = xp::mean(x, {.axis = 0, .keepdims = true});  // shape (1, 4)
  Array z = (x - m) / xp::sqrt(xp::var(x, 0));
  std::cout << z << '\n';  // NumPy's text
  EXPECT_EQ(m.shape(), catena::Shape({1, 4}));
  EXPECT_EQ(y.shape(), x.shape());
  EXPECT_THAT(xp::mean(z), IsClose(xp::array(0.0)));

  Array scaled = (x - x.mean()) / x.std();
  Array best = scaled.argmax(1);  // int64, shape (3,)
  Array gram = scaled.dot(scaled.T());
  double largest = gram.max().item<double>();
  Array halves = gram.reshape(-1)[{Slice(0, 4)}].reshape(2, -1);
  EXPECT_THAT(best, IsArray(xp::array({3, 3, 3})));
  EXPECT_EQ(largest, xp::max(gram).item<double>());
  EXPECT_EQ(halves.shape(), catena::Shape({2, 2}));
}

TEST(ArrayPageTest, Indexing) {
  Array a = xp::arange(10);
  Array evens = a[{Slice(0, 10, 2)}];  // a view
  evens.fill(-1);
  a[9] = 11;
  Array rest = xp::getitem(a, {xp::greater(a, 0)});
  xp::setitem(a, {xp::less(a, 0)}, 0);
  xp::add(a, 1, {.out = a});
  std::vector<int64_t> values = a.to_vector<int64_t>();
  EXPECT_THAT(rest, IsArray(xp::array({1, 3, 5, 7, 11})));
  EXPECT_THAT(values, ::testing::ElementsAre(1, 2, 1, 4, 1, 6, 1, 8, 1, 12));
}

TEST(ArrayPageTest, Errors) {
  ::testing::internal::CaptureStdout();
  try {
    xp::add(xp::ones({2, 3}), xp::ones({4}));
  } catch (const catena::ShapeError& error) {
    std::cout << error.what() << '\n';
  }
  EXPECT_THAT(::testing::internal::GetCapturedStdout(),
              ::testing::HasSubstr("(2, 3)"));
}

TEST(ArrayPageTest, Devices) {
  catena::Device device = catena::native_device();
  catena::DeviceScope scope(device);  // for what is created here
  Array w = xp::zeros({2, 2});
  Array there = w.to_device(device);
  EXPECT_TRUE(there.is_same(w));
}

TEST(ArrayPageTest, RandomNumbersAndKernels) {
  xp::random::seed(42);
  Array noise = xp::random::normal(0, 1, {3, 4}, Dtype::kFloat32);
  Array order = xp::random::permutation(10);
  Array drawn = xp::random::choice(5, {100}, {.p = xp::full({5}, 0.2)});
  EXPECT_EQ(order.size() + drawn.size(), 110);

  Array clipped = xp::elementwise(
      [](float value) { return value < 0 ? 0.01f * value : value; }, noise);
  EXPECT_THAT(clipped,
              IsClose(xp::where(xp::less(noise, 0), noise * 0.01, noise)));

  xp::ElementwiseKernel squared_difference(
      "T x, T y", "T z", "z = (x - y) * (x - y)", "squared_difference");
  Array d = squared_difference(noise, 0.5f);
  EXPECT_THAT(d, IsClose(xp::square(noise - 0.5)));

  xp::ReductionKernel l2norm("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0",
                             "l2norm");
  Array norm = l2norm(noise);  // options: l2norm({noise}, {.keepdims = true})
  EXPECT_THAT(norm, IsClose(xp::sqrt(xp::sum(xp::square(noise)))));
  EXPECT_EQ(l2norm({noise}, {.keepdims = true}).shape(), catena::Shape({1, 1}));
}

TEST(ArrayPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/array.md", "docs/array_md_test.cc",
                                       10);
}

}  // namespace
