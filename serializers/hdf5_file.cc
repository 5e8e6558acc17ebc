#include "catena/serializers/hdf5_file.h"

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/array/io/quote.h"

namespace catena::serializers {
namespace {

static_assert(sizeof(hid_t) == sizeof(int64_t));

using array::quote;

// Uncompressed bytes of one chunk; the library's cache holds one of these.
constexpr int64_t kChunkBytes = 1 << 20;

// One call into the library at a time, without its own messages on stderr.
class Library {
 public:
  Library() : lock_(mutex()) {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Library() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

 private:
  // Never destroyed: handles may be closed at exit.
  static std::recursive_mutex& mutex() {
    static auto* mutex = new std::recursive_mutex;
    return *mutex;
  }

  std::lock_guard<std::recursive_mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

// What went wrong, in the library's words.
std::string last_error() {
  std::string text;
  const auto keep_first = [](unsigned n, const H5E_error2_t* error,
                             void* data) -> herr_t {
    if (n == 0 && error->desc != nullptr) {
      *static_cast<std::string*>(data) = error->desc;
    }
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  return text.empty() ? "no details" : quote(text);
}

// The results of the library's calls, which are negative when they fail.
template <class Id>
Id checked(Id result, std::string_view where, std::string_view action) {
  if (result < 0) raise<IoError>(where, ": ", action, ": ", last_error());
  return result;
}

Hdf5Handle owned(hid_t id, Hdf5Handle::Close close, std::string_view where,
                 std::string_view action) {
  return {checked(id, where, action), close};
}

// Floats of two bytes, which the library has no name for.
Hdf5Handle half_type(Dtype dtype) {
  const bool is_float16 = dtype == Dtype::kFloat16;
  const size_t mantissa = is_float16 ? 10 : 7;
  const hid_t type = H5Tcopy(H5T_IEEE_F32LE);
  H5Tset_fields(type, 15, mantissa, 15 - mantissa, 0, mantissa);
  H5Tset_size(type, 2);
  H5Tset_ebias(type, is_float16 ? 15 : 127);
  return {type, H5Tclose};
}

// h5py's bool.
Hdf5Handle bool_type() {
  const hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
  for (const int8_t value : {0, 1}) {
    H5Tenum_insert(type, value == 0 ? "FALSE" : "TRUE", &value);
  }
  return {type, H5Tclose};
}

Hdf5Handle text_type() {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return {type, H5Tclose};
}

// The type of a dtype's elements in memory.
Hdf5Handle memory_type(Dtype dtype) {
  const auto copy = [](hid_t type) -> Hdf5Handle {
    return {H5Tcopy(type), H5Tclose};
  };
  switch (dtype) {
    case Dtype::kBool:
      return bool_type();
    case Dtype::kInt8:
      return copy(H5T_NATIVE_INT8);
    case Dtype::kInt16:
      return copy(H5T_NATIVE_INT16);
    case Dtype::kInt32:
      return copy(H5T_NATIVE_INT32);
    case Dtype::kInt64:
      return copy(H5T_NATIVE_INT64);
    case Dtype::kUInt8:
      return copy(H5T_NATIVE_UINT8);
    case Dtype::kUInt16:
      return copy(H5T_NATIVE_UINT16);
    case Dtype::kUInt32:
      return copy(H5T_NATIVE_UINT32);
    case Dtype::kUInt64:
      return copy(H5T_NATIVE_UINT64);
    case Dtype::kFloat16:
    case Dtype::kBFloat16:
      return half_type(dtype);
    case Dtype::kFloat32:
      return copy(H5T_NATIVE_FLOAT);
    case Dtype::kFloat64:
      return copy(H5T_NATIVE_DOUBLE);
  }
  raise<DtypeError>("save_hdf5: expected a dtype, got ",
                    static_cast<int>(dtype));
}

bool equal_in_any_order(hid_t type, hid_t expected) {
  const Hdf5Handle swapped(H5Tcopy(expected), H5Tclose);
  H5Tset_order(swapped.id(), H5T_ORDER_BE);
  return H5Tequal(type, expected) > 0 || H5Tequal(type, swapped.id()) > 0;
}

std::optional<Dtype> integer_dtype(hid_t type) {
  constexpr std::array<Dtype, 4> kSigned = {Dtype::kInt8, Dtype::kInt16,
                                            Dtype::kInt32, Dtype::kInt64};
  constexpr std::array<Dtype, 4> kUnsigned = {Dtype::kUInt8, Dtype::kUInt16,
                                              Dtype::kUInt32, Dtype::kUInt64};
  const size_t size = H5Tget_size(type);
  if (H5Tget_precision(type) != 8 * size) return std::nullopt;
  for (size_t i = 0; i < kSigned.size(); ++i) {
    if (size == size_t{1} << i) {
      return H5Tget_sign(type) == H5T_SGN_NONE ? kUnsigned[i] : kSigned[i];
    }
  }
  return std::nullopt;
}

// The dtype of a file's elements, if they are of one.
std::optional<Dtype> dtype_of_type(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return integer_dtype(type);
    case H5T_FLOAT:
      for (const Dtype dtype : {Dtype::kFloat16, Dtype::kBFloat16,
                                Dtype::kFloat32, Dtype::kFloat64}) {
        if (equal_in_any_order(type, memory_type(dtype).id())) return dtype;
      }
      return std::nullopt;
    case H5T_ENUM:
      if (H5Tequal(type, bool_type().id()) > 0) return Dtype::kBool;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::vector<std::string> parts_of(std::string_view key) {
  std::vector<std::string> parts;
  while (true) {
    const size_t slash = key.find('/');
    parts.emplace_back(key.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    key.remove_prefix(slash + 1);
  }
}

bool is_plain(std::string_view part) {
  return !part.empty() && part != "." && part != ".." &&
         part.find('\0') == std::string_view::npos;
}

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

// One dataset of a file that is being read.
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

  SerializedValue read() const {
    check_storage();
    const H5S_class_t space = H5Sget_simple_extent_type(space_.id());
    if (space == H5S_NULL) return std::monostate();
    if (H5Tget_class(type_.id()) == H5T_STRING) return read_text();
    const std::optional<Dtype> dtype = dtype_of_type(type_.id());
    if (!dtype) refuse("numbers, bool or text", "elements of another type");
    return read_array(*dtype);
  }

 private:
  [[noreturn]] void refuse(std::string_view expected,
                           std::string_view actual) const {
    raise<IoError>(where_, ": expected ", expected, ", got ", actual);
  }

  // What the library would follow to other files, or load code for.
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

  // Bytes of `extents` items; more than the limit are refused.
  int64_t limited_bytes(std::span<const hsize_t> extents, int64_t item,
                        std::string_view of_what) const {
    int64_t bytes = item;
    for (const hsize_t extent : extents) {
      if (__builtin_mul_overflow(bytes, static_cast<int64_t>(extent), &bytes) ||
          bytes < 0 || bytes > limits_.array_bytes) {
        refuse(str("at most ", limits_.array_bytes, " bytes"),
               str("a larger ", of_what));
      }
    }
    return bytes;
  }

  SerializedValue read_array(Dtype dtype) const {
    const Shape shape = this->shape();
    const std::vector<hsize_t> extents(shape.begin(), shape.end());
    const int64_t size = item_size(dtype);
    const int64_t bytes = limited_bytes(extents, size, "array");
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
    if (bytes / limits_.compression_ratio > stored) {
      refuse(str("at most ", limits_.compression_ratio, " times the ", stored,
                 " bytes it takes"),
             str(bytes, " bytes"));
    }
    Array array = array::empty(shape, dtype, native_device());
    if (bytes > 0) {
      checked(H5Dread(dataset_.id(), memory_type(dtype).id(), H5S_ALL, H5S_ALL,
                      H5P_DEFAULT, array.raw_data()),
              where_, "cannot read the data");
    }
    return array;
  }

  SerializedValue read_text() const {
    if (H5Sget_simple_extent_npoints(space_.id()) != 1) {
      refuse("one text", "several");
    }
    std::string text;
    if (H5Tis_variable_str(type_.id()) > 0) {
      const Hdf5Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
      auto most = static_cast<size_t>(limits_.array_bytes);
      const auto allocate = [](size_t bytes, void* limit) {
        return bytes > *static_cast<size_t*>(limit) ? nullptr
                                                    : std::malloc(bytes);
      };
      const auto release = [](void* memory, void*) { std::free(memory); };
      H5Pset_vlen_mem_manager(transfer.id(), allocate, &most, release, nullptr);
      char* data = nullptr;
      checked(H5Dread(dataset_.id(), text_type().id(), H5S_ALL, H5S_ALL,
                      transfer.id(), &data),
              where_, "cannot read the text");
      const std::unique_ptr<char, decltype(&std::free)> owner(data, std::free);
      if (data != nullptr) text = data;
    } else {
      const size_t bytes = H5Tget_size(type_.id());
      if (bytes > static_cast<size_t>(limits_.array_bytes)) {
        refuse(str("at most ", limits_.array_bytes, " bytes"), "a longer text");
      }
      text.resize(bytes);
      checked(H5Dread(dataset_.id(), type_.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                      text.data()),
              where_, "cannot read the text");
      text.resize(std::min(text.size(), text.find('\0')));
    }
    return text;
  }

  std::string where_;
  const LoadLimits& limits_;
  Hdf5Handle dataset_;
  Hdf5Handle type_;
  Hdf5Handle space_;
  Hdf5Handle creation_;
};

}  // namespace

Hdf5Handle& Hdf5Handle::operator=(Hdf5Handle&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(close_, other.close_);
  return *this;
}

bool Hdf5Handle::reset() {
  if (!is_open()) return true;
  const Library library;
  return close_(std::exchange(id_, -1)) >= 0;
}

Hdf5Writer::Hdf5Writer(const std::string& path, int compression)
    : file_(path, "save_hdf5"), compression_(compression) {
  if (compression < 0 || compression > 9) {
    raise<ValueError>("save_hdf5: expected a compression from 0 to 9, got ",
                      compression);
  }
  const Library library;
  handle_ = owned(H5Fcreate(file_.temporary_path().c_str(), H5F_ACC_TRUNC,
                            H5P_DEFAULT, H5P_DEFAULT),
                  H5Fclose, file_.where(), "cannot create the file");
}

void Hdf5Writer::write(std::string_view key, const SerializedValue& value) {
  const std::vector<std::string> parts = parts_of(key);
  if (!std::all_of(parts.begin(), parts.end(), is_plain)) {
    raise<ValueError>(
        "save_hdf5: expected names between slashes as a key, got ", quote(key));
  }
  const Library library;
  const std::string path(key);
  // A part may name a dataset, in which nothing can be.
  std::string group;
  for (size_t i = 0; i < parts.size(); ++i) {
    group += (i == 0 ? "" : "/") + parts[i];
    const bool is_last = i + 1 == parts.size();
    if (H5Lexists(handle_.id(), group.c_str(), H5P_DEFAULT) <= 0) break;
    const Hdf5Handle object(H5Oopen(handle_.id(), group.c_str(), H5P_DEFAULT),
                            H5Oclose);
    if (is_last || H5Iget_type(object.id()) != H5I_GROUP) {
      raise<ValueError>("save_hdf5: expected a key that is not taken, got ",
                        quote(key));
    }
  }
  if (const auto* array = std::get_if<Array>(&value)) {
    return write_array(path, *array);
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    return write_text(path, *text);
  }
  const Hdf5Handle space(H5Screate(H5S_NULL), H5Sclose);
  const Hdf5Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links.id(), 1);
  owned(H5Dcreate2(handle_.id(), path.c_str(), H5T_IEEE_F32LE, space.id(),
                   links.id(), H5P_DEFAULT, H5P_DEFAULT),
        H5Dclose, file_.where(), "cannot write " + path);
}

void Hdf5Writer::write_array(const std::string& key, const Array& array) {
  const Array values = array.contiguous();
  const std::vector<hsize_t> extents(values.shape().begin(),
                                     values.shape().end());
  const Hdf5Handle space(
      H5Screate_simple(values.ndim(), extents.data(), nullptr), H5Sclose);
  const Hdf5Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links.id(), 1);
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (compression_ > 0 && values.size() > 1) {
    const std::vector<hsize_t> chunk = chunk_shape(values);
    H5Pset_chunk(creation.id(), values.ndim(), chunk.data());
    H5Pset_deflate(creation.id(), static_cast<unsigned>(compression_));
  }
  const Hdf5Handle type = memory_type(values.dtype());
  const std::string action = "cannot write " + key;
  Hdf5Handle dataset =
      owned(H5Dcreate2(handle_.id(), key.c_str(), type.id(), space.id(),
                       links.id(), creation.id(), H5P_DEFAULT),
            H5Dclose, file_.where(), action);
  if (values.size() > 0) {
    checked(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                     values.raw_data()),
            file_.where(), action);
  }
  if (!dataset.reset()) {
    raise<IoError>(file_.where(), ": ", action, ": ", last_error());
  }
}

void Hdf5Writer::write_text(const std::string& key, const std::string& text) {
  if (text.find('\0') != std::string::npos) {
    raise<ValueError>("save_hdf5: ", quote(key),
                      ": expected text without NUL characters, got ",
                      quote(text));
  }
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links.id(), 1);
  const Hdf5Handle type = text_type();
  const std::string action = "cannot write " + key;
  const Hdf5Handle dataset =
      owned(H5Dcreate2(handle_.id(), key.c_str(), type.id(), space.id(),
                       links.id(), H5P_DEFAULT, H5P_DEFAULT),
            H5Dclose, file_.where(), action);
  const char* data = text.c_str();
  checked(
      H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &data),
      file_.where(), action);
}

