#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "catena/array/core/shape.h"
#include "catena/serializers/hdf5_messages.h"

namespace catena::serializers::hdf5 {

// The chunks that cover a dataset, in C order. Those at its ends reach beyond.
class ChunkGrid {
 public:
  // Shapes of as many axes, with extents above 0.
  ChunkGrid(const Shape& shape, const Shape& chunk);

  const Shape& shape() const { return shape_; }
  const Shape& chunk() const { return chunk_; }
  // How many chunks there are.
  int64_t size() const { return size_; }
  // The place of a chunk by its index along each axis; nullopt if it is outside
  // of the dataset.
  std::optional<int64_t> place(const std::vector<uint64_t>& at) const;
  // The first element of a chunk.
  Shape first_element(int64_t place) const;

 private:
  Shape shape_;
  Shape chunk_;
  Shape counts_;
  int64_t size_ = 1;
};

// A chunk in the file.
struct Chunk {
  int64_t place;  // in the grid
  uint64_t address;
  uint64_t bytes;
  uint32_t filter_mask;  // bit i: it skips filter i
};

// The chunks of a dataset that are in the file, in any order. `max_extents` as
// in the dataspace; without filters a chunk has `chunk_bytes`. Throws IoError
// when the index is damaged.
std::vector<Chunk> read_chunk_index(Walk& walk, const Layout& layout,
                                    const ChunkGrid& grid,
                                    const std::vector<uint64_t>& max_extents,
                                    bool has_filters, uint64_t chunk_bytes);

}  // namespace catena::serializers::hdf5
