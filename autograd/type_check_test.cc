#include "catena/autograd/type_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_node.h"
#include "catena/autograd/testing/live_objects.h"
#include "catena/tests/testing/error_of.h"

namespace catena {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using ::testing::StrEq;
using type_check::make_variable;
using type_check::Term;

// A function of any inputs with a type check by the test.
class Checked final : public FunctionNode {
 public:
  using Check = std::function<void(TypeCheck&)>;

  Checked(Check check, int& calls) : check_(std::move(check)), calls_(calls) {}
  std::string_view label() const override { return "Checked"; }
  void check_type_forward(TypeCheck& in) const override { check_(in); }
  Arrays forward(const Arrays&) override {
    ++calls_;
    return {};
  }
  Variables backward(const Indexes&, const Variables&) override { return {}; }

 private:
  Check check_;
  int& calls_;
};

// in_types[0]: float32 (2, 3); in_types[1]: float64 (3, 12, 1);
// in_types[2]: int32 ().
class TypeCheckTest : public ::testing::Test {
 protected:
  const std::vector<Variable> inputs_ = {
      Variable(array::ones({2, 3}, Dtype::kFloat32)),
      Variable(array::ones({3, 12, 1})),
      Variable(array::ones({}, Dtype::kInt32))};

  void apply(const Checked::Check& check) {
    apply_all<Checked>(std::span(inputs_), check, forward_calls_);
  }

  // What a failed check says between its first and last line.
  std::string failure(const Checked::Check& check) {
    try {
      apply(check);
    } catch (const InvalidType& error) {
      const std::string text = error.what();
      const std::string start =
          "Invalid operation is performed in: Checked (Forward)\n\n";
      EXPECT_EQ(text.substr(0, start.size()), start);
      const size_t end = text.find("\nInputs: ");
      EXPECT_NE(end, std::string::npos);
      EXPECT_EQ(forward_calls_, 0) << "checks come before forward";
      return text.substr(start.size(), end - start.size());
    }
    return "no InvalidType";
  }

