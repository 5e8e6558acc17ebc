#include "catena/serializers/hdf5_file_driver.h"

#include <algorithm>
#include <limits>
#include <new>
#include <span>

#include "catena/serializers/hdf5_library.h"

// What drivers are made of is here since HDF5 1.14.
#if __has_include(<hdf5/serial/H5FDdevelop.h>)
#include <hdf5/serial/H5FDdevelop.h>
#endif

namespace catena::serializers::hdf5 {
namespace {

// An open file of the library's. A driver is found by its address in the
// properties.
struct OpenFile {
  H5FD_t base;  // first, since the library has its address
  FileDriver* driver;
};

FileDriver& driver_of(const H5FD_t* file) {
  return *reinterpret_cast<const OpenFile*>(file)->driver;
}

H5FD_t* open_file(const char* /*name*/, unsigned /*flags*/, hid_t access,
                  haddr_t /*most*/) {
  const void* const info = H5Pget_driver_info(access);
  if (info == nullptr) return nullptr;
  auto* const file = new (std::nothrow) OpenFile{};
  if (file == nullptr) return nullptr;
  file->driver = *static_cast<FileDriver* const*>(info);
  return &file->base;
}

herr_t close_file(H5FD_t* file) {
  delete reinterpret_cast<OpenFile*>(file);
  return 0;
}

int compare_files(const H5FD_t* a, const H5FD_t* b) {
  const FileDriver* const first = &driver_of(a);
  const FileDriver* const second = &driver_of(b);
  return first == second ? 0 : first < second ? -1 : 1;
}

// Like the library's own driver: small pieces are written together.
herr_t query(const H5FD_t* /*file*/, unsigned long* flags) {
  if (flags != nullptr) {
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
             H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA;
  }
  return 0;
}

haddr_t get_end(const H5FD_t* file, H5FD_mem_t /*type*/) {
  return static_cast<haddr_t>(driver_of(file).end());
}
herr_t set_end(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t end) {
  driver_of(file).set_end(static_cast<int64_t>(end));
  return 0;
}
haddr_t get_written(const H5FD_t* file, H5FD_mem_t /*type*/) {
  return static_cast<haddr_t>(driver_of(file).written());
}

herr_t read_file(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/,
                 haddr_t offset, size_t size, void* bytes) {
  const bool is_read = driver_of(file).read(static_cast<int64_t>(offset),
                                            static_cast<char*>(bytes),
                                            static_cast<int64_t>(size));
  return is_read ? 0 : -1;
}

herr_t write_file(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/,
                  haddr_t offset, size_t size, const void* bytes) {
  driver_of(file).write(static_cast<int64_t>(offset),
                        {static_cast<const char*>(bytes), size});
  return 0;
}

// By name, since versions of the library differ in what else there is, and in
// the order.
H5FD_class_t driver_class() {
  H5FD_class_t result{};
#ifdef H5FD_CLASS_VERSION
  constexpr int kFirstOfOthers = 512;
  result.version = H5FD_CLASS_VERSION;
  result.value = static_cast<H5FD_class_value_t>(kFirstOfOthers);
#endif
  result.name = "catena";
  result.maxaddr = static_cast<haddr_t>(std::numeric_limits<int64_t>::max());
  result.fc_degree = H5F_CLOSE_WEAK;
  result.fapl_size = sizeof(FileDriver*);
  result.open = open_file;
  result.close = close_file;
  result.cmp = compare_files;
  result.query = query;
  result.get_eoa = get_end;
  result.set_eoa = set_end;
  result.get_eof = get_written;
  result.read = read_file;
  result.write = write_file;
  constexpr H5FD_mem_t kMap[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy_n(kMap, H5FD_MEM_NTYPES, result.fl_map);
  return result;
}

}  // namespace

void FileDriver::set_in(const Hdf5Handle& access) {
  const H5FD_class_t known = driver_class();
  constexpr std::string_view kAction = "cannot register a driver";
  const std::string where = file_.where();
  const Hdf5Handle id =
      owned(H5FDregister(&known), H5FDunregister, where, kAction);
  FileDriver* const self = this;
  checked(H5Pset_driver(access.id(), id.id(), &self), where, kAction);
}

void FileDriver::write(int64_t offset, std::string_view bytes) noexcept {
  written_ = std::max(written_, offset + static_cast<int64_t>(bytes.size()));
  if (error_ != nullptr) return;
  try {
    file_.overwrite(offset, bytes);
  } catch (...) {
    error_ = std::current_exception();
  }
}

bool FileDriver::read(int64_t offset, char* bytes, int64_t size) noexcept {
  try {
    file_.read(offset, {bytes, static_cast<size_t>(size)});
    return true;
  } catch (...) {
    return false;
  }
}

void FileDriver::finish() {
  check();
  if (written_ >= end_) return;
  file_.overwrite(end_ - 1, std::string_view("\0", 1));
}

}  // namespace catena::serializers::hdf5
