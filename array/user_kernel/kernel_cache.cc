#include "catena/array/user_kernel/kernel_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include "catena/array/core/environment.h"
#include "catena/array/core/error.h"
#include "catena/array/io/atomic_file.h"

namespace catena::array {
namespace {

using Hash = unsigned __int128;

// 128-bit FNV-1a. Keys are compared in full, so a collision only costs a
// compilation.
Hash hash_of(std::string_view bytes) {
  constexpr Hash kPrime = (Hash{1} << 88) + 0x13b;
  Hash hash = (Hash{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * kPrime;
  }
  return hash;
}

// The trailer of an entry, after the binary and the key.
struct Footer {
  std::array<char, 16> magic;
  uint64_t binary_size;
  uint64_t key_size;
  std::array<char, 16> checksum;  // of the binary and the key
};
constexpr std::array<char, 16> kMagic = {'c', 'a', 't', 'e', 'n', 'a',
                                         ' ', 'k', 'e', 'r', 'n', 'e',
                                         'l', ' ', '1', '\n'};

std::array<char, 16> checksum_of(std::string_view bytes) {
  return std::bit_cast<std::array<char, 16>>(hash_of(bytes));
}

// An open file, closed at the end of the scope.
class File {
 public:
  explicit File(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// The content of a file that only this user can have written; nullopt for any
// other.
std::optional<std::string> read_own_file(const std::string& path) {
  const File file(path);
  struct stat status;
  if (file.descriptor() < 0 || ::fstat(file.descriptor(), &status) != 0 ||
      !S_ISREG(status.st_mode) || status.st_uid != ::geteuid() ||
      (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return std::nullopt;
  }
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got =
        ::read(file.descriptor(), bytes.data() + have, bytes.size() - have);
    if (got <= 0) return std::nullopt;
    have += static_cast<size_t>(got);
  }
  return bytes;
}

}  // namespace

KernelCache KernelCache::user() {
  if (const char* folder = environment("CATENA_CACHE_DIR")) {
    return KernelCache(folder);
  }
  if (const char* caches = environment("XDG_CACHE_HOME")) {
    return KernelCache(std::string(caches) + "/catena/kernels");
  }
  if (const char* home = environment("HOME")) {
    return KernelCache(std::string(home) + "/.cache/catena/kernels");
  }
  return KernelCache("");
}

std::string KernelCache::path(std::string_view key) const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name(32, '0');
  Hash hash = hash_of(key);
  for (char& digit : name) {
    digit = kDigits[static_cast<size_t>(hash & 15)];
    hash >>= 4;
  }
  return folder_ + "/" + name + ".kernel";
}

std::optional<std::string> KernelCache::load(std::string_view key) const {
  if (folder_.empty()) return std::nullopt;
  std::optional<std::string> entry = read_own_file(path(key));
  Footer footer;
  if (!entry || entry->size() < sizeof(footer) + key.size()) {
    return std::nullopt;
  }
  const size_t content = entry->size() - sizeof(footer);
  std::memcpy(&footer, entry->data() + content, sizeof(footer));
  const std::string_view bytes(entry->data(), content);
  const size_t binary = content - key.size();
  if (footer.magic != kMagic || footer.key_size != key.size() ||
      footer.binary_size != binary || bytes.substr(binary) != key ||
      footer.checksum != checksum_of(bytes)) {
    return std::nullopt;
  }
  entry->resize(binary);
  return entry;
}

bool KernelCache::store(std::string_view key,
                        std::string_view binary) const noexcept {
  if (folder_.empty()) return false;
  try {
    std::error_code failure;
    if (std::filesystem::create_directories(folder_, failure)) {
      std::filesystem::permissions(folder_, std::filesystem::perms::owner_all,
                                   failure);
    }
    std::string entry(binary);
    entry += key;
    Footer footer = {kMagic, binary.size(), key.size(), checksum_of(entry)};
    entry.append(reinterpret_cast<const char*>(&footer), sizeof(footer));
    const std::string target = path(key);
    AtomicFile file(target, "kernel cache");
    file.write(entry);
    file.commit();
    return ::chmod(target.c_str(), S_IRUSR | S_IWUSR) == 0;
  } catch (...) {
    return false;  // a full disk, a folder that is not ours
  }
}

}  // namespace catena::array
