#include "catena/cuda/record_params.h"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "catena/cuda/error.h"

namespace catena::cuda {
namespace {

bool is_known(uint64_t address) {
  cudaPointerAttributes attributes{};
  const cudaError_t status = cudaPointerGetAttributes(
      &attributes, reinterpret_cast<const void*>(address));
  ignore(status);
  return status == cudaSuccess && attributes.type != cudaMemoryTypeUnregistered;
}

// Numbers rarely are where memory can be, so that few of them cost a question.
bool is_address(uint64_t word) {
  constexpr uint64_t kFirst = uint64_t{1} << 20;
  constexpr uint64_t kEnd = uint64_t{1} << 48;
  if (word < kFirst || word >= kEnd) return false;
  return is_known(word) || is_known(word - 1);  // the end of an array
}

}  // namespace

void record_bytes(WorkRecord& record, const void* data, size_t bytes) {
  std::vector<uint64_t> words(bytes / 8 + (bytes % 8 == 0 ? 0 : 1));
  std::memcpy(words.data(), data, bytes);
  for (uint64_t& word : words) {
    if (is_address(word)) word = ~uint64_t{0};
  }
  record.add_bytes(words.data(), bytes);
}

}  // namespace catena::cuda
