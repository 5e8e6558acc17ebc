#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/core/dtype.h"
#include "catena/serializers/hdf5_format.h"
#include "catena/serializers/hdf5_object.h"

// What the messages of a dataset's header say. All functions throw IoError when
// a message is damaged, or of a version that no release of HDF5 writes.
namespace catena::serializers::hdf5 {

// The extents of a dataset.
struct Dataspace {
  enum class Kind { kNull, kScalar, kSimple };
  Kind kind = Kind::kScalar;
  std::vector<uint64_t> extents = {};
  // To which they may grow; UINT64_MAX: without limit.
  std::vector<uint64_t> max_extents = {};
};
Dataspace read_dataspace(Cursor message);

// The type of a dataset's elements.
struct Datatype {
  enum class Kind { kNumber, kText, kVariableText, kOther };
  Kind kind = Kind::kOther;
  // The size of one element.
  uint64_t bytes = 0;
  // What numbers are.
  Dtype dtype = Dtype::kBool;
  bool is_big_endian = false;
  // What does not belong to a text of fixed length: what is behind its first
  // zero, or the zeros or spaces at its end.
  enum class Padding { kTerminated, kZeros, kSpaces };
  Padding padding = Padding::kTerminated;
  // The kind of others: "compound", say.
  std::string_view name = {};
};
Datatype read_datatype(Cursor message);

// How the chunks of a dataset are found.
enum class ChunkIndex {
  kBTree1,
  kSingle,
  kImplicit,
  kFixedArray,
  kExtensibleArray,
  kBTree2,
};

// Where the elements of a dataset are.
struct Layout {
  enum class Kind { kCompact, kContiguous, kChunked, kVirtual };
  Kind kind = Kind::kCompact;
  // The elements, if compact.
  std::string data = {};
  // The elements or the index of the chunks.
  uint64_t address = kNoAddress;
  // The size of contiguous elements, or of a single chunk with filters;
  // nullopt: that of the elements.
  std::optional<uint64_t> bytes = {};
  // The rest is about chunks. Their extents:
  std::vector<uint64_t> chunk = {};
  uint64_t element_bytes = 0;
  ChunkIndex index = ChunkIndex::kBTree1;
  // Whether chunks that are partly outside of the dataset have no filters.
  bool edges_are_unfiltered = false;
  // The filters that a single chunk skips.
  uint32_t filter_mask = 0;
};
Layout read_layout(Cursor message);

// A step in the encoding of chunks.
struct Filter {
  static constexpr int kDeflate = 1;
  static constexpr int kShuffle = 2;
  static constexpr int kFletcher32 = 3;

  int id = 0;
  // Whether chunks may skip it.
  bool is_optional = false;
  std::vector<uint32_t> parameters = {};
};
std::vector<Filter> read_filters(Cursor message);

// The bytes of the element that stands for those which have never been written;
// empty for zeros. Throws IoError when it has another size than the elements.
std::string read_fill_value(const ObjectHeader& header, uint64_t element_bytes);

// An attribute of an object.
struct Attribute {
  Datatype type;
  Dataspace space;
  std::string data;
};
// nullopt if it has another name. Throws IoError when it is damaged, or its
// datatype is shared.
std::optional<Attribute> read_attribute(Cursor message, std::string_view name);

}  // namespace catena::serializers::hdf5
