#pragma once

#include <cstdint>
#include <exception>
#include <string_view>

#include "catena/array/io/atomic_file.h"
#include "catena/serializers/hdf5_handle.h"

namespace catena::serializers::hdf5 {

// Where libhdf5 writes a file to: its file driver for an AtomicFile. libhdf5
// crashes when it cannot write what it still has as it closes a file, on a disk
// that is full, say. So it is told that every write succeeds, and check() tells
// the truth.
class FileDriver {
 public:
  // The file must outlive the driver.
  explicit FileDriver(array::AtomicFile& file) : file_(file) {}
  FileDriver(const FileDriver&) = delete;
  FileDriver& operator=(const FileDriver&) = delete;

  // Sets it in properties of file access; it must outlive the file that is
  // created with them. Throws IoError when that fails.
  void set_in(const Hdf5Handle& access);

  // Throws the first error of the writes so far.
  void check() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }
  // After the file was closed: gives it the size that libhdf5 wanted. Throws
  // IoError when that fails, or a write before it did.
  void finish();

  // For libhdf5.
  void write(int64_t offset, std::string_view bytes) noexcept;
  // False if that fails.
  bool read(int64_t offset, char* bytes, int64_t size) noexcept;
  void set_end(int64_t end) { end_ = end; }
  int64_t end() const { return end_; }
  int64_t written() const { return written_; }

 private:
  array::AtomicFile& file_;
  std::exception_ptr error_;
  int64_t end_ = 0;      // of what libhdf5 has allocated
  int64_t written_ = 0;  // from the beginning
};

}  // namespace catena::serializers::hdf5