void Hdf5Writer::commit() {
  const Library library;
  if (!handle_.reset()) {
    raise<IoError>(file_.where(), ": cannot write: ", last_error());
  }
  file_.commit();
}

Hdf5Reader::Hdf5Reader(const std::string& path, const LoadLimits& limits)
    : where_(str("load_hdf5: ", array::quote_path(path))), limits_(limits) {
  const Library library;
  H5PLset_loading_state(0);  // no code that a file asks for
  handle_ = owned(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose,
                  where_, "cannot open it as an HDF5 file");
}

std::optional<SerializedValue> Hdf5Reader::read(std::string_view key) const {
  const std::vector<std::string> parts = parts_of(key);
  if (!std::all_of(parts.begin(), parts.end(), is_plain)) return std::nullopt;
  const Library library;
  const std::string where = str(where_, ": ", quote(key));
  std::string path;
  for (size_t i = 0; i < parts.size(); ++i) {
    path += (i == 0 ? "" : "/") + parts[i];
    if (checked(H5Lexists(handle_.id(), path.c_str(), H5P_DEFAULT), where,
                "cannot look it up") == 0) {
      return std::nullopt;
    }
    H5L_info_t link;
    checked(H5Lget_info(handle_.id(), path.c_str(), &link, H5P_DEFAULT), where,
            "cannot look it up");
    if (link.type != H5L_TYPE_HARD) {
      raise<IoError>(where, ": expected an entry, got a link to another place");
    }
    const Hdf5Handle object =
        owned(H5Oopen(handle_.id(), path.c_str(), H5P_DEFAULT), H5Oclose, where,
              "cannot open it");
    const bool is_last = i + 1 == parts.size();
    const H5I_type_t wanted = is_last ? H5I_DATASET : H5I_GROUP;
    if (H5Iget_type(object.id()) != wanted) {
      if (!is_last) return std::nullopt;
      raise<IoError>(where, ": expected a dataset, got a group");
    }
  }
  return Dataset(H5Dopen2(handle_.id(), path.c_str(), H5P_DEFAULT), where,
                 limits_)
      .read();
}

}  // namespace catena::serializers
