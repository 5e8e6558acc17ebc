#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/core/named_fields_only.h"
#include "catena/array/io/temp_file.h"
#include "catena/dataset/dataset_root.h"

namespace catena::dataset {

// How far a download has come. `total` is 0 as long as it is not known.
struct DownloadProgress {
  std::string_view url;
  int64_t received;
  int64_t total;
};
// Called as a download proceeds.
using OnDownloadProgress = std::function<void(const DownloadProgress&)>;

// Draws a bar with the file's name, percentage and size, on one line that is
// redrawn at most 10 times a second. The stream must outlive the callback.
OnDownloadProgress download_progress_bar(std::ostream& stream);

struct DownloadOptions {
  NamedFieldsOnly keywords = {};
  // The SHA-256 of the content, in hexadecimal; not checked when empty.
  std::string sha256 = {};
  // A larger file is an error.
  int64_t max_bytes = int64_t{1} << 34;
  // Called periodically; an exception aborts the download.
  OnDownloadProgress progress = {};
};

// Fetches a file (http, https or file) from the first URL that has it. `path`
// is created atomically, with a verified checksum; an existing file with that
// checksum is kept. With a checksum, a partial download is kept as PATH.part
// after a failure, and the next call resumes it. If several threads or
// processes download the same file, one does and the others wait for its
// result. Throws IoError with the failure of each URL.
void download(const std::vector<std::string>& urls, const std::string& path,
              const DownloadOptions& options = {});

// The path of what Chainer has downloaded from one of these URLs, if it is in a
// folder of dataset_roots() and has the checksum.
std::optional<std::string> find_chainers_download(
    const std::vector<std::string>& urls, std::string_view sha256 = {});

// The path of a cached copy of a URL's content, Chainer's or our own;
// downloaded if missing.
std::string cached_download(const std::string& url,
                            const DownloadOptions& options = {});

namespace internal {
bool file_exists(const std::string& path);
// Empty if the file cannot be read.
std::string sha256_of_file(const std::string& path);
}  // namespace internal

// Returns loader(path) if the file exists, otherwise creator(temporary), which
// must also write the file at the given temporary path. The file is created
// atomically, even if several threads or processes do this at once.
template <class Creator, class Loader>
auto cache_or_load_file(const std::string& path, const Creator& creator,
                        const Loader& loader) {
  if (internal::file_exists(path)) return loader(path);
  array::TempFile file(path, "cache_or_load_file");
  auto content = creator(file.path());
  file.commit();
  return content;
}

}  // namespace catena::dataset
