#include "catena/tests/numbers/function_exceptions.h"

#include <vector>

namespace catena::testing {

std::string_view text_of(Expected expected) {
  switch (expected) {
    case Expected::kSameInAnyLayout:
      return "the same in any layout";
    case Expected::kNanSpreads:
      return "NaN where an input is NaN";
    case Expected::kNanGradientSpreads:
      return "gradients that are NaN where one of an output is";
    case Expected::kShapesStay:
      return "the same shapes with infinities";
    case Expected::kTakesNoExamples:
      return "results for an empty batch";
    case Expected::kGivesNothing:
      return "no gradients of an empty batch";
    case Expected::kSameWithoutAxes:
      return "results for arguments without axes";
  }
  return "";
}

std::span<const FunctionException> function_exceptions() {
  using enum Expected;
  constexpr std::string_view kMatrix = "an argument is one matrix";
  constexpr std::string_view kNoise = "the cases pass arrays of noise";
  constexpr std::string_view kSequences =
      "the batch is the second axis of the states, whose first is layers";
  constexpr std::string_view kBoxes =
      "no pixel is in a box with an edge that is NaN";
  constexpr std::string_view kDecomposed =
      "a decomposition of NaN or infinity is an error, as in array/linalg";
  static const std::vector<FunctionException> kExceptions = {
      {"as_strided", kTakesNoExamples, "the cases pass shapes and strides"},
      {"binary_accuracy", kNanSpreads, "NaN is not above 0: a wrong answer"},
      {"broadcast_to", kTakesNoExamples, "the cases pass shapes"},
      {"cholesky", kNanSpreads, kDecomposed},
      {"cholesky", kShapesStay, kDecomposed},
      {"cholesky", kTakesNoExamples, kMatrix},
      {"decorrelated_batch_normalization", kNanSpreads, kDecomposed},
      {"decorrelated_batch_normalization", kShapesStay, kDecomposed},
      {"det", kTakesNoExamples, kMatrix},
      {"gaussian", kTakesNoExamples, kNoise},
      {"gumbel_softmax", kTakesNoExamples, kNoise},
      {"inv", kTakesNoExamples, kMatrix},
      {"n_step_gru", kTakesNoExamples, kSequences},
      {"n_step_lstm", kTakesNoExamples, kSequences},
      {"n_step_rnn", kTakesNoExamples, kSequences},
      {"negative_sampling", kTakesNoExamples, "the cases pass samples"},
      {"pad", kSameWithoutAxes, "there is no axis to pad"},
      {"roi_average_align_2d", kNanSpreads, kBoxes},
      {"roi_max_align_2d", kNanSpreads, kBoxes},
      {"roi_pooling_2d", kNanSpreads,
       "an index of an image that is NaN is an error"},
      {"roi_pooling_2d", kShapesStay,
       "an index of an image that is infinite is an error"},
      {"scatter_add", kTakesNoExamples, "the cases pass indices"},
      {"upsampling_2d", kTakesNoExamples, "the cases pass indices"},
  };
  return kExceptions;
}

}  // namespace catena::testing
