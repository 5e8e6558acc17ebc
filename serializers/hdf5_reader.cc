#include "catena/serializers/hdf5_reader.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/array/creation.h"
#include "catena/array/io/byte_source.h"
#include "catena/array/io/checked_byte_count.h"
#include "catena/array/io/crc32.h"
#include "catena/serializers/hdf5_chunks.h"
#include "catena/serializers/hdf5_library.h"

namespace catena::serializers {
namespace {

using array::quote;
using hdf5::checked;
using hdf5::Library;
using hdf5::owned;

// One dataset of an open file.
class Dataset {
 public:
  Dataset(hid_t id, std::string where, const LoadLimits& limits)
      : where_(std::move(where)),
        limits_(limits),
        dataset_(owned(id, H5Dclose, where_, "cannot open the dataset")),
        type_(owned(H5Dget_type(id), H5Tclose, where_, "cannot read its type")),
        space_(
            owned(H5Dget_space(id), H5Sclose, where_, "cannot read its shape")),
        creation_(owned(H5Dget_create_plist(id), H5Pclose, where_,
                        "cannot read its storage")) {}

  // What the array or text takes in memory; IoError above the limits.
  int64_t bytes() const {
    if (H5Sget_simple_extent_type(space_.id()) == H5S_NULL) return 0;
    const auto item = static_cast<int64_t>(H5Tget_size(type_.id()));
    return limited_bytes(shape(), item, "array");
  }

  SerializedValue read() const {
    check_storage();
    const H5S_class_t space = H5Sget_simple_extent_type(space_.id());
    if (space == H5S_NULL) return std::monostate();
    if (H5Tget_class(type_.id()) == H5T_STRING) return read_text();
    const std::optional<Dtype> dtype = hdf5::dtype_of_type(type_.id());
    if (!dtype) refuse("numbers, bool or text", "elements of another type");
    return read_array(*dtype);
  }

 private:
  [[noreturn]] void refuse(std::string_view expected,
                           std::string_view actual) const {
    raise<IoError>(where_, ": expected ", expected, ", got ", actual);
  }

  // Rejects what would make the library open other files or load code.
  void check_storage() const {
    if (H5Pget_layout(creation_.id()) == H5D_VIRTUAL ||
        H5Pget_external_count(creation_.id()) != 0) {
      refuse("data in this file", "data kept in another one");
    }
    const int filters = H5Pget_nfilters(creation_.id());
    for (int i = 0; i < filters; ++i) {
      unsigned flags = 0;
      unsigned config = 0;
      size_t values = 0;
      const H5Z_filter_t filter =
          H5Pget_filter2(creation_.id(), static_cast<unsigned>(i), &flags,
                         &values, nullptr, 0, nullptr, &config);
      if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
          filter != H5Z_FILTER_FLETCHER32) {
        refuse("gzip, shuffle and fletcher32 as filters",
               str("filter ", static_cast<int>(filter)));
      }
    }
  }

  Shape shape() const {
    const int ndim =
        checked(H5Sget_simple_extent_ndims(space_.id()), where_, "bad shape");
    if (ndim > std::min(limits_.dims, kMaxDims)) {
      refuse(str("at most ", std::min(limits_.dims, kMaxDims), " axes"),
             str(ndim));
    }
    std::array<hsize_t, kMaxDims> extents = {};
    checked(H5Sget_simple_extent_dims(space_.id(), extents.data(), nullptr),
            where_, "bad shape");
    Shape shape;
    for (int i = 0; i < ndim; ++i) {
      if (extents[i] > static_cast<hsize_t>(INT64_MAX)) {
        refuse("extents below 2^63", str(extents[i]));
      }
      shape.push_back(static_cast<int64_t>(extents[i]));
    }
    return shape;
  }

  // The bytes of `extents` items; IoError above the limit.
  template <class Extents>
  int64_t limited_bytes(const Extents& extents, int64_t item,
                        std::string_view of_what) const {
    const auto bytes =
        array::checked_byte_count_within(limits_.array_bytes, extents, item);
    if (!bytes) {
      refuse(str("at most ", limits_.array_bytes, " bytes"),
             str("a larger ", of_what));
    }
    return *bytes;
  }

  SerializedValue read_array(Dtype dtype) const {
    const Shape shape = this->shape();
    const int64_t size = item_size(dtype);
    const int64_t bytes = limited_bytes(shape, size, "array");
    if (H5Pget_layout(creation_.id()) == H5D_CHUNKED) {
      std::array<hsize_t, kMaxDims> chunk = {};
      const int ndim =
          checked(H5Pget_chunk(creation_.id(), kMaxDims, chunk.data()), where_,
                  "bad chunks");
      limited_bytes(std::span(chunk).first(static_cast<size_t>(ndim)), size,
                    "chunk");
    }
    const auto stored =
        static_cast<int64_t>(H5Dget_storage_size(dataset_.id()));
    const int64_t ratio = std::max<int64_t>(limits_.compression_ratio, 1);
    if (bytes / ratio > stored) {
      refuse(str("at most ", ratio, " times the ", stored, " bytes it takes"),
             str(bytes, " bytes"));
    }
    Array array = array::empty(shape, dtype, native_device());
    if (H5Pget_layout(creation_.id()) == H5D_CHUNKED) {
      hdf5::read_chunks(dataset_.id(), type_.id(), creation_.id(), array,
                        where_);
    } else if (bytes > 0) {
      checked(H5Dread(dataset_.id(), hdf5::memory_type(dtype).id(), H5S_ALL,
                      H5S_ALL, H5P_DEFAULT, array.raw_data()),
              where_, "cannot read the data");
    }
    // Any other byte in a bool is undefined behaviour.
    if (dtype == Dtype::kBool &&
        std::any_of(array.raw_data(), array.raw_data() + bytes,
                    [](char c) { return c != 0 && c != 1; })) {
      refuse("0 and 1 as bool", "another byte");
    }
    return array;
  }

