#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/io/temp_file.h"
#include "catena/dataset/dataset_root.h"

namespace catena::dataset {

// How far a download has come. `total` is 0 as long as it is not known.
struct DownloadProgress {
  std::string_view url;
  int64_t received;
  int64_t total;
};
using OnDownloadProgress = std::function<void(const DownloadProgress&)>;

// Draws a bar with the file's name, percentage and size, on one line that is
// drawn again at most 10 times a second. The stream must outlive it.
OnDownloadProgress download_progress_bar(std::ostream& stream);

struct DownloadOptions {
  // The SHA-256 of the content, in hexadecimal; not checked when empty.
  std::string sha256 = {};
  // A larger file is refused.
  int64_t max_bytes = int64_t{1} << 34;
  // Called from time to time; an exception ends the download.
  OnDownloadProgress progress = {};
};

// Fetches a file (http, https or file) from the first URL that has it. It
// appears at `path` complete and with the right checksum, or not at all; one
// that is there with that checksum is left as it is. What came before a failure
// is kept as PATH.part when there is a checksum, and the next call goes on from
// there. While one thread or process does this, others wait, and take what it
// got. IoError saying what went wrong with each URL.
void download(const std::vector<std::string>& urls, const std::string& path,
              const DownloadOptions& options = {});

// Where the content of a URL lies; it is downloaded when it is not there yet.
std::string cached_download(const std::string& url,
                            const DownloadOptions& options = {});

// What loader(path) makes of the file at `path`; when there is no such file,
// what creator(temporary) returns, which also writes the file at that path.
// The file appears complete or not at all, also when several threads or
// processes do this at once.
template <class Creator, class Loader>
auto cache_or_load_file(const std::string& path, const Creator& creator,
                        const Loader& loader) {
  if (std::filesystem::exists(path)) return loader(path);
  array::TempFile file(path, "cache_or_load_file");
  auto content = creator(file.path());
  file.commit();
  return content;
}

}  // namespace catena::dataset
