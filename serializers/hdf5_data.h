#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/core/shape.h"
#include "catena/array/io/load_limits.h"
#include "catena/serializers/hdf5_chunk_index.h"
#include "catena/serializers/hdf5_format.h"
#include "catena/serializers/hdf5_messages.h"
#include "catena/serializers/hdf5_object.h"

namespace catena::serializers::hdf5 {

// Throws IoError when a dataset's layout is damaged or its data elsewhere.
Layout read_layout_of(const ObjectHeader& dataset, std::string_view where);

// The elements of a dataset in the file, as bytes in the file's order.
class StoredData {
 public:
  // Finds the elements, of a shape whose bytes are within the limits. Throws
  // IoError when the layout is damaged or in another file, a filter is unknown,
  // a chunk is missing, or the elements or a chunk have more bytes than the
  // limits' ratio allows for what they take in the file.
  StoredData(Walk& walk, const ObjectHeader& dataset, const Dataspace& space,
             const Shape& shape, int64_t element_bytes,
             const LoadLimits& limits);

  // The bytes of memory that reading takes besides the elements; if that is
  // more than some 32 MB, one thread has them all.
  int64_t buffer_bytes() const;
  // Fills `to`, which has exactly the elements' bytes; those of each element
  // are in reverse order if `is_reversed`. Large data is read in parallel.
  // Throws IoError when a chunk is damaged.
  void read(std::span<char> to, bool is_reversed = false) const;

 private:
  [[noreturn]] void refuse(std::string_view expected,
                           std::string_view actual) const;
  [[noreturn]] void refuse_chunk(std::string_view expected,
                                 std::string_view actual) const;
  void check_ratio(int64_t bytes, int64_t stored,
                   const LoadLimits& limits) const;
  void check_contiguous(const LoadLimits& limits) const;
  void find_chunks(Walk& walk, const Dataspace& space, const Shape& shape,
                   const LoadLimits& limits);
  Shape chunk_shape(int axes, const LoadLimits& limits) const;
  void check_chunks(const LoadLimits& limits);
  void read_contiguous(std::span<char> to, bool is_reversed) const;
  void read_chunks(std::span<char> to, bool is_reversed) const;
  void fill(std::span<char> to) const;

  const File& file_;
  std::string where_;
  Layout layout_;
  std::vector<Filter> filters_;
  std::string fill_value_;
  int64_t element_bytes_;
  int64_t bytes_;  // of all elements
  // If the elements are in chunks:
  std::optional<ChunkGrid> grid_ = {};
  int64_t chunk_bytes_ = 0;
  int64_t largest_stored_ = 0;
  std::vector<Chunk> chunks_ = {};  // in the order of the grid
};

}  // namespace catena::serializers::hdf5
