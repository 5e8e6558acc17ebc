#include "catena/dataset/download.h"

#include <array>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/dataset/curl_library.h"
#include "catena/dataset/partial_file.h"
#include "catena/dataset/sha256.h"

namespace catena::dataset {
namespace {

constexpr long kConnectSeconds = 30;
// A transfer slower than this, in bytes per second, for this long is aborted.
constexpr long kLowestSpeed = 16;
constexpr long kLowSpeedSeconds = 60;
constexpr long kRangeNotSatisfiable = 416;  // HTTP

struct Transfer {
  const std::string& url;
  const DownloadOptions& options;
  PartialFile& file;
  int64_t resumed_at = 0;
  std::exception_ptr error = nullptr;
};

// Runs a libcurl callback, which must not throw. Whether it succeeded.
template <class Action>
bool without_exceptions(Transfer& transfer, Action action) {
  try {
    action();
    return true;
  } catch (...) {
    transfer.error = std::current_exception();
    return false;
  }
}

size_t receive(char* data, size_t size, size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::span<const char> bytes(data, size * count);
  const bool done = without_exceptions(transfer, [&] {
    const int64_t max = transfer.options.max_bytes;
    if (transfer.file.size() + static_cast<int64_t>(bytes.size()) > max) {
      transfer.file.clear();
      raise<IoError>("more than ", max, " bytes");
    }
    transfer.file.append(bytes);
  });
  return done ? bytes.size() : 0;
}

int report(void* user, curl_off_t total, curl_off_t received, curl_off_t,
           curl_off_t) {
  auto& transfer = *static_cast<Transfer*>(user);
  const int64_t before = transfer.resumed_at;
  const bool done = without_exceptions(transfer, [&] {
    transfer.options.progress({.url = transfer.url,
                               .received = before + received,
                               .total = total > 0 ? before + total : 0});
  });
  return done ? 0 : 1;
}

struct CloseCurl {
  void operator()(CURL* curl) const { curl_library().easy_cleanup(curl); }
};

// Fetches the rest of the partial file. False when the server cannot resume;
// IoError for all other failures.
bool transfer_rest(Transfer& transfer) {
  const CurlLibrary& library = curl_library();
  const std::unique_ptr<CURL, CloseCurl> curl(library.easy_init());
  if (curl == nullptr) raise<IoError>("libcurl cannot begin a transfer");
  transfer.resumed_at = transfer.file.size();
  std::array<char, CURL_ERROR_SIZE> message{};
  const auto set = [&](CURLoption option, auto value) {
    const CURLcode result = library.easy_setopt(curl.get(), option, value);
    if (result == CURLE_OK) return;
    // Without one, a redirection might reach files, or a transfer never end.
    raise<IoError>("libcurl refuses its option ", static_cast<int>(option),
                   ": ", library.easy_strerror(result));
  };
  set(CURLOPT_URL, transfer.url.c_str());
  set(CURLOPT_ERRORBUFFER, message.data());
  set(CURLOPT_FAILONERROR, 1L);
  set(CURLOPT_FOLLOWLOCATION, 1L);
  set(CURLOPT_MAXREDIRS, 10L);
  set(CURLOPT_PROTOCOLS_STR, "http,https,file");
  set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  set(CURLOPT_LOW_SPEED_LIMIT, kLowestSpeed);
  set(CURLOPT_LOW_SPEED_TIME, kLowSpeedSeconds);
  set(CURLOPT_RESUME_FROM_LARGE, curl_off_t{transfer.resumed_at});
  set(CURLOPT_WRITEFUNCTION, receive);
  set(CURLOPT_WRITEDATA, &transfer);
  if (transfer.options.progress) {
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, report);
    set(CURLOPT_XFERINFODATA, &transfer);
  }
  const CURLcode result = library.easy_perform(curl.get());
  if (transfer.error) std::rethrow_exception(transfer.error);
  if (result == CURLE_OK) return true;
  long status = 0;
  library.easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  if (transfer.resumed_at > 0 &&
      (result == CURLE_RANGE_ERROR || result == CURLE_BAD_DOWNLOAD_RESUME ||
       status == kRangeNotSatisfiable)) {
    return false;
  }
  raise<IoError>(message[0] != 0 ? message.data()
                                 : library.easy_strerror(result));
}

void download_one(const std::string& url, PartialFile& file,
                  const DownloadOptions& options) {
  for (;;) {
    const bool resumes = file.size() > 0;
    Transfer transfer{.url = url, .options = options, .file = file};
    const bool done = transfer_rest(transfer);
    const std::string sha256 = file.sha256();
    if (done && (options.sha256.empty() || sha256 == options.sha256)) return;
    const int64_t bytes = file.size();
    file.clear();
    // The resumed part may have been wrong: retry from the start.
    if (resumes) continue;
    raise<IoError>("expected the SHA-256 ", options.sha256, ", got ", sha256,
                   " of ", bytes, " bytes");
  }
}

// Whether nothing needs to be done: the file has the checksum or, without one,
// was downloaded by another process while we waited.
bool is_there(const std::string& path, const PartialFile& partial,
              const DownloadOptions& options) {
  if (options.sha256.empty()) {
    return internal::file_exists(path) &&
           partial.start() == PartialFile::Start::kAfterAnother;
  }
  return internal::sha256_of_file(path) == options.sha256;
}

}  // namespace

void download(const std::vector<std::string>& urls, const std::string& path,
              const DownloadOptions& options) try {
  // Without a checksum, a partial file may be of other content.
  const bool is_resumable = !options.sha256.empty();
  PartialFile file(path, is_resumable ? PartialFile::Unfinished::kKept
                                      : PartialFile::Unfinished::kRemoved);
  if (is_there(path, file, options)) return;
  if (is_resumable && file.sha256() == options.sha256) return file.commit();
  std::string failures;
  for (const std::string& url : urls) {
    if (!is_resumable) file.clear();
    try {
      download_one(url, file, options);
    } catch (const IoError& error) {
      failures += str("\n  ", url, ": ", error.what());
      continue;
    }
    // Its errors are not the URL's: the file may have its new name already.
    return file.commit();
  }
  raise<IoError>("download: cannot get '", path, "' from any of:", failures);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("download");
}

std::optional<std::string> find_chainers_download(
    const std::vector<std::string>& urls, std::string_view sha256) {
  for (const std::string& root : dataset_roots()) {
    if (!internal::file_exists(root + "/_dl_cache")) continue;
    for (const std::string& url : urls) {
      const std::string path = str(root, "/_dl_cache/", md5(url));
      if (internal::file_exists(path) &&
          (sha256.empty() || internal::sha256_of_file(path) == sha256)) {
        return path;
      }
    }
  }
  return std::nullopt;
}

std::string cached_download(const std::string& url,
                            const DownloadOptions& options) try {
  std::string path = get_dataset_directory("_dl_cache") + "/" + sha256(url);
  if (internal::file_exists(path) &&
      (options.sha256.empty() ||
       internal::sha256_of_file(path) == options.sha256)) {
    return path;
  }
  // Chainer's is read whole for its checksum.
  if (auto found = find_chainers_download({url}, options.sha256)) return *found;
  download({url}, path, options);
  return path;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("cached_download");
}

std::string internal::sha256_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  Sha256 hash;
  std::vector<char> buffer(256 << 10);
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())),
         file.gcount() > 0) {
    hash.update(std::span(buffer).first(static_cast<size_t>(file.gcount())));
  }
  return hash.hex_digest();
}

bool internal::file_exists(const std::string& path) {
  return std::filesystem::exists(path);
}

}  // namespace catena::dataset
