#include "catena/serializers/hdf5_chunks.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/serializers/hdf5_library.h"

namespace catena::serializers::hdf5 {
namespace {

using Bytes = std::vector<char>;

constexpr size_t kSumBytes = 4;

// A sum modulo 2^16 - 1, in 16 bits; the result is 0 only for sum 0.
uint64_t fold(uint64_t sum) {
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

// Fletcher's checksum of big-endian words of 16 bits.
uint32_t fletcher32(std::span<const char> bytes) {
  uint64_t first = 0;
  uint64_t second = 0;
  constexpr size_t kWords = 256;  // so that the sums fit in 64 bits
  while (!bytes.empty()) {
    const auto some = bytes.first(std::min(bytes.size(), 2 * kWords));
    for (size_t i = 0; i < some.size(); i += 2) {
      const auto high = static_cast<uint8_t>(some[i]);
      const auto low =
          i + 1 < some.size() ? static_cast<uint8_t>(some[i + 1]) : uint8_t{0};
      first += static_cast<uint64_t>(high << 8 | low);
      second += first;
    }
    first = fold(first);
    second = fold(second);
    bytes = bytes.subspan(some.size());
  }
  return static_cast<uint32_t>(second << 16 | first);
}

class ChunkReader {
 public:
  ChunkReader(hid_t dataset, hid_t type, hid_t creation, const Array& array,
              const std::string& where)
      : dataset_(dataset), array_(array), where_(where) {
    type_ = owned(H5Tcopy(type), H5Tclose, where, "cannot read its type");
    memory_type_ = memory_type(array.dtype());
    std::array<hsize_t, kMaxDims> extents = {};
    const int ndim = checked(H5Pget_chunk(creation, kMaxDims, extents.data()),
                             where, "bad chunks");
    if (ndim != array.ndim()) refuse(str(array.ndim(), " axes"), str(ndim));
    for (int axis = 0; axis < ndim; ++axis) {
      chunk_.push_back(static_cast<int64_t>(extents[axis]));
    }
    const int filters =
        checked(H5Pget_nfilters(creation), where, "bad filters");
    for (int i = 0; i < filters; ++i) {
      unsigned flags = 0;
      unsigned config = 0;
      size_t values = 0;
      filters_.push_back(
          checked(H5Pget_filter2(creation, static_cast<unsigned>(i), &flags,
                                 &values, nullptr, 0, nullptr, &config),
                  where, "bad filters"));
    }
  }

  void read() const {
    // The first element of each chunk, in order.
    Shape at = chunk_;
    for (int64_t& index : at) index = 0;
    if (array_.size() == 0) return;
    for (int axis = 0; axis >= 0;) {
      place(at, read_chunk(at));
      for (axis = array_.ndim() - 1; axis >= 0; --axis) {
        at[axis] += chunk_[axis];
        if (at[axis] < array_.shape()[axis]) break;
        at[axis] = 0;
      }
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& expected,
                           const std::string& actual) const {
    raise<IoError>(where_, ": damaged chunk: expected ", expected, ", got ",
                   actual);
  }

  Array read_chunk(const Shape& at) const {
    const std::vector<hsize_t> offset(at.begin(), at.end());
    Array chunk = array::empty(chunk_, array_.dtype(), native_device());
    const auto bytes = static_cast<size_t>(chunk.nbytes());
    unsigned mask = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t stored = 0;
    checked(H5Dget_chunk_info_by_coord(dataset_, offset.data(), &mask, &address,
                                       &stored),
            where_, "cannot find a chunk");
    if (address == HADDR_UNDEF) refuse("it in the file", "none");
    if (mask != 0) refuse("every filter", "one that is skipped");
    const size_t max =
        filters_.empty() ? bytes : compressBound(bytes + kSumBytes) + kSumBytes;
    if (stored > max) refuse(str("at most ", max, " bytes"), str(stored));
    Bytes raw(stored);
    checked(read_raw(offset.data(), raw), where_, "cannot read a chunk");
    undo_filters(raw, bytes);
    std::memcpy(chunk.raw_data(), raw.data(), bytes);
    checked(H5Tconvert(type_.id(), memory_type_.id(),
                       static_cast<size_t>(chunk.size()), chunk.raw_data(),
                       nullptr, H5P_DEFAULT),
            where_, "cannot convert a chunk");
    return chunk;
  }

  // The chunk as stored in the file, which has as many bytes as `raw`.
  herr_t read_raw(const hsize_t* offset, Bytes& raw) const {
    uint32_t skipped = 0;
#if H5_VERSION_GE(2, 0, 0)
    size_t size = raw.size();
    return H5Dread_chunk(dataset_, H5P_DEFAULT, offset, &skipped, raw.data(),
                         &size);
#else
    return H5Dread_chunk(dataset_, H5P_DEFAULT, offset, &skipped, raw.data());
#endif
  }

  // The result has exactly `size` bytes.
  void undo_filters(Bytes& raw, size_t size) const {
    for (size_t i = filters_.size(); i-- > 0;) {
      const auto sums = std::count(filters_.begin(),
                                   filters_.begin() + static_cast<int64_t>(i),
                                   H5Z_FILTER_FLETCHER32);
      const size_t before = size + kSumBytes * static_cast<size_t>(sums);
      switch (filters_[i]) {
        case H5Z_FILTER_FLETCHER32:
          take_sum(raw);
          break;
        case H5Z_FILTER_DEFLATE:
          inflate_to(raw, before);
          break;
        case H5Z_FILTER_SHUFFLE:
          unshuffle(raw, before);
          break;
        default:
          refuse("gzip, shuffle and fletcher32 as filters", str(filters_[i]));
      }
    }
    expect_size(raw, size);
  }

  void expect_size(const Bytes& raw, size_t size) const {
    if (raw.size() != size) refuse(str(size, " bytes"), str(raw.size()));
  }

  void take_sum(Bytes& raw) const {
    if (raw.size() < kSumBytes) refuse("a checksum", "none");
    uint32_t expected = 0;
    std::memcpy(&expected, raw.data() + raw.size() - kSumBytes, kSumBytes);
    raw.resize(raw.size() - kSumBytes);
    const uint32_t actual = fletcher32(raw);
    if (actual != expected) refuse(str("checksum ", expected), str(actual));
  }

  void inflate_to(Bytes& raw, size_t size) const {
    Bytes plain(size);
    uLongf got = size;
    uLong used = raw.size();
    const int status =
        uncompress2(reinterpret_cast<Bytef*>(plain.data()), &got,
                    reinterpret_cast<const Bytef*>(raw.data()), &used);
    if (status != Z_OK) refuse("data of gzip", "others, or more");
    plain.resize(got);
    expect_size(plain, size);
    raw = std::move(plain);
  }

  // The first bytes of all items, then the second bytes, ...
  void unshuffle(Bytes& raw, size_t size) const {
    expect_size(raw, size);
    const auto item = static_cast<size_t>(array_.itemsize());
    const size_t items = size / item;
    Bytes plain(raw);
    for (size_t byte = 0; byte < item; ++byte) {
      for (size_t i = 0; i < items; ++i) {
        plain[i * item + byte] = raw[byte * items + i];
      }
    }
    raw = std::move(plain);
  }

  // Chunks at the end extend beyond the array.
  void place(const Shape& at, const Array& chunk) const {
    std::vector<Index> to;
    std::vector<Index> from;
    for (int axis = 0; axis < array_.ndim(); ++axis) {
      const int64_t end =
          std::min(at[axis] + chunk_[axis], array_.shape()[axis]);
      to.emplace_back(Slice(at[axis], end));
      from.emplace_back(Slice(0, end - at[axis]));
    }
    array::basic_index(array_, to).assign(array::basic_index(chunk, from));
  }

  hid_t dataset_;
  const Array& array_;
  const std::string& where_;
  Hdf5Handle type_;
  Hdf5Handle memory_type_;
  Shape chunk_;
  std::vector<H5Z_filter_t> filters_;
};

}  // namespace

void read_chunks(hid_t dataset, hid_t type, hid_t creation, const Array& array,
                 const std::string& where) {
  ChunkReader(dataset, type, creation, array, where).read();
}

}  // namespace catena::serializers::hdf5