  SerializedValue read_text() const {
    if (H5Sget_simple_extent_npoints(space_.id()) != 1) {
      refuse("one text", "several");
    }
    // The library would dereference pointers from the file.
    if (H5Tis_variable_str(type_.id()) > 0) {
      refuse("text of fixed length", "text of variable length");
    }
    const std::string text = read_fixed();
    check_text(text);
    return text;
  }

  std::string read_fixed() const {
    const size_t bytes = H5Tget_size(type_.id());
    if (bytes > static_cast<size_t>(limits_.array_bytes)) {
      refuse(str("at most ", limits_.array_bytes, " bytes"), "a longer text");
    }
    std::string text(bytes, '\0');
    checked(H5Dread(dataset_.id(), type_.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                    text.data()),
            where_, "cannot read the text");
    text.resize(std::min(text.size(), text.find('\0')));
    return text;
  }

  // Only files written by catena have the checksum.
  void check_text(const std::string& text) const {
    const std::string_view action = "cannot read the text's checksum";
    const char* name = hdf5::kTextChecksum;
    if (checked(H5Aexists(dataset_.id(), name), where_, action) == 0) return;
    const Hdf5Handle attribute = owned(
        H5Aopen(dataset_.id(), name, H5P_DEFAULT), H5Aclose, where_, action);
    const Hdf5Handle type(H5Aget_type(attribute.id()), H5Tclose);
    const Hdf5Handle space(H5Aget_space(attribute.id()), H5Sclose);
    if (H5Tget_class(type.id()) != H5T_INTEGER ||
        H5Sget_simple_extent_npoints(space.id()) != 1) {
      refuse("a number as checksum", "something else");
    }
    uint32_t expected = 0;
    checked(H5Aread(attribute.id(), H5T_NATIVE_UINT32, &expected), where_,
            action);
    if (array::crc32_of(text) != expected) {
      refuse(str("text with checksum ", expected), str(array::crc32_of(text)));
    }
  }

  std::string where_;
  const LoadLimits& limits_;
  Hdf5Handle dataset_;
  Hdf5Handle type_;
  Hdf5Handle space_;
  Hdf5Handle creation_;
};

}  // namespace

Hdf5Reader::Hdf5Reader(const std::string& path, const LoadLimits& limits)
    : where_(str("load_hdf5: ", array::quote_path(path))), limits_(limits) {
  // The library would wait for the writer of a named pipe.
  array::ByteSource::open(path, "load_hdf5", limits);
  const Library library;
  H5PLset_loading_state(0);  // load no plugins
  handle_ = owned(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose,
                  where_, "cannot open it as an HDF5 file");
}

std::optional<SerializedValue> Hdf5Reader::read(std::string_view key) const {
  const auto parts = hdf5::parts_of(key);
  if (!parts) return std::nullopt;
  const Library library;
  const std::string where = str(where_, ": ", quote(key));
  std::string path;
  for (size_t i = 0; i < parts->size(); ++i) {
    path += (i == 0 ? "" : "/") + (*parts)[i];
    if (checked(H5Lexists(handle_.id(), path.c_str(), H5P_DEFAULT), where,
                "cannot look it up") == 0) {
      return std::nullopt;
    }
    H5L_info_t link;
    checked(H5Lget_info(handle_.id(), path.c_str(), &link, H5P_DEFAULT), where,
            "cannot look it up");
    if (link.type != H5L_TYPE_HARD) {
      raise<IoError>(where,
                     ": expected an entry, got a link to another location");
    }
    const Hdf5Handle object =
        owned(H5Oopen(handle_.id(), path.c_str(), H5P_DEFAULT), H5Oclose, where,
              "cannot open it");
    const bool is_last = i + 1 == parts->size();
    const H5I_type_t wanted = is_last ? H5I_DATASET : H5I_GROUP;
    if (H5Iget_type(object.id()) != wanted) {
      if (!is_last) return std::nullopt;
      raise<IoError>(where, ": expected a dataset, got a group");
    }
  }
  const Dataset dataset(H5Dopen2(handle_.id(), path.c_str(), H5P_DEFAULT),
                        where, limits_);
  if (!read_.contains(path)) count(path, dataset.bytes(), where);
  return dataset.read();
}

void Hdf5Reader::count(const std::string& path, int64_t bytes,
                       const std::string& where) const {
  if (static_cast<int64_t>(read_.size()) >= limits_.members) {
    raise<IoError>(where, ": expected at most ", limits_.members,
                   " entries (LoadLimits::members)");
  }
  if (bytes > limits_.total_bytes - total_bytes_) {
    raise<IoError>(where, ": expected at most ", limits_.total_bytes,
                   " bytes of arrays (LoadLimits::total_bytes), got ", bytes,
                   " besides ", total_bytes_);
  }
  read_.insert(path);
  total_bytes_ += bytes;
}

}  // namespace catena::serializers
