// The code of type_check.md: compiled, run, and compared with the page.

#include "catena/docs/guide/type_check_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ScaleRowsUnchecked : public FunctionNode {
 public:
  std::string_view label() const override { return "scale_rows"; }

  Arrays forward(const Arrays& in) override {
    retain_inputs({0, 1});
    return {in[0] * in[1].expand_dims(1)};  // (N, C) * (N, 1)
  }

  Variables backward(const Indexes& /*wanted*/, const Variables& gy) override {
    const Variable x = retained_input(0), s = retained_input(1);
    return {gy[0] * F::expand_dims(s, 1), F::sum(gy[0] * x, 1)};
  }
};

class ScaleRows : public ScaleRowsUnchecked {
 public:
  void check_type_forward(TypeCheck& in) const override {
    const auto [x, s] = in.names<2>({"x", "s"});
    in.expect_floating(x);
    in.expect(x.dtype() == s.dtype(), x.ndim() == 2, s.ndim() == 1);
    in.expect(x.shape(0) == s.shape(0));
  }
};

// Swaps groups and channels: 0 1 2 | 3 4 5 becomes 0 3 | 1 4 | 2 5.
class Shuffle : public FunctionNode {
 public:
  explicit Shuffle(int64_t groups) : groups_(groups) {}
  std::string_view label() const override { return "shuffle"; }

  void check_type_forward(TypeCheck& in) const override {
    const auto [x] = in.names<1>({"x"});
    const int ndim = x.array().ndim();
    if (ndim != 3 && ndim != 4)
      in.fail("x.ndim is 3 or 4", std::to_string(ndim));
    in.expect(x.shape(1) % type_check::make_variable(groups_, "groups") == 0);
  }

  Arrays forward(const Arrays& in) override {
    const Shape& s = in[0].shape();
    const Array groups = in[0].reshape({s[0], groups_, s[1] / groups_, -1});
    return {groups.transpose({0, 2, 1, 3}).reshape(s)};
  }

  Variables backward(const Indexes& /*wanted*/, const Variables& gy) override {
    return {catena::apply<Shuffle>({gy[0]}, gy[0].shape()[1] / groups_)};
  }

 private:
  int64_t groups_;
};

TEST(TypeCheckPageTest, ACheckFindsWhatBroadcastingHides) {
  const Variable x(xp::ones({3, 3}, Dtype::kFloat32));
  const Variable s(xp::ones({3, 1}, Dtype::kFloat32));       // should be (3,)
  const Variable wrong = apply<ScaleRowsUnchecked>({x, s});  // (3, 3, 3)
  EXPECT_EQ(wrong.shape(), (Shape{3, 3, 3}));

  ::testing::internal::CaptureStdout();
  try {
    apply<ScaleRows>({x, s});
  } catch (const InvalidType& error) {
    std::cout << error.what() << '\n';
  }
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "Invalid operation is performed in: scale_rows (Forward)\n\n"
            "Expect: s.ndim == 1\n"
            "Actual: 2 != 1\n"
            "Inputs: x float32 (3, 3), s float32 (3, 1)\n");
}

TEST(TypeCheckPageTest, GoodInputsPass) {
  const Array x = xp::array({{1.0, 2.0}, {3.0, 4.0}}),
              s = xp::array({2.0, 3.0});
  const auto f = [](const Variable& x, const Variable& s) {
    return apply<ScaleRows>({x, s});
  };
  EXPECT_THAT(f(x, s).data(), IsArray(xp::array({{2.0, 4.0}, {9.0, 12.0}})));
  gradient_check::check_backward(f, {x, s}, {xp::ones({2, 2})});
  EXPECT_THROW(f(x, xp::ones({3})), InvalidType);
  EXPECT_THROW(f(x, s.astype(Dtype::kFloat32)), InvalidType);
  EXPECT_THAT([&] { f(x.astype(Dtype::kInt32), s); },
              ThrowsMessage<InvalidType>(
                  HasSubstr("Expect: x.dtype is floating\nActual: int32")));
  EXPECT_THAT([&] { apply<ScaleRows>({as_variable(x)}); },
              ThrowsMessage<InvalidType>(
                  HasSubstr("Expect: size(in_types) == 2\nActual: 1 != 2")));
}

TEST(TypeCheckPageTest, OwnValuesHaveNames) {
  const Array x = xp::arange(6.0).reshape({1, 6, 1});
  const auto f = [](const Variable& x) { return apply<Shuffle>({x}, 2); };
  EXPECT_THAT(f(x).data().flatten(),
              IsArray(xp::array({0.0, 3.0, 1.0, 4.0, 2.0, 5.0})));
  gradient_check::check_backward(f, {x}, {x});
  EXPECT_THAT(
      [&] {
        apply<Shuffle>({as_variable(xp::ones({1, 8, 2, 2}))}, 3);
      },
      ThrowsMessage<InvalidType>(
          HasSubstr("Expect: x.shape[1] % groups == 0\nActual: 2 != 0")));
  EXPECT_THAT(
      [&] {
        apply<Shuffle>({as_variable(xp::ones({6, 6}))}, 3);
      },
      ThrowsMessage<InvalidType>(
          HasSubstr("Expect: x.ndim is 3 or 4\nActual: 2")));
}

// Asks for an axis that need not exist.
class SecondAxis : public Shuffle {
 public:
  SecondAxis() : Shuffle(1) {}
  void check_type_forward(TypeCheck& in) const override {
    const auto [x] = in.names<1>({"x"});
    in.expect(x.shape(1) == 3);
  }
};

TEST(TypeCheckPageTest, AMissingAxisIsAFailedCheck) {
  EXPECT_THAT([&] { apply<SecondAxis>({as_variable(xp::ones({3}))}); },
              ThrowsMessage<InvalidType>(
                  HasSubstr("Expect: x.ndim > 1\nActual: 1 <= 1")));
  const auto unchecked = using_config(&Config::type_check, false);
  EXPECT_EQ(apply<ScaleRows>(
                {as_variable(xp::ones({3, 3})), as_variable(xp::ones({3, 1}))})
                .ndim(),
            3);
}

TEST(TypeCheckPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/guide/type_check.md",
                                       "docs/guide/type_check_md_test.cc", 6);
}

}  // namespace
