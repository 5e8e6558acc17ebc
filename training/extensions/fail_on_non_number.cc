#include "catena/training/extensions/fail_on_non_number.h"

#include "catena/array/core/error.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/training/trainer.h"

namespace catena::training::extensions {
namespace {

// Multiplied by 0, finite numbers become 0, NaN and infinities become NaN.
bool is_all_finite(const Array& x) {
  return array::sum(x * 0.0).item<double>() == 0;
}

}  // namespace

void FailOnNonNumber::operator()(Trainer& trainer) {
  for (const auto& [name, optimizer] : trainer.updater().get_all_optimizers()) {
    for (const auto& [path, param] :
         optimizer->target().namedparams(/*include_uninit=*/false)) {
      if (is_all_finite(param.data())) continue;
      raise<GradientError>(
          "FailOnNonNumber: expected finite parameters, got "
          "NaN or infinity in '",
          name, path, "' after ", trainer.updater().iteration(), " iterations");
    }
  }
}

}  // namespace catena::training::extensions
