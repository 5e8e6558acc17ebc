#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "catena/array/array.h"
#include "catena/serializers/hdf5_library.h"
#include "catena/serializers/hdf5_reader.h"

// Files that libhdf5 writes, for the tests of Hdf5Reader, and what libhdf5
// reads in them.
namespace catena::serializers {

using Extents = std::vector<hsize_t>;

// How a dataset is stored.
struct SampleStorage {
  H5D_layout_t layout = H5D_CONTIGUOUS;
  Extents chunk = {};
  // The largest shape, H5S_UNLIMITED for any extent; empty: the shape.
  Extents max_shape = {};
  // H5Z_FILTER_DEFLATE, H5Z_FILTER_SHUFFLE and H5Z_FILTER_FLETCHER32.
  std::vector<H5Z_filter_t> filters = {};
  // Whether space is taken when the dataset is created.
  bool is_early = false;
  // Whether chunks that reach beyond the shape have no filters.
  bool has_plain_edges = false;
};

struct SampleOptions {
  // The oldest version of the format that may be used.
  H5F_libver_t version = H5F_LIBVER_EARLIEST;
  hsize_t user_block = 0;
  size_t address_bytes = 8;
  size_t length_bytes = 8;
};

class Hdf5Sample {
 public:
  explicit Hdf5Sample(const std::string& path,
                      const SampleOptions& options = {}) {
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_libver_bounds(access.id(), options.version, H5F_LIBVER_LATEST);
    // Closes what is still open in it.
    H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG);
    // Otherwise many chunks take long.
    H5Pset_cache(access.id(), 0, 200'003, 64 << 20, 0);
    const Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    H5Pset_userblock(creation.id(), options.user_block);
    H5Pset_sizes(creation.id(), options.address_bytes, options.length_bytes);
    file_ = {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()),
             H5Fclose};
    EXPECT_TRUE(file_.is_open());
  }

  hid_t id() const { return file_.id(); }
  void close() { EXPECT_TRUE(file_.reset()); }

  // A dataset that has not been written, and the groups that lead to it.
  Hdf5Handle create(const std::string& key, hid_t type, const Extents& shape,
                    const SampleStorage& storage = {}) {
    return create_as(key, type, shape, storage.max_shape,
                     creation_of(storage).id());
  }
  Hdf5Handle create_as(const std::string& key, hid_t type, const Extents& shape,
                       const Extents& max_shape, hid_t creation) {
    const Hdf5Handle space(
        shape.empty()
            ? H5Screate(H5S_SCALAR)
            : H5Screate_simple(static_cast<int>(shape.size()), shape.data(),
                               max_shape.empty() ? nullptr : max_shape.data()),
        H5Sclose);
    const Hdf5Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(links.id(), 1);
    Hdf5Handle dataset(H5Dcreate2(id(), key.c_str(), type, space.id(),
                                  links.id(), creation, H5P_DEFAULT),
                       H5Dclose);
    EXPECT_TRUE(dataset.is_open()) << key;
    return dataset;
  }

  // A dataset with numbers from 0 to 119, which every dtype but bool has.
  void add(const std::string& key, hid_t type, const Extents& shape,
           const SampleStorage& storage = {}) {
    size_t size = 1;
    for (const hsize_t extent : shape) size *= extent;
    std::vector<int16_t> values(size);
    for (size_t i = 0; i < size; ++i) {
      values[i] = static_cast<int16_t>((i * 37 + i / 120) % 120);
    }
    const Hdf5Handle dataset = create(key, type, shape, storage);
    if (size > 0) write(dataset, H5T_NATIVE_INT16, values.data());
  }

  static void write(const Hdf5Handle& dataset, hid_t type, const void* data) {
    EXPECT_GE(H5Dwrite(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data),
              0);
  }

  static Hdf5Handle creation_of(const SampleStorage& storage) {
    Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_layout(creation.id(), storage.layout);
    if (storage.layout == H5D_CHUNKED) {
      H5Pset_chunk(creation.id(), static_cast<int>(storage.chunk.size()),
                   storage.chunk.data());
    }
    if (storage.is_early) {
      H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY);
    }
    if (storage.has_plain_edges) {
      H5Pset_chunk_opts(creation.id(), H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
    }
    for (const H5Z_filter_t filter : storage.filters) {
      if (filter == H5Z_FILTER_DEFLATE) H5Pset_deflate(creation.id(), 6);
      if (filter == H5Z_FILTER_SHUFFLE) H5Pset_shuffle(creation.id());
      if (filter == H5Z_FILTER_FLETCHER32) H5Pset_fletcher32(creation.id());
    }
    return creation;
  }

 private:
  Hdf5Handle file_;
};

// What Hdf5Reader reads is bit for bit what libhdf5 does.
inline void expect_as_libhdf5(const std::string& path, const std::string& key) {
  SCOPED_TRACE(key);
  const auto entry = Hdf5Reader(path).read(key);
  ASSERT_TRUE(entry.has_value());
  ASSERT_TRUE(std::holds_alternative<Array>(*entry));
  const Array& array = std::get<Array>(*entry);
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
                        H5Fclose);
  const Hdf5Handle dataset(H5Dopen2(file.id(), key.c_str(), H5P_DEFAULT),
                           H5Dclose);
  ASSERT_TRUE(dataset.is_open());
  const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose);
  Extents shape(static_cast<size_t>(H5Sget_simple_extent_ndims(space.id())));
  H5Sget_simple_extent_dims(space.id(), shape.data(), nullptr);
  ASSERT_EQ(Extents(array.shape().begin(), array.shape().end()), shape);
  std::vector<char> expected(static_cast<size_t>(array.nbytes()));
  ASSERT_GE(H5Dread(dataset.id(), hdf5::memory_type(array.dtype()).id(),
                    H5S_ALL, H5S_ALL, H5P_DEFAULT, expected.data()),
            0);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), array.raw_data()));
}

}  // namespace catena::serializers
