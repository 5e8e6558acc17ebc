#pragma once

#include <cstdint>
#include <iosfwd>

namespace catena::array {

// How products and convolutions of float32 arrays are computed on a GPU.
enum class Float32Precision : uint8_t {
  // In float32, as on the CPU.
  kExact,
  // Factors are rounded to TF32 (10 bits of mantissa in place of 23, the same
  // exponents), products are added in float32. Tensor cores do this about eight
  // times as fast; most networks train as well.
  kTf32,
};

// One setting for cuBLAS and cuDNN, shared by all threads. It defaults to
// exact, so that results agree with those of the CPU and of Chainer;
// CATENA_FLOAT32=tf32 changes that for a program. CPUs, and GPUs before compute
// capability 8.0, are exact in any case. Throws ValueError when CATENA_FLOAT32
// is neither exact nor tf32.
Float32Precision get_float32_precision();
void set_float32_precision(Float32Precision precision);

// Changes the setting for a scope.
class [[nodiscard]] Float32PrecisionScope {
 public:
  explicit Float32PrecisionScope(Float32Precision precision)
      : previous_(get_float32_precision()) {
    set_float32_precision(precision);
  }
  ~Float32PrecisionScope() { set_float32_precision(previous_); }
  Float32PrecisionScope(const Float32PrecisionScope&) = delete;
  Float32PrecisionScope& operator=(const Float32PrecisionScope&) = delete;

 private:
  Float32Precision previous_;
};

// exact, tf32
std::ostream& operator<<(std::ostream& os, Float32Precision precision);

}  // namespace catena::array