  int forward_calls_ = 0;
};

TEST_F(TypeCheckTest, SaysWhatWasExpectedAndWhatCame) {
  EXPECT_THAT(error_of<InvalidType>([&] {
                apply([](TypeCheck& in) { in.expect(in[0].ndim() == 3); });
              }),
              StrEq("Invalid operation is performed in: Checked (Forward)\n"
                    "\n"
                    "Expect: in_types[0].ndim == 3\n"
                    "Actual: 2 != 3\n"
                    "Inputs: in_types[0] float32 (2, 3), in_types[1] float64 "
                    "(3, 12, 1), in_types[2] int32 ()"));
}

TEST_F(TypeCheckTest, TellsTheOppositeOfEachComparison) {
  using Check = Checked::Check;
  const std::pair<Check, const char*> cases[] = {
      {[](TypeCheck& in) { in.expect(in[0].ndim() == in[1].ndim()); },
       "Expect: in_types[0].ndim == in_types[1].ndim\nActual: 2 != 3"},
      {[](TypeCheck& in) { in.expect(in[0].ndim() != 2); },
       "Expect: in_types[0].ndim != 2\nActual: 2 == 2"},
      {[](TypeCheck& in) { in.expect(in[0].shape(0) < 2); },
       "Expect: in_types[0].shape[0] < 2\nActual: 2 >= 2"},
      {[](TypeCheck& in) { in.expect(in[0].shape(1) <= 2); },
       "Expect: in_types[0].shape[1] <= 2\nActual: 3 > 2"},
      {[](TypeCheck& in) { in.expect(in[0].size() > 6); },
       "Expect: in_types[0].size > 6\nActual: 6 <= 6"},
      {[](TypeCheck& in) { in.expect(in[1].shape(-1) >= 2); },
       "Expect: in_types[1].shape[-1] >= 2\nActual: 1 < 2"},
      {[](TypeCheck& in) { in.expect(in.size() == 2); },
       "Expect: size(in_types) == 2\nActual: 3 != 2"},
      {[](TypeCheck& in) { in.expect(in[0].dtype() == in[1].dtype()); },
       "Expect: in_types[0].dtype == in_types[1].dtype\n"
       "Actual: float32 != float64"},
      {[](TypeCheck& in) { in.expect(in[2].dtype() == Dtype::kInt64); },
       "Expect: in_types[2].dtype == int64\nActual: int32 != int64"},
      {[](TypeCheck& in) { in.expect(in[0].shape() == in[1].shape()); },
       "Expect: in_types[0].shape == in_types[1].shape\n"
       "Actual: (2, 3) != (3, 12, 1)"},
      {[](TypeCheck& in) {
         in.expect(in[0].shape() != Shape({2, 3}));
       },
       "Expect: in_types[0].shape != (2, 3)\nActual: (2, 3) == (2, 3)"},
  };
  for (const auto& [check, expected] : cases) {
    EXPECT_EQ(failure(check), expected);
  }
}

TEST_F(TypeCheckTest, PassesWithoutATrace) {
  apply([](TypeCheck& in) {
    const testing::ExpectNoSurvivors survivors;
    in.expect(in.size() == 3, in[0].ndim() == 2, in[0].dtype() != in[1].dtype(),
              in[0].shape(1) == in[1].shape(0), in[2].ndim() == 0,
              in[0].shape() == Shape({2, 3}));
    in.expect_floating(in[0]);
    in.expect_integral(in[2]);
  });
  EXPECT_EQ(forward_calls_, 1);
}

TEST_F(TypeCheckTest, StopsAtTheFirstFailure) {
  EXPECT_EQ(failure([](TypeCheck& in) {
              in.expect(in[0].ndim() == 2, in[0].shape(0) == 5,
                        in[0].shape(1) == 7);
            }),
            "Expect: in_types[0].shape[0] == 5\nActual: 2 != 5");
}

TEST_F(TypeCheckTest, CallsInputsByTheirNames) {
  EXPECT_THAT(
      error_of<InvalidType>([&] {
        apply([](TypeCheck& in) {
          const auto [x, w, n] = in.names<3>({"x", "W", "n"});
          in.expect(x.shape(1) == w.shape(1));
        });
      }),
      HasSubstr("Expect: x.shape[1] == W.shape[1]\nActual: 3 != 12\n"
                "Inputs: x float32 (2, 3), W float64 (3, 12, 1), n int32 "
                "()"));
}

TEST_F(TypeCheckTest, CountsTheInputs) {
  EXPECT_EQ(failure([](TypeCheck& in) {
              in.names<2>({"x", "W"});
            }),
            "Expect: size(in_types) == 2\nActual: 3 != 2");
  EXPECT_EQ(failure([](TypeCheck& in) {
              in.names<5>({"a", "b", "c", "d", "e"}, 4);
            }),
            "Expect: size(in_types) >= 4\nActual: 3 < 4");
  EXPECT_EQ(failure([](TypeCheck& in) {
              in.names<2>({"a", "b"}, 1);
            }),
            "Expect: size(in_types) <= 2\nActual: 3 > 2");
  EXPECT_NO_THROW(apply([](TypeCheck& in) {
    in.names<4>({"a", "b", "c", "d"}, 2);
  }));
}

TEST_F(TypeCheckTest, FailsWhereAnAxisOrAnInputIsMissing) {
  EXPECT_EQ(failure([](TypeCheck& in) { in.expect(in[0].shape(2) == 1); }),
            "Expect: in_types[0].ndim > 2\nActual: 2 <= 2");
  EXPECT_EQ(failure([](TypeCheck& in) { in.expect(in[0].shape(-3) == 1); }),
            "Expect: in_types[0].ndim >= 3\nActual: 2 < 3");
  EXPECT_EQ(failure([](TypeCheck& in) { in.expect(in[3].ndim() == 1); }),
            "Expect: size(in_types) > 3\nActual: 3 <= 3");
}

TEST_F(TypeCheckTest, CalculatesWithTerms) {
  EXPECT_NO_THROW(apply([](TypeCheck& in) {
    const auto a = in[0].shape(0);  // 2
    const auto b = in[0].shape(1);  // 3
    const auto c = in[1].shape(1);  // 12
    in.expect(c == b * 4, a + b == 5, a - b == -1, c / 5 == 2, c % 5 == 2,
              (a - b) / 2 == -1, (a - b) % 5 == 4, a * b + c >= 18,
              2 * a<b + 2, c - (a + b)> 6, b * 4 <= c, a * 2 != b);
  }));
}

TEST_F(TypeCheckTest, PrintsCalculationsWithTheFewestParentheses) {
  EXPECT_EQ(failure([](TypeCheck& in) {
              in.expect(in[0].shape(0) == in[1].shape(1) * 4);
            }),
            "Expect: in_types[0].shape[0] == in_types[1].shape[1] * 4\n"
            "Actual: 2 != 48");
  EXPECT_EQ(failure([](TypeCheck& in) {
              const auto [a, b, c] = in.names<3>({"a", "b", "c"});
              in.expect((a.size() + 1) * 2 - (b.ndim() - c.ndim()) / 3 % 2 ==
                        a.ndim() + b.ndim() + 1);
            }),
            "Expect: (a.size + 1) * 2 - (b.ndim - c.ndim) // 3 % 2 == a.ndim + "
            "b.ndim + 1\n"
            "Actual: 13 != 6");
}

TEST_F(TypeCheckTest, FailsWhereACalculationHasNoResult) {
  EXPECT_EQ(failure([](TypeCheck& in) {
              in.expect(in[0].size() / in[2].ndim() == 0);
            }),
            "Expect: in_types[0].size // in_types[2].ndim == 0\n"
            "Actual: no integer != 0");
  EXPECT_EQ(failure([](TypeCheck& in) {
              in.expect(in[0].size() % in[2].ndim() != 1);
            }),
            "Expect: in_types[0].size % in_types[2].ndim != 1\n"
            "Actual: no integer == 1");
  static constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  EXPECT_THAT(failure([](TypeCheck& in) {
                in.expect(Term(kMin) / (in[2].ndim() - 1) > 0);
              }),
              HasSubstr("Actual: no integer <= 0"));
  EXPECT_THAT(
      failure([](TypeCheck& in) { in.expect(in[0].size() * kMin + 1 == 1); }),
      HasSubstr("Actual: no integer != 1"));
  EXPECT_NO_THROW(apply([](TypeCheck& in) {
    in.expect(Term(kMin) % (in[2].ndim() - 1) == 0,
              Term(7) / (in[2].ndim() - 1) == -7);
  }));
}

TEST_F(TypeCheckTest, CallsValuesByName) {
  EXPECT_EQ(failure([](TypeCheck& in) {
              in.expect(in[0].shape(1) % make_variable(2, "groups") == 0);
            }),
            "Expect: in_types[0].shape[1] % groups == 0\nActual: 1 != 0");
}

int64_t sum_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{0});
}

