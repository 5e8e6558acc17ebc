#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/dtype.h"

// What device_benchmark and nn_benchmark measure. torch_benchmark.py has the
// same cases, so change both.
namespace catena::benchmarks {

// Work to repeat, and how much of it a call does.
struct Work {
  std::function<void()> step;
  double amount;
  std::string_view unit;
};

struct CaseOptions {
  Dtype dtype = Dtype::kFloat32;
  // Tiny sizes, for tests.
  bool small = false;
  // Images or sequences in a minibatch. 0: each case's own number, on a GPU
  // larger than on the CPU.
  int64_t batch = 0;
  // Whether images have their channels last in memory.
  bool channels_last = false;
  // Whether training steps are captured (training::CapturedSteps), which copies
  // each minibatch in.
  bool captured = false;
};

struct Case {
  using Prepare = std::function<Work(const CaseOptions& options)>;

  std::string name;
  // Prepares the work on the current device.
  Prepare prepare;
  // The same work by an execution plan that computes in the dtype; null where
  // there is none.
  Prepare prepare_plan = nullptr;
  // What else is measured: other limits on workspaces and, on a GPU, images
  // whose channels are last, and cuDNN's graph API.
  bool convolves = false;
  // The same without convolutions: only images whose channels are last.
  bool has_images = false;
  // What else is measured on a GPU: all recurrent layers in one call of cuDNN.
  bool stacks_layers = false;
  // How a step is captured on a GPU: always the same work, as it is; a training
  // step, prepared with CaseOptions::captured.
  enum class Capture { kNever, kAsItIs, kTraining };
  Capture capture = Capture::kNever;
  bool only_float32 = false;
  // Whether tf32 makes a difference.
  bool multiplies = true;
};

std::vector<Case> network_cases();
std::vector<Case> array_cases();
// Attention, and the training of GPTs.
std::vector<Case> transformer_cases();
// Functions of images, and concatenation.
std::vector<Case> image_cases();
// Those of CuPy's own benchmarks; cupy_benchmark.py has them, too.
std::vector<Case> cupy_cases();
// All of them.
std::vector<Case> cases();

// The size for a case: with options.small, on a GPU, on the CPU.
int64_t size_of_case(const CaseOptions& options, int64_t small, int64_t gpu,
                     int64_t cpu);
// The same for a minibatch, where options.batch decides.
int64_t batch_of_case(const CaseOptions& options, int64_t small, int64_t gpu,
                      int64_t cpu);

// Random values in [-1, 1), and int32 values in [0, limit).
Array uniform(const Shape& shape, Dtype dtype);
Array integers(int64_t limit, const Shape& shape);
// Random values in the dtype, and images (N, C, d...) in the layout, of
// options.
Array examples(const Shape& shape, const CaseOptions& options);

}  // namespace catena::benchmarks
