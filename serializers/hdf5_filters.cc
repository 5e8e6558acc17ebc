#include "catena/serializers/hdf5_filters.h"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/io/little_endian.h"
#include "catena/serializers/hdf5_checksums.h"

namespace catena::serializers::hdf5 {
namespace {

bool skips(uint32_t mask, size_t i) { return (mask >> i & 1) != 0; }

// "4 (szip)"
std::string describe(int id) {
  switch (id) {
    case 4:
      return "4 (szip)";
    case 5:
      return "5 (nbit)";
    case 6:
      return "6 (scaleoffset)";
    case 32000:
      return "32000 (LZF)";
    case 32001:
      return "32001 (Blosc)";
    default:
      return str(id);
  }
}

// The first bytes of all items, then the second bytes, ...; kItem is the bytes
// of an item, or 0 if only `item` has them.
template <uint64_t kItem>
void unshuffle_items(const char* from, char* to, uint64_t items,
                     uint64_t item) {
  const uint64_t bytes = kItem == 0 ? item : kItem;
  for (uint64_t i = 0; i < items; ++i) {
    for (uint64_t byte = 0; byte < bytes; ++byte) {
      to[i * bytes + byte] = from[byte * items + i];
    }
  }
}

}  // namespace

void check_filters(const std::vector<Filter>& filters,
                   const std::string& where) {
  int deflates = 0;
  for (const Filter& filter : filters) {
    switch (filter.id) {
      case Filter::kDeflate:
        // Nothing says how many bytes there are between two.
        if (++deflates > 1) {
          raise<IoError>(where, ": expected one gzip filter, got two");
        }
        if (filter.parameters.size() != 1 || filter.parameters[0] > 9) {
          raise<IoError>(where,
                         ": expected a gzip filter with a level from 0 to 9, "
                         "got another");
        }
        break;
      case Filter::kFletcher32:
        break;
      case Filter::kShuffle:
        if (filter.parameters.empty() || filter.parameters[0] == 0) {
          raise<IoError>(where,
                         ": expected a shuffle filter with the bytes of an "
                         "element, got none");
        }
        break;
      default:
        raise<IoError>(where,
                       ": expected gzip, shuffle and fletcher32 as filters, "
                       "got filter ",
                       describe(filter.id));
    }
  }
}

Decoder::Decoder(const std::vector<Filter>& filters, uint64_t chunk_bytes,
                 uint64_t stored_bytes, std::string where)
    : filters_(filters), chunk_bytes_(chunk_bytes), where_(std::move(where)) {
  const uint64_t bytes = buffer_bytes(filters, chunk_bytes, stored_bytes) / 2;
  bytes_ = std::make_unique_for_overwrite<char[]>(bytes);
  next_ = std::make_unique_for_overwrite<char[]>(bytes);
  if (inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
}

uint64_t Decoder::buffer_bytes(const std::vector<Filter>& filters,
                               uint64_t chunk_bytes, uint64_t stored_bytes) {
  return 2 * std::max(chunk_bytes + kSumBytes * filters.size(), stored_bytes);
}

void Decoder::refuse(const std::string& expected,
                     const std::string& actual) const {
  raise<IoError>(where_, ": damaged chunk: expected ", expected, ", got ",
                 actual);
}

std::span<char> Decoder::stored(uint64_t bytes) {
  size_ = bytes;
  return {bytes_.get(), size_};
}

std::span<char> Decoder::decode(uint32_t mask) {
  for (size_t i = filters_.size(); i-- > 0;) {
    const Filter& filter = filters_[i];
    if (skips(mask, i)) {
      if (filter.is_optional) continue;
      refuse("every filter that is not optional", str("no filter ", filter.id));
    }
    switch (filter.id) {
      case Filter::kFletcher32:
        take_sum();
        break;
      case Filter::kDeflate: {
        // What the filters before have added was compressed, too.
        uint64_t bytes = chunk_bytes_;
        for (size_t before = 0; before < i; ++before) {
          if (filters_[before].id == Filter::kFletcher32 &&
              !skips(mask, before)) {
            bytes += kSumBytes;
          }
        }
        inflate_to(bytes);
        break;
      }
      default:
        unshuffle(filter.parameters[0]);
    }
  }
  if (size_ != chunk_bytes_) refuse(str(chunk_bytes_, " bytes"), str(size_));
  return {bytes_.get(), size_};
}

void Decoder::take_sum() {
  if (size_ < kSumBytes) refuse("a checksum", "none");
  size_ -= kSumBytes;
  check({bytes_.get(), size_},
        std::span<const char, kSumBytes>(bytes_.get() + size_, kSumBytes));
}

void Decoder::check(std::span<const char> bytes,
                    std::span<const char, kSumBytes> stored_sum) const {
  const uint64_t expected = array::little_endian(stored_sum);
  const uint32_t actual = fletcher32(bytes);
  if (actual != expected) refuse(str("checksum ", expected), str(actual));
}

bool Decoder::only_checks(uint32_t mask) const {
  return filters_.size() == 1 && filters_[0].id == Filter::kFletcher32 &&
         !skips(mask, 0);
}

void Decoder::inflate_to(uint64_t bytes) {
  inflateReset(&stream_);
  // zlib takes less than 4 GiB at once.
  const auto some = [](uint64_t count) {
    return static_cast<uInt>(
        std::min<uint64_t>(count, std::numeric_limits<uInt>::max()));
  };
  uint64_t used = 0;
  uint64_t made = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    const uInt in = some(size_ - used);
    const uInt out = some(bytes - made);
    stream_.next_in = reinterpret_cast<Bytef*>(bytes_.get() + used);
    stream_.avail_in = in;
    stream_.next_out = reinterpret_cast<Bytef*>(next_.get() + made);
    stream_.avail_out = out;
    // Without progress, it returns Z_BUF_ERROR.
    status = ::inflate(&stream_, Z_NO_FLUSH);
    used += in - stream_.avail_in;
    made += out - stream_.avail_out;
  }
  if (status != Z_STREAM_END) {
    refuse(str("gzip data of ", bytes, " bytes"), "other data, or more");
  }
  if (made != bytes) refuse(str(bytes, " bytes"), str(made));
  size_ = made;
  bytes_.swap(next_);
}

void Decoder::unshuffle(uint64_t item) {
  const uint64_t items = size_ / item;
  switch (item) {
    case 2:
      unshuffle_items<2>(bytes_.get(), next_.get(), items, item);
      break;
    case 4:
      unshuffle_items<4>(bytes_.get(), next_.get(), items, item);
      break;
    case 8:
      unshuffle_items<8>(bytes_.get(), next_.get(), items, item);
      break;
    default:
      unshuffle_items<0>(bytes_.get(), next_.get(), items, item);
  }
  // What is not a whole item stays where it was.
  std::copy(bytes_.get() + items * item, bytes_.get() + size_,
            next_.get() + items * item);
  bytes_.swap(next_);
}

}  // namespace catena::serializers::hdf5
