// Networks end as well in bfloat16 as in float32, some minutes each.

#include <gtest/gtest.h>

#include "catena/examples/support/autocast_results.h"

namespace catena::examples {
namespace {

TEST(AutocastResultsLongTest, OfDigits) {
  expect_results_of_float32({.program = "mnist/train_mnist_cnn",
                             .arguments = {},
                             .result = "validation/main/accuracy"},
                            "bfloat16");
}

TEST(AutocastResultsLongTest, OfWords) {
  expect_results_of_float32({.program = "ptb/train_ptb",
                             .arguments = {},
                             .result = "validation/main/loss"},
                            "bfloat16");
}

TEST(AutocastResultsLongTest, OfCharacters) {
  expect_results_of_float32({.program = "gpt/train_char",
                             .arguments = {},
                             .result = "validation/main/loss"},
                            "bfloat16");
}

}  // namespace
}  // namespace catena::examples
