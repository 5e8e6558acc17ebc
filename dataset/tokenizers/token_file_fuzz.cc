// Fuzz target: any bytes as a file of tokens, of both formats, give an array of
// ids of the vocabulary or an IoError.

#include <cstdint>

#include "catena/array/core/error.h"
#include "catena/dataset/tokenizers/token_file.h"
#include "catena/tests/support/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace catena::datasets;
  static const catena::testing::MemoryFile file;
  for (const auto format :
       {TokenFileFormat::kNanoGpt, TokenFileFormat::kLlmC}) {
    try {
      const catena::Array tokens = map_tokens(
          file.with(data, size), {.format = format, .vocabulary = 20'000});
      for (int64_t i = 0; i < tokens.size(); ++i) {
        if (tokens.data<uint16_t>()[i] >= 20'000) __builtin_trap();
      }
    } catch (const catena::IoError&) {
    }
  }
  return 0;
}
