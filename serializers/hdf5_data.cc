#include "catena/serializers/hdf5_data.h"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/io/byte_order.h"
#include "catena/array/io/checked_byte_count.h"
#include "catena/serializers/hdf5_filters.h"

namespace catena::serializers::hdf5 {
namespace {

// The bytes that one thread reads, or decodes, at least.
constexpr int64_t kReadGrain = 8 << 20;
constexpr int64_t kDecodeGrain = 256 << 10;
constexpr int64_t kReversedBlock = 256 << 10;
// Threads begin at multiples of this, so that no element is in two parts.
constexpr int64_t kLargestElement = 8;
// What the buffers of all threads may take, unless one needs more.
constexpr int64_t kBuffers = 32 << 20;

std::vector<Filter> read_filters_of(const ObjectHeader& dataset) {
  const auto message = dataset.find(MessageType::kFilters);
  return message ? read_filters(*message) : std::vector<Filter>();
}

// Copies the elements of chunks into an array; those at its ends reach beyond
// it.
class Placement {
 public:
  Placement(const ChunkGrid& grid, int64_t element_bytes)
      : shape_(grid.shape()),
        chunk_(grid.chunk()),
        to_strides_(contiguous_strides(shape_, element_bytes)),
        from_strides_(contiguous_strides(chunk_, element_bytes)),
        element_bytes_(element_bytes) {}

  // Where the chunk with this first element begins in the array.
  int64_t offset(const Shape& first) const {
    int64_t offset = 0;
    for (int i = 0; i < first.ndim(); ++i) offset += first[i] * to_strides_[i];
    return offset;
  }

  // The bytes of such a chunk that are in the array, if they are its first ones
  // and next to each other in the array, too; otherwise nullopt.
  std::optional<int64_t> run_bytes(const Shape& first) const {
    int axis = 0;
    while (axis + 1 < chunk_.ndim() && chunk_[axis] == 1) ++axis;
    for (int i = axis + 1; i < chunk_.ndim(); ++i) {
      if (chunk_[i] != shape_[i]) return std::nullopt;
    }
    return inside(first, axis) * to_strides_[axis];
  }

  void copy(const Shape& first, const char* from, char* to) const {
    to += offset(first);
    if (const auto run = run_bytes(first)) {
      std::copy_n(from, *run, to);
    } else {
      copy_axis(first, 0, from, to);
    }
  }

  // Whether such a chunk reaches beyond the array.
  bool is_partial(const Shape& first) const {
    for (int i = 0; i < first.ndim(); ++i) {
      if (inside(first, i) < chunk_[i]) return true;
    }
    return false;
  }

 private:
  // The chunk's extent inside the array.
  int64_t inside(const Shape& first, int axis) const {
    return std::min(chunk_[axis], shape_[axis] - first[axis]);
  }

  void copy_axis(const Shape& first, int axis, const char* from,
                 char* to) const {
    const int64_t count = inside(first, axis);
    if (axis + 1 == first.ndim()) {
      std::copy_n(from, count * element_bytes_, to);
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      copy_axis(first, axis + 1, from + i * from_strides_[axis],
                to + i * to_strides_[axis]);
    }
  }

