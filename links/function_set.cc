#include "catena/links/function_set.h"

#include "catena/array/core/error.h"

namespace catena {

std::vector<Array> FunctionSet::parameters() const {
  std::vector<Array> arrays;
  for (const Parameter& param : params(/*include_uninit=*/false)) {
    arrays.push_back(param.data());
  }
  return arrays;
}

std::vector<Array> FunctionSet::gradients() const {
  std::vector<Array> arrays;
  for (const Parameter& param : params(/*include_uninit=*/false)) {
    arrays.push_back(param.grad());
  }
  return arrays;
}

std::pair<std::vector<Array>, std::vector<Array>>
FunctionSet::collect_parameters() const {
  return {parameters(), gradients()};
}

void FunctionSet::copy_parameters_from(const std::vector<Array>& arrays) const {
  const auto to = params(/*include_uninit=*/false);
  if (arrays.size() != to.size()) {
    raise<ValueError>("copy_parameters_from: expected ", to.size(),
                      " arrays, got ", arrays.size());
  }
  for (size_t i = 0; i < to.size(); ++i) {
    if (arrays[i].shape() != to[i].shape()) {
      raise<ShapeError>("copy_parameters_from: expected shape ", to[i].shape(),
                        " for array ", i, ", got ", arrays[i].shape());
    }
  }
  for (size_t i = 0; i < to.size(); ++i) {
    to[i].data().assign(arrays[i].to_device(to[i].device()));
    to[i].bump_version();
  }
}

}  // namespace catena
