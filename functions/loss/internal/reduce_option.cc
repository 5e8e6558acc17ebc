#include "catena/functions/loss/internal/reduce_option.h"

#include "catena/array/core/error.h"
#include "catena/functions/math/average.h"
#include "catena/functions/math/sum.h"

namespace catena::functions {

bool reduces(std::string_view reduce, std::string_view kind,
             std::string_view operation) {
  if (reduce == kind) return true;
  if (reduce == "no") return false;
  raise<ValueError>(operation, ": expected reduce \"", kind,
                    "\" or \"no\", got \"", reduce, "\"");
}

LossReduction loss_reduction(std::string_view reduce,
                             std::string_view operation) {
  if (reduce == "sum") return LossReduction::kSum;
  if (reduce == "mean") return LossReduction::kMean;
  if (reduce == "no") return LossReduction::kNo;
  raise<ValueError>(operation,
                    ": expected reduce \"sum\", \"mean\" or \"no\", got \"",
                    reduce, "\"");
}

Variable reduce_loss(const Variable& losses, LossReduction reduction) {
  switch (reduction) {
    case LossReduction::kSum:
      return sum(losses);
    case LossReduction::kMean:
      return average(losses);
    case LossReduction::kNo:
      return losses;
  }
  __builtin_unreachable();
}

}  // namespace catena::functions
