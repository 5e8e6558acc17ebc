// The code of core_concept.md: compiled, run, and compared with the page.

#include "catena/docs/guide/core_concept_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"

namespace {

using catena::testing::IsArray;
using ::testing::Each;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// What `code` prints.
template <class Code>
std::string printed(const Code& code) {
  ::testing::internal::CaptureStdout();
  code();
  return ::testing::internal::GetCapturedStdout();
}

namespace first_program {

int main() {
  const Variable x(xp::array({5.0f}));
  const Variable y = x * x - 2 * x + 1;
  y.backward();
  std::cout << "y = " << y.array() << ", dy/dx = " << x.grad() << '\n';
  return 0;
}

}  // namespace first_program

TEST(CoreConceptPageTest, TheFirstProgramPrintsAGradient) {
  EXPECT_EQ(printed(first_program::main), "y = [16.], dy/dx = [8.]\n");
}

// Halves x until it is at most 1.
Variable halve(Variable x) {
  while (x.item<float>() > 1) x = x / 2;
  return x;
}

TEST(CoreConceptPageTest, ControlFlowIsRecordedAsItRan) {
  const auto code = [] {
    const Variable a(xp::array(3.0f));
    const Variable b(xp::array(20.0f));
    halve(a).backward();                               // two steps: 1/4
    halve(b).backward();                               // five steps: 1/32
    std::cout << a.grad() << ' ' << b.grad() << '\n';  // 0.25 0.03125
    EXPECT_EQ(halve(a).rank(), 2);
    EXPECT_EQ(halve(b).rank(), 5);
  };
  EXPECT_EQ(printed(code), "0.25 0.03125\n");
}

TEST(CoreConceptPageTest, AGraphEndsWithItsLastVariable) {
  std::vector<double> losses;
  for (int i = 0; i < 3; ++i) {
    const Variable x(xp::random::normal(0, 1, {4, 2}, Dtype::kFloat32));
    const Variable loss = F::sum(F::square(x));
    loss.backward();
    losses.push_back(loss.item<double>());  // the number, not the variable
  }
  EXPECT_THAT(losses, ::testing::SizeIs(3));
  EXPECT_THAT(losses, Each(Gt(0)));

  // The graph shares the array of x, which squaring needs again.
  const Variable x(xp::ones({4, 2}, Dtype::kFloat32));
  const auto before = x.array().use_count();
  Variable loss = F::sum(F::square(x));
  EXPECT_GT(x.array().use_count(), before);
  loss = Variable();
  EXPECT_EQ(x.array().use_count(), before);
}

TEST(CoreConceptPageTest, GraphsCanBeDrawn) {
  const Variable x(xp::array({5.0f}));
  const Variable y = x * x - 2 * x + 1;
  const auto code = [&] { std::cout << build_computational_graph({y}).dump(); };
  EXPECT_THAT(printed(code), AllOf(StartsWith("digraph"), HasSubstr("_ * _")));
}

TEST(CoreConceptPageTest, TheTrapsAreReal) {
  const Variable x(xp::array({5.0f}));
  const Variable y = x * x;
  EXPECT_EQ(Variable(y.array() * 2).creator_node(), nullptr);
  EXPECT_NE((y * 2).creator_node(), nullptr);

  Variable a = x;
  const Variable b = a;
  EXPECT_TRUE(a.is_same(b));
  a += b;
  EXPECT_FALSE(a.is_same(x));
  EXPECT_THAT(x.array(), IsArray(xp::array({5.0f})));

  const Variable wide(xp::array({5.0}));
  EXPECT_EQ(wide.dtype(), Dtype::kFloat64);
  EXPECT_THROW(x * wide, InvalidType);
}

TEST(CoreConceptPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/guide/core_concept.md",
                                       "docs/guide/core_concept_md_test.cc", 6);
}

}  // namespace
