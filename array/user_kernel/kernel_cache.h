#pragma once

#include <optional>
#include <string>
#include <string_view>

// Compiled kernels on disk, shared by all processes of a user.
namespace catena::array {

// A folder of binaries, each under the hash of its key: the text of all that
// the binary depends on (source, options, compiler, processor). An entry
// carries its key and a checksum, which are compared when it is read; it
// appears by a rename, so that processes may write the same one at a time.
// The folder only saves time: whatever is wrong with it reads as "not there".
class KernelCache {
 public:
  // Made, for its owner alone, when the first entry is stored. Without a name
  // there is no cache: nothing is stored.
  explicit KernelCache(std::string folder) : folder_(std::move(folder)) {}

  // $CATENA_CACHE_DIR, else $XDG_CACHE_HOME/catena/kernels, else
  // ~/.cache/catena/kernels, else no cache; looked up at each call.
  static KernelCache user();

  const std::string& folder() const { return folder_; }
  // Where the entry of a key is, or would be. The binary is the file's
  // beginning, so that a shared object can be loaded from there.
  std::string path(std::string_view key) const;

  // The binary stored under the key. None when there is none, when it is
  // damaged, or when the file is not this user's own.
  std::optional<std::string> load(std::string_view key) const;

  // Whether the entry is now there.
  bool store(std::string_view key, std::string_view binary) const noexcept;

 private:
  std::string folder_;
};

}  // namespace catena::array
