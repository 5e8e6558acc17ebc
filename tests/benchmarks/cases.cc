#include "catena/tests/benchmarks/cases.h"

#include "catena/array/channels_last.h"
#include "catena/array/core/device.h"
#include "catena/array/random/random.h"

namespace catena::benchmarks {

std::vector<Case> cases() {
  std::vector<Case> all = array_cases();
  for (const auto& more :
       {image_cases(), cupy_cases(), network_cases(), transformer_cases()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

int64_t size_of_case(const CaseOptions& options, int64_t small, int64_t gpu,
                     int64_t cpu) {
  if (options.small) return small;
  return current_device().backend() == Backend::kCuda ? gpu : cpu;
}

int64_t batch_of_case(const CaseOptions& options, int64_t small, int64_t gpu,
                      int64_t cpu) {
  return options.batch > 0 ? options.batch
                           : size_of_case(options, small, gpu, cpu);
}

Array uniform(const Shape& shape, Dtype dtype) {
  return array::random::uniform(-1.0, 1.0, shape, Dtype::kFloat32)
      .astype(dtype, Array::CopyPolicy::kIfNeeded);
}

Array examples(const Shape& shape, const CaseOptions& options) {
  const Array x = uniform(shape, options.dtype);
  return options.channels_last ? array::in_channels_last(x) : x;
}

Array integers(int64_t limit, const Shape& shape) {
  return array::random::randint(0, limit, shape).astype(Dtype::kInt32);
}

}  // namespace catena::benchmarks
