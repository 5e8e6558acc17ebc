#include "catena/functions/evaluation/r2_score.h"

#include "catena/array/core/error.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/type_check.h"

namespace catena::functions {
namespace {

constexpr std::string_view kName = "r2_score";

bool is_uniform(std::string_view multioutput) {
  if (multioutput == "uniform_average") return true;
  if (multioutput == "raw_values") return false;
  raise<ValueError>(kName,
                    ": expected multioutput \"uniform_average\" or "
                    "\"raw_values\", got \"",
                    multioutput, "\"");
}

}  // namespace

Variable r2_score(const Variable& pred, const Variable& truth,
                  const R2ScoreOptions& options) {
  const bool averages = is_uniform(options.multioutput);
  if (config().type_check) {
    const VariableRef inputs[] = {pred, truth};
    TypeCheck in(kName, inputs);
    const auto [a, b] = in.names<2>({"pred", "truth"});
    in.expect_floating(a);
    in.expect(a.dtype() == b.dtype(), a.shape() == b.shape());
    in.expect(a.ndim() >= type_check::Term(1));
  }
  const Array& y = truth.data();
  const Array error = array::sum_of_squares(pred.data() - y, {.axis = 0});
  const Array variation = array::sum_of_squares(
      y - array::mean(y, {.axis = 0, .keepdims = true}), {.axis = 0});
  const Array score =
      array::where(array::not_equal(variation, 0), 1 - error / variation, 0.0)
          .astype(y.dtype(), Array::CopyPolicy::kIfNeeded);
  return as_variable(averages ? array::mean(score) : score);
}

}  // namespace catena::functions
