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

// Reads values from an archive one at a time. The file is taken as hostile:
// damage and whatever exceeds the limits is an IoError that names file and
// member. Reading is safe from many threads.
class NpzReader {
 public:
  // Opens a file. IoError.
  explicit NpzReader(const std::string& path, const LoadLimits& limits = {});
  // Reads from memory that outlives the reader. IoError.
  static NpzReader from_bytes(std::span<const char> bytes,
                              const LoadLimits& limits = {});

  // In the archive's order.
  const std::vector<std::string>& keys() const { return keys_; }
  bool contains(std::string_view key) const;

  // What the member holds; arrays are on native:0. IoError when there is no
  // such key. read_array and read_text also throw it for anything but numbers,
  // or a single text.
  NpyValue read(std::string_view key) const;
  Array read_array(std::string_view key) const;
  std::string read_text(std::string_view key) const;

 private:
  NpzReader(ByteSource source, const LoadLimits& limits);

  LoadLimits limits_;
  ZipReader zip_;
  std::vector<std::string> keys_;
};

enum class NpzCompression { kStored, kDeflate };

// Writes values to an archive one at a time. The file appears with commit(),
// complete, or not at all; equal values in equal order give equal bytes.
class NpzWriter {
 public:
  // IoError when no file can be created there.
  explicit NpzWriter(const std::string& path,
                     NpzCompression compression = NpzCompression::kDeflate);
  // Writes to a sink that outlives the writer.
  explicit NpzWriter(ByteSink& sink,
                     NpzCompression compression = NpzCompression::kDeflate);

  // ValueError when the key is taken, empty, an absolute path or one with
  // ".."; otherwise as write_npy. After an exception the archive cannot be
  // completed.
  void write(std::string_view key, const NpyValue& value);
  // Call once, after the last write. IoError.
  void commit();

 private:
  std::optional<AtomicFile> file_;
  ZipWriter zip_;
  int level_;
};

using NpzItems = std::vector<std::pair<std::string, NpyValue>>;

// All of an archive by key, in the current device's memory. IoError.
std::map<std::string, NpyValue, std::less<>> load_npz(
    const std::string& path, const LoadLimits& limits = {});

// Writes an archive, atomically: savez(path, {{"x", x}, {"y", y}}), or
// savez(path, {x, y}) with NumPy's keys arr_0, arr_1, .... savez stores,
// savez_compressed deflates. Errors as NpzWriter's.
void savez(const std::string& path, const NpzItems& items);
void savez(const std::string& path, const std::vector<Array>& arrays);
void savez_compressed(const std::string& path, const NpzItems& items);
void savez_compressed(const std::string& path,
                      const std::vector<Array>& arrays);

}  // namespace catena::array
