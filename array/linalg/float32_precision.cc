#include "catena/array/linalg/float32_precision.h"

#include <atomic>
#include <cstdlib>
#include <ostream>
#include <string_view>

#include "catena/array/core/error.h"

namespace catena::array {
namespace {

Float32Precision from_environment() {
  const char* value = std::getenv("CATENA_FLOAT32");
  const std::string_view name = value == nullptr ? "" : value;
  if (name.empty() || name == "exact") return Float32Precision::kExact;
  if (name == "tf32") return Float32Precision::kTf32;
  raise<ValueError>("CATENA_FLOAT32: expected exact or tf32, got '", name, "'");
}

std::atomic<Float32Precision>& setting() {
  static std::atomic<Float32Precision> precision = from_environment();
  return precision;
}

}  // namespace

Float32Precision get_float32_precision() {
  return setting().load(std::memory_order_relaxed);
}

void set_float32_precision(Float32Precision precision) {
  setting().store(precision, std::memory_order_relaxed);
}

std::ostream& operator<<(std::ostream& os, Float32Precision precision) {
  return os << (precision == Float32Precision::kTf32 ? "tf32" : "exact");
}

}  // namespace catena::array