TEST_F(TypeCheckTest, NamesCallsInMessages) {
  EXPECT_EQ(failure([](TypeCheck& in) {
              in.expect(call("sum", sum_of, in[1].shape()) == 10);
            }),
            "Expect: sum(in_types[1].shape) == 10\nActual: 16 != 10");
  EXPECT_EQ(failure([](TypeCheck& in) {
              const auto half = [](int64_t n) { return n / 2; };
              in.expect(call("half", half, in[0].size() + 2) * 2 < 4);
            }),
            "Expect: half(in_types[0].size + 2) * 2 < 4\nActual: 8 >= 4");
  EXPECT_THAT(failure([](TypeCheck& in) {
                in.expect(call("sum", sum_of, in[1].ndim()) == 10);
              }),
              HasSubstr("Actual: no integer != 10"));
}

TEST_F(TypeCheckTest, KnowsPowersAndNegation) {
  EXPECT_EQ(failure([](TypeCheck& in) {
              in.expect(pow(in[0].ndim(), 3) - 1 == -in[0].size());
            }),
            "Expect: in_types[0].ndim ** 3 - 1 == -in_types[0].size\n"
            "Actual: 7 != -6");
  EXPECT_EQ(failure([](TypeCheck& in) {
              const auto n = in[0].ndim();
              in.expect(pow(-n, pow(n, 2)) == -pow(n + 1, 2));
            }),
            "Expect: (-in_types[0].ndim) ** in_types[0].ndim ** 2 == "
            "-(in_types[0].ndim + 1) ** 2\n"
            "Actual: 16 != -9");
  EXPECT_THAT(
      failure([](TypeCheck& in) { in.expect(pow(in[0].ndim(), 64) == 0); }),
      HasSubstr("Actual: no integer != 0"));
  EXPECT_THAT(
      failure([](TypeCheck& in) { in.expect(pow(in[0].ndim(), -1) == 0); }),
      HasSubstr("Actual: no integer != 0"));
}

