#pragma once

#include <string_view>

#include "catena/autograd/variable.h"

// The `reduce` option of losses.
namespace catena::functions {

// Whether `reduce` is `kind` rather than "no". Throws ValueError naming the
// operation for any other value.
bool reduces(std::string_view reduce, std::string_view kind,
             std::string_view operation);
inline bool is_mean(std::string_view reduce, std::string_view operation) {
  return reduces(reduce, "mean", operation);
}

// The reduction of losses with three options: "sum", "mean" and "no".
enum class LossReduction : uint8_t { kSum, kMean, kNo };
LossReduction loss_reduction(std::string_view reduce,
                             std::string_view operation);
Variable reduce_loss(const Variable& losses, LossReduction reduction);

}  // namespace catena::functions
