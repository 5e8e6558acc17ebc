// Fuzz target: any bytes as a vocab.bpe give a tokenizer or an IoError, and
// what a tokenizer encodes it decodes, as valid UTF-8.

#include <cstdint>
#include <string>
#include <string_view>

#include "catena/array/core/error.h"
#include "catena/dataset/tokenizers/utf8.h"
#include "catena/dataset/tokenizers/vocab_bpe.h"
#include "catena/tests/fuzzing/mend.h"
#include "catena/tests/support/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace catena::datasets;
  static const catena::testing::MemoryFile file;
  try {
    const Tokenizer tokenizer = read_vocab_bpe(
        file.with(data, size), {.limits = {.total_bytes = 1 << 20}});
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    std::string valid;
    append_valid_utf8(text.substr(0, 4096), valid);
    if (tokenizer.decode(tokenizer.encode(text.substr(0, 4096))) != valid) {
      __builtin_trap();
    }
  } catch (const catena::IoError&) {
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned seed) {
  return catena::testing::mutate_and_mend(data, size, max_size, seed,
                                          catena::testing::mend_gzip);
}
