#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/io/atomic_file.h"
#include "catena/array/io/byte_sink.h"
#include "catena/array/io/load_limits.h"
#include "catena/array/io/npy_value.h"
#include "catena/array/io/zip_reader.h"
#include "catena/array/io/zip_writer.h"

namespace catena::array {

// NumPy's archives of named arrays: ZIP files whose members are .npy files.
// A key is a member's name without ".npy".

// Reads values from an archive one at a time. The file is not trusted:
// corruption and anything beyond the limits throws IoError naming file and
// member. Reading is thread-safe.
class NpzReader {
 public:
  // Opens a file. Throws IoError.
  explicit NpzReader(const std::string& path, const LoadLimits& limits = {});
  // Reads from memory that must outlive the reader. Throws IoError.
  static NpzReader from_bytes(std::span<const char> bytes,
                              const LoadLimits& limits = {});

  // In the archive's order.
  const std::vector<std::string>& keys() const& { return keys_; }
  std::vector<std::string> keys() && { return std::move(keys_); }
  bool contains(std::string_view key) const;

  // The content of a member; arrays are on native:0. Throw IoError when there
  // is no such key, read_array and read_text also when it is not an array or a
  // single string.
  NpyValue read(std::string_view key) const;
  Array read_array(std::string_view key) const;
  std::string read_text(std::string_view key) const;

 private:
  NpzReader(ByteSource source, const LoadLimits& limits);

  LoadLimits limits_;
  ZipReader zip_;
  std::vector<std::string> keys_;
};

// As they are, or compressed as in ZIP.
enum class NpzCompression { kStored, kDeflate };

// Writes values to an archive one at a time. The file appears atomically at
// commit(). The same values in the same order give the same bytes.
class NpzWriter {
 public:
  // Throws IoError when the file cannot be created.
  explicit NpzWriter(const std::string& path,
                     NpzCompression compression = NpzCompression::kDeflate);
  // Writes to a sink that must outlive the writer.
  explicit NpzWriter(ByteSink& sink,
                     NpzCompression compression = NpzCompression::kDeflate);

  // Throws ValueError when the key is a duplicate, empty, an absolute path or
  // contains ".."; otherwise as write_npy does. After an exception the archive
  // cannot be completed.
  void write(std::string_view key, const NpyValue& value);
  // Call once, after the last write. Throws IoError.
  void commit();

 private:
  std::optional<AtomicFile> file_;
  ZipWriter zip_;
  int level_;
};

// Keys and their arrays.
using NpzItems = std::vector<std::pair<std::string, NpyValue>>;

// The values of an archive by key.
class NpzContents : public std::map<std::string, NpyValue, std::less<>> {
 public:
  // Throws ValueError, listing existing keys, when there is no such key.
  const NpyValue& at(std::string_view key) const&;
  NpyValue& at(std::string_view key) & {
    return const_cast<NpyValue&>(std::as_const(*this).at(key));
  }
  NpyValue at(std::string_view key) && { return std::as_const(*this).at(key); }
  const NpyValue& operator[](std::string_view key) const& { return at(key); }
  NpyValue operator[](std::string_view key) && {
    return std::as_const(*this).at(key);
  }
};

// Loads all values of an archive to the current device. Throws IoError.
NpzContents load_npz(const std::string& path, const LoadLimits& limits = {});

// Writes an archive, atomically: savez(path, {{"x", x}, {"y", y}}), or
// savez(path, {x, y}) with NumPy's keys arr_0, arr_1, .... savez stores,
// savez_compressed deflates. Throw as NpzWriter does.
void savez(const std::string& path, const NpzItems& items);
void savez(const std::string& path, const std::vector<Array>& arrays);
void savez_compressed(const std::string& path, const NpzItems& items);
void savez_compressed(const std::string& path,
                      const std::vector<Array>& arrays);

}  // namespace catena::array
