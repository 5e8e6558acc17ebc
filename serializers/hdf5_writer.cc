#include "catena/serializers/hdf5_writer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/array/io/crc32.h"
#include "catena/serializers/hdf5_key.h"
#include "catena/serializers/hdf5_library.h"

namespace catena::serializers {
namespace {

using array::quote;
using hdf5::checked;
using hdf5::Library;
using hdf5::owned;

// Uncompressed bytes of one chunk; the library caches one chunk.
constexpr int64_t kChunkBytes = 1 << 20;
// Arrays up to this size are stored in the object header, which is limited to
// 64 KiB.
constexpr int64_t kCompactBytes = 32 << 10;

// Chunks of about a megabyte, split along the first axes.
std::vector<hsize_t> chunk_shape(const Array& array) {
  std::vector<hsize_t> chunk(array.shape().begin(), array.shape().end());
  int64_t bytes = array.nbytes();
  for (hsize_t& extent : chunk) {
    if (bytes <= kChunkBytes) break;
    const auto slices = static_cast<int64_t>(extent);
    const int64_t kept =
        std::clamp<int64_t>(kChunkBytes / (bytes / slices), 1, slices);
    bytes = bytes / slices * kept;
    extent = static_cast<hsize_t>(kept);
  }
  return chunk;
}

}  // namespace

Hdf5Writer::Hdf5Writer(const std::string& path, int compression)
    : file_(path, "save_hdf5"), driver_(file_), compression_(compression) {
  if (compression < 0 || compression > 9) {
    raise<ValueError>("save_hdf5: expected a compression from 0 to 9, got ",
                      compression);
  }
  const Library library;
  const Hdf5Handle access = properties(H5P_FILE_ACCESS);
  // Older versions of the format have no checksums.
  set(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_LATEST));
  driver_.set_in(access);
  handle_ =
      owned(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()),
            H5Fclose, where_, "cannot create the file");
}

void Hdf5Writer::set(int status) const {
  checked(status, where_, "cannot set a property");
}

Hdf5Handle Hdf5Writer::properties(int64_t of) const {
  return owned(H5Pcreate(of), H5Pclose, where_, "cannot set properties");
}

// How the elements are stored: in the header or in chunks, since both have
// checksums.
Hdf5Handle Hdf5Writer::storage_of(const Array& array) const {
  Hdf5Handle creation = properties(H5P_DATASET_CREATE);
  const bool is_compressed = compression_ > 0 && array.size() > 1;
  if (!is_compressed && array.nbytes() <= kCompactBytes) {
    set(H5Pset_layout(creation.id(), H5D_COMPACT));
    return creation;
  }
  const std::vector<hsize_t> chunk = chunk_shape(array);
  set(H5Pset_chunk(creation.id(), array.ndim(), chunk.data()));
  if (is_compressed) {
    set(H5Pset_deflate(creation.id(), static_cast<unsigned>(compression_)));
  }
  set(H5Pset_fletcher32(creation.id()));
  return creation;
}

void Hdf5Writer::check_key(std::string_view key) const {
  const auto parts = hdf5::parts_of(key);
  if (!parts) {
    raise<ValueError>(
        "save_hdf5: expected names between slashes as a key, got ", quote(key));
  }
  // A part may name a dataset, which cannot contain entries.
  std::string group;
  for (const std::string& part : *parts) {
    group += (group.empty() ? "" : "/") + part;
    const std::string action = "cannot look for " + group;
    if (checked(H5Lexists(handle_.id(), group.c_str(), H5P_DEFAULT), where_,
                action) == 0) {
      return;
    }
    const Hdf5Handle object =
        owned(H5Oopen(handle_.id(), group.c_str(), H5P_DEFAULT), H5Oclose,
              where_, action);
    if (group == key || H5Iget_type(object.id()) != H5I_GROUP) {
      raise<ValueError>("save_hdf5: expected an unused key, got ", quote(key));
    }
  }
}

void Hdf5Writer::write(std::string_view key, const SerializedValue& value) {
  const Library library;
  check_key(key);
  const std::string path(key);
  if (const auto* array = std::get_if<Array>(&value)) {
    write_array(path, *array);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    write_text(path, *text);
  } else {
    const Hdf5Handle space = space_of(path, H5Screate(H5S_NULL));
    close(path, create(path, H5T_IEEE_F32LE, space.id(), H5P_DEFAULT));
  }
  driver_.check();
}

Hdf5Handle Hdf5Writer::space_of(const std::string& key, int64_t made) const {
  return owned(made, H5Sclose, where_, "cannot write ", key);
}

Hdf5Handle Hdf5Writer::create(const std::string& key, int64_t type,
                              int64_t space, int64_t creation) const {
  const Hdf5Handle links = properties(H5P_LINK_CREATE);
  set(H5Pset_create_intermediate_group(links.id(), 1));
  return owned(H5Dcreate2(handle_.id(), key.c_str(), type, space, links.id(),
                          creation, H5P_DEFAULT),
               H5Dclose, where_, "cannot write ", key);
}

void Hdf5Writer::fill(const std::string& key, const Hdf5Handle& dataset,
                      int64_t type, const void* data) const {
  checked(H5Dwrite(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data),
          where_, "cannot write ", key);
}

void Hdf5Writer::close(const std::string& key, Hdf5Handle handle) const {
  if (handle.reset()) return;
  raise<IoError>(where_, ": cannot write ", key, ": ", hdf5::last_error());
}

void Hdf5Writer::write_array(const std::string& key, const Array& array) {
  const Array values = array.contiguous();
  const std::vector<hsize_t> extents(values.shape().begin(),
                                     values.shape().end());
  const Hdf5Handle space =
      space_of(key, H5Screate_simple(values.ndim(), extents.data(), nullptr));
  const Hdf5Handle creation = storage_of(values);
  const Hdf5Handle type = hdf5::memory_type(values.dtype());
  Hdf5Handle dataset = create(key, type.id(), space.id(), creation.id());
  if (values.size() > 0) fill(key, dataset, type.id(), values.raw_data());
  close(key, std::move(dataset));
}

void Hdf5Writer::write_text(const std::string& key, const std::string& text) {
  if (text.find('\0') != std::string::npos) {
    raise<ValueError>("save_hdf5: ", quote(key),
                      ": expected text without NUL characters, got ",
                      quote(text));
  }
  const Hdf5Handle space = space_of(key, H5Screate(H5S_SCALAR));
  const Hdf5Handle type = hdf5::text_type(text.size());
  const Hdf5Handle creation = properties(H5P_DATASET_CREATE);
  if (static_cast<int64_t>(text.size()) <= kCompactBytes) {
    set(H5Pset_layout(creation.id(), H5D_COMPACT));
  }
  Hdf5Handle dataset = create(key, type.id(), space.id(), creation.id());
  fill(key, dataset, type.id(), text.c_str());
  const uint32_t checksum = array::crc32_of(text);
  Hdf5Handle attribute =
      owned(H5Acreate2(dataset.id(), hdf5::kTextChecksum, H5T_STD_U32LE,
                       space.id(), H5P_DEFAULT, H5P_DEFAULT),
            H5Aclose, where_, "cannot write ", key);
  checked(H5Awrite(attribute.id(), H5T_NATIVE_UINT32, &checksum), where_,
          "cannot write ", key);
  close(key, std::move(attribute));
  close(key, std::move(dataset));
}

void Hdf5Writer::commit() {
  const Library library;
  if (!handle_.reset()) {
    raise<IoError>(where_, ": cannot write: ", hdf5::last_error());
  }
  driver_.finish();
  file_.commit();
}

}  // namespace catena::serializers