TEST_F(TypeCheckTest, PrintsAndEvaluatesExpressions) {
  const std::vector<VariableRef> inputs(inputs_.begin(), inputs_.end());
  TypeCheck in("f", inputs);
  const auto [x, y, z] = in.names<3>({"x", "y", "z"});
  EXPECT_EQ(in.to_string(x.shape(1) == 4), "x.shape[1] == 4");
  EXPECT_EQ(in.to_string(x.size() * 2 + y.ndim()), "x.size * 2 + y.ndim");
  EXPECT_EQ(in.to_string(z.dtype()), "z.dtype");
  EXPECT_EQ(eval(x.size() * 2 + y.ndim()), 15);
  EXPECT_EQ(eval(x.shape(-1)), 3);
  EXPECT_THAT(error_of<ValueError>([x = x] { eval(x.dtype()); }),
              HasSubstr("eval: expected a number"));
}

TEST_F(TypeCheckTest, TellsKindsOfDtypesApart) {
  EXPECT_EQ(failure([](TypeCheck& in) { in.expect_floating(in[2]); }),
            "Expect: in_types[2].dtype is floating\nActual: int32");
  EXPECT_EQ(failure([](TypeCheck& in) { in.expect_integral(in[1]); }),
            "Expect: in_types[1].dtype is an integer\nActual: float64 (labels "
            "and indices are integers: t.astype(Dtype::kInt32))");
  EXPECT_EQ(failure([](TypeCheck& in) { in.expect_same_dtype(); }),
            "Expect: in_types[0].dtype == in_types[1].dtype\n"
            "Actual: float32 != float64");
}

TEST_F(TypeCheckTest, RejectsShapesThatDoNotBroadcast) {
  EXPECT_THAT(failure([](TypeCheck& in) { in.expect_broadcastable(); }),
              HasSubstr("Expect: shapes that broadcast together\nActual: "));
}

TEST_F(TypeCheckTest, FailsWithWordsOfTheCallers) {
  EXPECT_EQ(failure([](TypeCheck& in) { in.fail("a square", "a line"); }),
            "Expect: a square\nActual: a line");
}

TEST_F(TypeCheckTest, IsNotDoneWhereTheConfigSaysSo) {
  const auto scope = using_config(&Config::type_check, false);
  apply([](TypeCheck& in) { in.fail("anything", "something"); });
  EXPECT_EQ(forward_calls_, 1);
}

TEST(TermTest, ComparesOnlyValuesOfOneKind) {
  EXPECT_TRUE((Term(2) == Term(2)).ok);
  EXPECT_EQ(Term(2).value, 2);
  EXPECT_FALSE((Term(static_cast<int>(Dtype::kInt8)) == Term(Dtype::kInt8)).ok);
  EXPECT_FALSE((Term(2) == Term(Shape({2}))).ok);
  EXPECT_TRUE((Term(2) + 3 == 5).ok);
  EXPECT_FALSE((Term(Dtype::kInt8) + 1 == 2).ok);
}

}  // namespace
}  // namespace catena
