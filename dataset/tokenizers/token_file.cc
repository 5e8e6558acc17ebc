#include "catena/dataset/tokenizers/token_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <new>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/creation.h"
#include "catena/array/from_data.h"
#include "catena/array/io/byte_source.h"
#include "catena/array/io/file_map.h"

namespace catena::datasets {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the formats are little endian");

constexpr int64_t kItemBytes = sizeof(uint16_t);
using Header = std::array<int32_t, 256>;
constexpr int64_t kHeaderBytes = sizeof(Header);
constexpr int32_t kMagic = 20240520;
constexpr int32_t kVersion = 1;

// Returns the number of tokens behind the header.
int64_t check_header(const array::ByteSource& source) {
  if (source.size() < kHeaderBytes) {
    raise<IoError>(source.where(), ": expected a header of ", kHeaderBytes,
                   " bytes, got ", source.size(), " bytes in all");
  }
  Header header;
  source.read(0, {reinterpret_cast<char*>(header.data()), sizeof header});
  if (header[0] != kMagic || header[1] != kVersion) {
    raise<IoError>(source.where(), ": expected a header that begins with ",
                   kMagic, " and ", kVersion, ", got ", header[0], " and ",
                   header[1]);
  }
  const int64_t count = header[2];
  if (count < 0 || source.size() - kHeaderBytes != count * kItemBytes) {
    raise<IoError>(source.where(), ": expected ", count,
                   " tokens of 2 bytes behind the header, got ",
                   source.size() - kHeaderBytes, " bytes");
  }
  return count;
}

void check_ids(const uint16_t* ids, int64_t count, int64_t vocabulary,
               const array::ByteSource& source) {
  const uint16_t* const end = ids + count;
  const uint16_t* const found = std::find_if(
      ids, end, [vocabulary](uint16_t id) { return id >= vocabulary; });
  if (found == end) return;
  raise<IoError>(source.where(), ": expected ids below ", vocabulary, ", got ",
                 int64_t{*found}, " as token ", found - ids);
}

}  // namespace

Array map_tokens(const std::string& path, const MapTokensOptions& options) try {
  if (options.vocabulary && *options.vocabulary < 1) {
    raise<ValueError>("map_tokens: expected a positive vocabulary, got ",
                      *options.vocabulary);
  }
  const array::ByteSource source =
      array::ByteSource::open(path, "map_tokens", options.limits);
  const bool has_header = options.format == TokenFileFormat::kLlmC;
  if (!has_header && source.size() % kItemBytes != 0) {
    raise<IoError>(source.where(), ": expected tokens of 2 bytes, got ",
                   source.size(), " bytes");
  }
  const int64_t count =
      has_header ? check_header(source) : source.size() / kItemBytes;
  if (count == 0) return array::empty({0}, Dtype::kUInt16, native_device());
  const std::shared_ptr<char> memory =
      array::map_file(path, array::MapMode::kCopyOnWrite, source);
  char* const data = memory.get() + (has_header ? kHeaderBytes : 0);
  if (options.vocabulary) {
    check_ids(reinterpret_cast<const uint16_t*>(data), count,
              *options.vocabulary, source);
  }
  return array::from_data(data, {count}, Dtype::kUInt16,
                          {.owner = memory, .device = native_device()});
} catch (const std::bad_alloc&) {
  raise_out_of_memory("map_tokens");
}

}  // namespace catena::datasets
