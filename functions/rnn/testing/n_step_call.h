#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "catena/autograd/variable.h"

namespace catena::functions {

// What tells the functions over sequences apart.
struct NStepFunction {
  int gates;
  bool has_cells;
  bool is_bidirectional;
  std::string_view activation = "";

  int directions() const { return is_bidirectional ? 2 : 1; }
};

inline constexpr NStepFunction kLstm{4, true, false};
inline constexpr NStepFunction kBiLstm{4, true, true};
inline constexpr NStepFunction kGru{3, false, false};
inline constexpr NStepFunction kBiGru{3, false, true};
inline constexpr NStepFunction kTanh{1, false, false, "tanh"};
inline constexpr NStepFunction kBiTanh{1, false, true, "tanh"};
inline constexpr NStepFunction kRelu{1, false, false, "relu"};

// Whether the steps are a list, or one array.
enum class NStepInput : uint8_t { kList, kArray };

// The function with flat inputs, as in the golden files: hx, cx, the weights,
// the biases, the steps. Returns hy, cy and the ys.
std::vector<Variable> call_n_step(const NStepFunction& kind, int64_t n_layers,
                                  double dropout, const Variables& in,
                                  NStepInput form = NStepInput::kList);

// Random inputs of a call, batch_sizes[t] rows in step t.
std::vector<Array> n_step_inputs(const NStepFunction& kind, int64_t n_layers,
                                 const std::vector<int64_t>& batch_sizes,
                                 int64_t in_size, int64_t units, int64_t batch,
                                 Dtype dtype = Dtype::kFloat64);

}  // namespace catena::functions
