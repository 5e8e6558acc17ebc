// Fuzz target: reading any bytes as a .npy file gives a value or an IoError,
// and the value, unless it is text in an unknown encoding, survives a round
// trip.

#include <cstdint>
#include <span>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/io/byte_sink.h"
#include "catena/array/io/byte_source.h"
#include "catena/array/io/npy.h"
#include "catena/tests/fuzzing/mend.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using catena::array::ByteSource;
  using catena::array::SourceStream;
  constexpr catena::LoadLimits kLimits = {.array_bytes = 1 << 20};
  const std::span<const char> bytes(reinterpret_cast<const char*>(data), size);
  const ByteSource source = ByteSource::of_memory(bytes, "fuzz");
  SourceStream stream(source);
  try {
    const auto value = catena::array::read_npy(stream, kLimits);
    std::string written;
    catena::array::StringSink sink(&written);
    catena::array::write_npy(sink, value, "fuzz");
    const ByteSource again = ByteSource::of_memory(written, "fuzz");
    SourceStream second(again);
    catena::array::read_npy(second, {});
  } catch (const catena::IoError&) {
  } catch (const catena::ValueError&) {
    // Text of dtype S, which need not be UTF-8, can be read but not written.
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned seed) {
  return catena::testing::mutate_and_mend(data, size, max_size, seed,
                                          catena::testing::mend_npy);
}
