#include "catena/autograd/debug.h"

#include <algorithm>
#include <cmath>

#include "catena/array/core/error.h"
#include "catena/autograd/variable.h"
#include "catena/autograd/variable_node.h"

namespace catena {
namespace {

// "mean=1.5, std=0.5, min=1, max=2".
std::string statistics_of(const Array& data) {
  if (!data.defined()) return "none";
  if (data.size() == 0) return "empty";
  const Array host =
      data.to_device(native_device()).astype(Dtype::kFloat64).contiguous();
  const double* values = host.data<double>();
  const double* end = values + host.size();
  double mean = 0;
  for (const double* value = values; value != end; ++value) {
    mean += *value / static_cast<double>(host.size());
  }
  double variance = 0;
  for (const double* value = values; value != end; ++value) {
    variance +=
        (*value - mean) * (*value - mean) / static_cast<double>(host.size());
  }
  const auto [min, max] = std::minmax_element(values, end);
  return str("mean=", mean, ", std=", std::sqrt(variance), ", min=", *min,
             ", max=", *max);
}

}  // namespace

std::string Variable::debug_print() const {
  const VariableNode& node = checked_node();
  std::string text = "variable";
  if (!node.name().empty()) text += " " + node.name();
  if (node.has_shape()) {
    text += str("\n- device: ", node.device(), "\n- shape: ", node.shape(),
                "\n- dtype: ", node.dtype());
  }
  return text + str("\n- data: ", statistics_of(data()),
                    "\n- grad: ", statistics_of(grad()));
}

void check_no_nan(const Array& data, std::string_view function,
                  std::string_view phase, const CallStack& applied) {
  if (!is_floating(data.dtype())) return;
  const Array host = data.to_device(native_device()).contiguous();
  visit_dtype(host.dtype(), [&](auto tag) {
    using T = decltype(tag);
    const T* values = host.data<T>();
    for (int64_t i = 0; i < host.size(); ++i) {
      if (!std::isnan(static_cast<double>(values[i]))) continue;
      const std::string caller = applied.caller();
      raise<GradientError>(function, ": NaN in the result of ", phase,
                           ", first at flat index ", i, " of shape ",
                           data.shape(), caller.empty() ? "" : "; applied by ",
                           caller);
    }
  });
}

}  // namespace catena
