#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "catena/dataset/dataset_root.h"

namespace catena::dataset {

struct DownloadOptions {
  // Of the content, in hexadecimal; not checked when empty.
  std::string sha256 = {};
  // A larger file is refused.
  int64_t max_bytes = int64_t{1} << 34;
};

// Fetches a file (http, https or file) from the first URL that has it. It
// appears at `path` complete and with the right checksum, or not at all.
// IoError saying what went wrong with each URL.
void download(const std::vector<std::string>& urls, const std::string& path,
              const DownloadOptions& options = {});

// Where the content of a URL lies; it is downloaded when it is not there yet.
std::string cached_download(const std::string& url,
                            const DownloadOptions& options = {});

// A path for a file in the making, next to where it shall be: commit() makes
// it durable and moves it there; otherwise it is removed.
class FileInTheMaking {
 public:
  // IoError when the folder is not there or not writable.
  explicit FileInTheMaking(const std::string& path);
  ~FileInTheMaking();
  FileInTheMaking(const FileInTheMaking&) = delete;
  FileInTheMaking& operator=(const FileInTheMaking&) = delete;

  const std::string& path() const { return temporary_; }
  void commit();

 private:
  std::string path_;
  std::string folder_;
  std::string temporary_;
};

// What loader(path) makes of the file at `path`; when there is no such file,
// what creator(temporary) returns, which also writes the file at that path.
// The file appears complete or not at all, also when several threads or
// processes do this at once.
template <class Creator, class Loader>
auto cache_or_load_file(const std::string& path, const Creator& creator,
                        const Loader& loader) {
  if (std::filesystem::exists(path)) return loader(path);
  FileInTheMaking file(path);
  auto content = creator(file.path());
  file.commit();
  return content;
}

}  // namespace catena::dataset