  const Shape& shape_;
  const Shape& chunk_;
  Strides to_strides_;
  Strides from_strides_;
  int64_t element_bytes_;
};

}  // namespace

Layout read_layout_of(const ObjectHeader& dataset, std::string_view where) {
  Layout layout = read_layout(dataset.get(MessageType::kLayout));
  if (dataset.has(MessageType::kExternalFiles) ||
      layout.kind == Layout::Kind::kVirtual) {
    raise<IoError>(
        where, ": expected data in this file, got data kept in another one");
  }
  return layout;
}

StoredData::StoredData(Walk& walk, const ObjectHeader& dataset,
                       const Dataspace& space, const Shape& shape,
                       int64_t element_bytes, const LoadLimits& limits)
    : file_(walk.file()),
      where_(walk.where()),
      layout_(read_layout_of(dataset, where_)),
      filters_(read_filters_of(dataset)),
      fill_value_(
          read_fill_value(dataset, static_cast<uint64_t>(element_bytes))),
      element_bytes_(element_bytes),
      bytes_(size_of(shape) * element_bytes) {
  check_filters(filters_, where_);
  if (bytes_ == 0) return;
  if (layout_.kind == Layout::Kind::kChunked) {
    find_chunks(walk, space, shape, limits);
  } else if (layout_.kind == Layout::Kind::kContiguous) {
    check_contiguous(limits);
  } else if (layout_.data.size() < static_cast<uint64_t>(bytes_)) {
    refuse(str(bytes_, " bytes of data"), str(layout_.data.size()));
  }
}

void StoredData::refuse(std::string_view expected,
                        std::string_view actual) const {
  raise<IoError>(where_, ": expected ", expected, ", got ", actual);
}

void StoredData::refuse_chunk(std::string_view expected,
                              std::string_view actual) const {
  raise<IoError>(where_, ": damaged chunk: expected ", expected, ", got ",
                 actual);
}

void StoredData::check_ratio(int64_t bytes, int64_t stored,
                             const LoadLimits& limits) const {
  const int64_t ratio = std::max<int64_t>(limits.compression_ratio, 1);
  if (bytes / ratio > stored) {
    refuse(str("at most ", ratio, " times the ", stored, " bytes it takes"),
           str(bytes, " bytes"));
  }
}

void StoredData::check_contiguous(const LoadLimits& limits) const {
  const auto bytes = static_cast<uint64_t>(bytes_);
  if (layout_.address == kNoAddress) return check_ratio(bytes_, 0, limits);
  if (layout_.bytes.value_or(bytes) < bytes) {
    refuse(str(bytes, " bytes of data"), str(*layout_.bytes));
  }
  if (!file_.has(layout_.address, bytes)) {
    refuse(str(bytes, " bytes of data at ", layout_.address),
           str("a file that ends at ", file_.end()));
  }
}

Shape StoredData::chunk_shape(int axes, const LoadLimits& limits) const {
  if (axes == 0 || layout_.chunk.size() != static_cast<size_t>(axes)) {
    refuse_chunk(str(axes, " axes"), str(layout_.chunk.size()));
  }
  if (layout_.element_bytes != static_cast<uint64_t>(element_bytes_)) {
    refuse_chunk(str("elements of ", element_bytes_, " bytes"),
                 str(layout_.element_bytes));
  }
  Shape chunk;
  for (const uint64_t extent : layout_.chunk) {
    // What does not fit is larger than any limit.
    chunk.push_back(static_cast<int64_t>(
        std::min(extent, static_cast<uint64_t>(INT64_MAX))));
  }
  if (!array::checked_byte_count_within(limits.array_bytes, chunk,
                                        element_bytes_)) {
    refuse(str("at most ", limits.array_bytes, " bytes"), "a larger chunk");
  }
  return chunk;
}

void StoredData::find_chunks(Walk& walk, const Dataspace& space,
                             const Shape& shape, const LoadLimits& limits) {
  const Shape chunk = chunk_shape(shape.ndim(), limits);
  chunk_bytes_ = size_of(chunk) * element_bytes_;
  grid_.emplace(shape, chunk);
  chunks_ =
      read_chunk_index(walk, layout_, *grid_, space.max_extents,
                       !filters_.empty(), static_cast<uint64_t>(chunk_bytes_));
  check_chunks(limits);
}

// Chunks do not overlap in the file, or few bytes could take a long time.
void StoredData::check_chunks(const LoadLimits& limits) {
  const auto by_place = [](const Chunk& a, const Chunk& b) {
    return a.place < b.place;
  };
  if (!std::is_sorted(chunks_.begin(), chunks_.end(), by_place)) {
    std::sort(chunks_.begin(), chunks_.end(), by_place);
  }
  const auto plain = static_cast<uint64_t>(chunk_bytes_);
  const uint64_t max = compressBound(plain + kSumBytes * filters_.size()) +
                       kSumBytes * filters_.size();
  uint64_t stored = 0;
  for (const Chunk& chunk : chunks_) {
    if (chunk.bytes > max || (filters_.empty() && chunk.bytes != plain)) {
      refuse_chunk(str(filters_.empty() ? "" : "at most ",
                       filters_.empty() ? plain : max, " bytes"),
                   str(chunk.bytes));
    }
    stored += chunk.bytes;
    if (stored > file_.end()) {
      refuse("chunks that fit in the file together", "more: they overlap");
    }
    // Chunks of a small array may still be large.
    const auto bytes = static_cast<int64_t>(chunk.bytes);
    if (chunk_bytes_ > kBuffers) check_ratio(chunk_bytes_, bytes, limits);
    largest_stored_ = std::max(largest_stored_, bytes);
  }
  check_ratio(bytes_, static_cast<int64_t>(stored), limits);
  for (size_t i = 0; i < chunks_.size(); ++i) {
    if (chunks_[i].place != static_cast<int64_t>(i)) {
      refuse_chunk("each once in the file",
                   "one that is missing or there twice");
    }
  }
  if (static_cast<int64_t>(chunks_.size()) != grid_->size()) {
    refuse_chunk(str(grid_->size(), " of them in the file"),
                 str(chunks_.size()));
  }
}

int64_t StoredData::buffer_bytes() const {
  if (chunks_.empty()) return 0;
  return static_cast<int64_t>(
      Decoder::buffer_bytes(filters_, static_cast<uint64_t>(chunk_bytes_),
                            static_cast<uint64_t>(largest_stored_)));
}

void StoredData::read(std::span<char> to, bool is_reversed) const {
  if (bytes_ == 0) return;
  if (layout_.kind == Layout::Kind::kChunked) {
    return read_chunks(to, is_reversed);
  }
  const bool is_compact = layout_.kind == Layout::Kind::kCompact;
  if (!is_compact && layout_.address != kNoAddress) {
    return read_contiguous(to, is_reversed);
  }
  if (is_compact) {
    std::copy_n(layout_.data.begin(), to.size(), to.begin());
  } else {
    fill(to);
  }
  if (is_reversed) array::reverse_bytes(to, element_bytes_);
}

void StoredData::read_contiguous(std::span<char> to, bool is_reversed) const {
  // What is reversed is still in the cache.
  const int64_t block = is_reversed ? kReversedBlock : bytes_;
  const auto read_some = [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const auto some =
          to.subspan(static_cast<size_t>(begin),
                     static_cast<size_t>(std::min(block, end - begin)));
      file_.read(layout_.address + static_cast<uint64_t>(begin), some);
      if (is_reversed) array::reverse_bytes(some, element_bytes_);
      begin += static_cast<int64_t>(some.size());
    }
  };
  cpu::parallel_for(bytes_, kReadGrain, read_some, kLargestElement);
}

