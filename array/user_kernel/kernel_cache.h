#pragma once

#include <optional>
#include <string>
#include <string_view>

// Compiled kernels on disk, shared by all processes of a user.
namespace catena::array {

// A folder of binaries, each named by the hash of its key: the text of
// everything the binary depends on (source, options, compiler, processor). An
// entry contains its key and a checksum, which are verified when it is read,
// and is written by an atomic rename, so that processes may write the same
// entry concurrently. Any problem with the cache counts as a miss.
class KernelCache {
 public:
  // The folder is created, accessible to its owner only, when the first entry
  // is stored. An empty name disables the cache.
  explicit KernelCache(std::string folder) : folder_(std::move(folder)) {}

  // $CATENA_CACHE_DIR, else $XDG_CACHE_HOME/catena/kernels, else
  // ~/.cache/catena/kernels, else no cache. Evaluated at each call.
  static KernelCache user();

  const std::string& folder() const { return folder_; }
  // The path of a key's entry, which may not exist.
  std::string path(std::string_view key) const;

  // The binary stored under the key; nullopt if it is missing or corrupt, or
  // the file does not belong to this user.
  std::optional<std::string> load(std::string_view key) const;

  // Returns whether the entry now exists.
  bool store(std::string_view key, std::string_view binary) const noexcept;

 private:
  std::string folder_;
};

}  // namespace catena::array
