// Fuzz target: any bytes as a tokenizer.json give a tokenizer or an IoError. A
// tokenizer encodes any text, decodes to valid UTF-8, token by token or at
// once, and is the same after it was saved.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/dataset/tokenizers/tokenizer_file.h"
#include "catena/dataset/tokenizers/utf8.h"
#include "catena/tests/support/memory_file.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using namespace catena;
using namespace catena::datasets;

std::vector<int32_t> encode(const Tokenizer& tokenizer, std::string_view text) {
  try {
    return tokenizer.encode(text, {.allow_special_tokens = true});
  } catch (const ValueError&) {  // a vocabulary without an unknown token
    return {};
  }
}

void check(const Tokenizer& tokenizer, std::string_view text) {
  const std::vector<int32_t> ids = encode(tokenizer, text);
  const std::string decoded = tokenizer.decode(ids);
  if (valid_utf8_size(decoded) != decoded.size()) __builtin_trap();
  StreamDecoder stream(tokenizer);
  std::string streamed;
  for (const int32_t id : ids) streamed += stream.add(id);
  if (streamed + stream.finish() != decoded) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const testing::MemoryFile file;
  static const testing::TempFolder folder;
  const LoadLimits limits = {.total_bytes = 1 << 20};
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const Tokenizer tokenizer = read_tokenizer(file.with(data, size), limits);
    check(tokenizer, bytes.substr(0, 4096));
    check(tokenizer, "I'll say  e\u0301 \u4F60 12345\n\n<s> \xFF\xE4\xBD");
    const std::string saved = folder.file("tokenizer.json");
    save_tokenizer(saved, tokenizer);
    if (encode(read_tokenizer(saved, {}), bytes.substr(0, 256)) !=
        encode(tokenizer, bytes.substr(0, 256))) {
      __builtin_trap();
    }
  } catch (const IoError&) {
  }
  return 0;
}
