#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/serializers/archive.h"
#include "catena/tests/support/memory_file.h"

// Shared by the fuzz targets of all formats.
namespace catena::serializers {

// A few values of every kind. `start` distinguishes values in a file from
// others.
struct FuzzValues {
  explicit FuzzValues(int64_t start)
      : number(start),
        text(std::to_string(start)),
        matrix(array::full({2, 3}, start).astype(Dtype::kFloat32)),
        half(array::full({3}, start).astype(Dtype::kFloat16)) {}

  void serialize(const Serializer& serializer) {
    serializer("number", number);
    serializer("text", text);
    serializer["group"]("matrix", matrix);
    serializer["group"]("half", half);
    serializer("open", open);
  }
  bool is_untouched() const {
    return number == 0 && text == "0" && !open.defined() &&
           matrix[{1, 2}].item<float>() == 0;
  }

  int64_t number;
  std::string text;
  Array matrix, half, open;
};

// A file with these bytes, until the next call.
inline std::string fuzz_file(const uint8_t* data, size_t size) {
  static const auto& file = *new testing::MemoryFile;
  return file.with(data, size);
}

inline constexpr LoadLimits kFuzzLimits = {
    .members = 100, .total_bytes = 1 << 22, .array_bytes = 1 << 20};

// Loading with load(path, values, options) succeeds or throws an IoError and
// changes nothing.
template <class Load>
void load_fuzz(const uint8_t* data, size_t size, Load load) {
  const std::string file = fuzz_file(data, size);
  for (const bool strict : {true, false}) {
    FuzzValues values(0);
    try {
      load(file, values, {.strict = strict, .limits = kFuzzLimits});
    } catch (const IoError&) {
      if (!values.is_untouched()) std::abort();
    }
  }
}

}  // namespace catena::serializers
