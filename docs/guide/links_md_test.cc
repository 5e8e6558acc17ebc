// The code of links.md: compiled, run, and compared with the page.

#include "catena/docs/guide/links_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

TEST(LinksPageTest, ALinkOwnsItsParameters) {
  ::testing::internal::CaptureStdout();
  L::Linear f(3, 2);  // from 3 numbers to 2
  const Variable x(xp::array({{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}}));
  const Variable y = f(x);  // (2, 2)
  EXPECT_EQ(y.shape(), (Shape{2, 2}));
  EXPECT_THAT(y.array(), IsArray(F::linear(x, f.W, f.b).array()));
  EXPECT_THROW(f(x[0]), InvalidType);
  EXPECT_EQ(f(x[0].reshape(1, 3)).shape(), (Shape{1, 2}));

  std::cout << f.b.array() << '\n';  // [0. 0.]
  for (const auto& [name, parameter] : f.namedparams()) {
    std::cout << name << ' ' << parameter.shape() << '\n';
  }
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "[0. 0.]\n/W (2, 3)\n/b (2,)\n");

  f.W.array().fill(0.5);                  // all elements
  f.W.array()[0] = xp::array({1, 2, 3});  // a row
  f.b.array().assign(xp::array({-1, 1}));
  EXPECT_THAT(f(x).array(), IsArray(xp::array({{13.0f, 4.0f}, {31.0f, 8.5f}})));

  L::Linear plain(3, 2, {.nobias = true, .initialW = initializers::HeNormal()});
  EXPECT_FALSE(plain.b.defined());
}

TEST(LinksPageTest, GradientsAccumulateUntilTheyAreCleared) {
  ::testing::internal::CaptureStdout();
  L::Linear f(3, 2);
  const Variable x(xp::array({{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}}));
  f.cleargrads();
  const Variable z = f(x);
  z.set_grad(xp::ones_like(z.array()));
  z.backward();
  std::cout << f.W.grad() << '\n' << f.b.grad() << '\n';
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "[[5. 7. 9.]\n [5. 7. 9.]]\n[2. 2.]\n");

  F::sum(f(x)).backward();
  EXPECT_THAT(f.b.grad(), IsArray(xp::array({4.0f, 4.0f})));
  f.cleargrads();
  EXPECT_FALSE(f.b.grad().defined());
  f.zerograds();
  EXPECT_THAT(f.b.grad(), IsArray(xp::array({0.0f, 0.0f})));
}

TEST(LinksPageTest, CopiesAreIndependentUnlessShared) {
  L::Linear f(3, 2);
  L::Linear twin = f;                          // parameters of its own
  L::Linear tied = copy(f, CopyMode::kShare);  // the same arrays
  L::Linear& same = f;                         // another name
  EXPECT_THAT(twin.W.array(), IsArray(f.W.array()));
  f.W.array().fill(7);
  EXPECT_THAT(twin.W.array(), Not(IsArray(f.W.array())));
  EXPECT_THAT(tied.W.array(), IsArray(f.W.array()));
  EXPECT_TRUE(same.W.is_same(f.W));

  f.zerograds();
  EXPECT_FALSE(tied.W.grad().defined());
  EXPECT_THAT(copy(f, CopyMode::kInit).W.array(), Not(IsArray(f.W.array())));

  const auto train = [](L::Linear link) { link.W.array().fill(0); };
  train(f);
  EXPECT_EQ(f.W.array().max().item<float>(), 7);
}

TEST(LinksPageTest, InputsHaveTheDtypeOfTheParameters) {
  L::Linear f(3, 2);
  const Array x = xp::array({{1.0, 2.0, 3.0}});
  EXPECT_THAT([&] { f(x); }, ThrowsMessage<InvalidType>(
                                 HasSubstr("Expect: W.dtype == x.dtype")));
  EXPECT_EQ(f(x.astype(Dtype::kFloat32)).shape(), (Shape{1, 2}));
  const auto scope = using_config(&Config::dtype, Dtype::kFloat64);
  EXPECT_EQ(L::Linear(3, 2)(x).dtype(), Dtype::kFloat64);
}

TEST(LinksPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/guide/links.md",
                                       "docs/guide/links_md_test.cc", 7);
}

}  // namespace
