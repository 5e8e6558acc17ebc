// Networks end as well in 16 bits as in float32; the sizes are those of a quick
// test. autocast_results_long_test has the programs' own.

#include "catena/examples/support/autocast_results.h"

#include <gtest/gtest.h>

#include <string>

namespace catena::examples {
namespace {

class AutocastResultsTest : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Dtypes, AutocastResultsTest,
                         ::testing::Values("bfloat16", "float16"),
                         [](const auto& info) {
                           return std::string(info.param);
                         });

TEST_P(AutocastResultsTest, OfDigits) {
  expect_results_of_float32({.program = "mnist/train_mnist_cnn",
                             .arguments = {"--epoch=5"},
                             .result = "validation/main/loss"},
                            GetParam());
}

TEST_P(AutocastResultsTest, OfWords) {
  expect_results_of_float32({.program = "ptb/train_ptb",
                             .arguments = {"--test", "--unit=50", "--epoch=70"},
                             .result = "main/loss"},
                            GetParam());
}

TEST_P(AutocastResultsTest, OfCharacters) {
  expect_results_of_float32(
      {.program = "gpt/train_char",
       .arguments = {"--layers=2", "--units=32", "--context=16",
                     "--iteration=100", "--interval=100"},
       .result = "validation/main/loss"},
      GetParam());
}

}  // namespace
}  // namespace catena::examples
