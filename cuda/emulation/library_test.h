#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "catena/cuda/emulation/runtime.h"
#include "cuda_runtime.h"

// For tests of emulated libraries.
namespace catena::cuda::emulation {

// Memory of the current device.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t size) : size_(size) {
    EXPECT_EQ(cudaMalloc(&data_, size * sizeof(T)), cudaSuccess);
  }
  explicit DeviceArray(const std::vector<T>& values)
      : DeviceArray(values.size()) {
    EXPECT_EQ(
        cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyDefault),
        cudaSuccess);
  }
  ~DeviceArray() { EXPECT_EQ(cudaFree(data_), cudaSuccess); }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() const { return data_; }
  size_t size() const { return size_; }
  // Waits for the stream.
  std::vector<T> read(cudaStream_t stream) const {
    std::vector<T> result(size_);
    EXPECT_EQ(cudaMemcpyAsync(result.data(), data_, size_ * sizeof(T),
                              cudaMemcpyDefault, stream),
              cudaSuccess);
    return result;
  }

 private:
  T* data_ = nullptr;
  size_t size_;
};

class LibraryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    reset_devices();
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
              cudaSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
  }

  // Whether the stream has work to do.
  bool is_pending() const {
    const cudaError_t status = cudaStreamQuery(stream_);
    static_cast<void>(cudaGetLastError());
    return status == cudaErrorNotReady;
  }

  cudaStream_t stream_ = nullptr;
};

}  // namespace catena::cuda::emulation