void StoredData::read_chunks(std::span<char> to, bool is_reversed) const {
  const auto count = static_cast<int64_t>(chunks_.size());
  const int64_t threads = std::clamp<int64_t>(kBuffers / buffer_bytes(), 1,
                                              cpu::parallel_threads());
  const int64_t grain =
      std::max((count - 1) / threads + 1, kDecodeGrain / chunk_bytes_);
  const Placement placement(*grid_, element_bytes_);
  cpu::parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    Decoder decoder(filters_, static_cast<uint64_t>(chunk_bytes_),
                    static_cast<uint64_t>(largest_stored_), where_);
    for (int64_t i = begin; i < end; ++i) {
      const Chunk& chunk = chunks_[static_cast<size_t>(i)];
      const Shape first = grid_->first_element(chunk.place);
      const bool is_plain = filters_.empty() || (layout_.edges_are_unfiltered &&
                                                 placement.is_partial(first));
      if (is_plain && static_cast<int64_t>(chunk.bytes) != chunk_bytes_) {
        refuse_chunk(str(chunk_bytes_, " bytes"), str(chunk.bytes));
      }
      const bool is_checked =
          !is_plain && decoder.only_checks(chunk.filter_mask) &&
          static_cast<int64_t>(chunk.bytes - kSumBytes) == chunk_bytes_;
      if (const auto run = placement.run_bytes(first);
          run && (is_plain || (is_checked && *run == chunk_bytes_))) {
        const auto some =
            to.subspan(static_cast<size_t>(placement.offset(first)),
                       static_cast<size_t>(*run));
        file_.read(chunk.address, some);
        if (is_checked) {
          std::array<char, kSumBytes> sum;
          file_.read(chunk.address + some.size(), sum);
          decoder.check(some, sum);
        }
        if (is_reversed) array::reverse_bytes(some, element_bytes_);
        continue;
      }
      const std::span<char> stored = decoder.stored(chunk.bytes);
      file_.read(chunk.address, stored);
      const std::span<char> plain =
          is_plain ? stored : decoder.decode(chunk.filter_mask);
      if (is_reversed) array::reverse_bytes(plain, element_bytes_);
      placement.copy(first, plain.data(), to.data());
    }
  });
}

void StoredData::fill(std::span<char> to) const {
  const auto element = static_cast<size_t>(element_bytes_);
  const std::string value =
      fill_value_.empty() ? std::string(element, '\0') : fill_value_;
  for (size_t i = 0; i < to.size(); i += element) {
    std::copy_n(value.begin(), element, to.subspan(i).begin());
  }
}

}  // namespace catena::serializers::hdf5
