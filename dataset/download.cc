#include "catena/dataset/download.h"

#include <curl/curl.h>

#include <array>
#include <exception>
#include <memory>

#include "catena/array/error.h"
#include "catena/array/io/atomic_file.h"
#include "catena/dataset/sha256.h"

namespace catena::dataset {
namespace {

constexpr long kConnectSeconds = 30;
// A transfer below this many bytes per second for so long is given up.
constexpr long kLowestSpeed = 16;
constexpr long kLowSpeedSeconds = 60;

struct Transfer {
  array::AtomicFile& file;
  int64_t max_bytes;
  int64_t bytes = 0;
  Sha256 hash = {};
  std::exception_ptr error = nullptr;
};

// Called by libcurl, which no exception may cross.
size_t receive(char* data, size_t size, size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::span<const char> bytes(data, size * count);
  try {
    transfer.bytes += static_cast<int64_t>(bytes.size());
    if (transfer.bytes > transfer.max_bytes) {
      raise<IoError>("more than ", transfer.max_bytes, " bytes");
    }
    transfer.file.write(bytes);
    transfer.hash.update(bytes);
    return bytes.size();
  } catch (...) {
    transfer.error = std::current_exception();
    return 0;
  }
}

struct CloseCurl {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
};

void transfer_url(const std::string& url, Transfer& transfer) {
  static const CURLcode initialized = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, CloseCurl> curl(curl_easy_init());
  if (initialized != CURLE_OK || curl == nullptr) {
    raise<IoError>("libcurl cannot be initialized");
  }
  std::array<char, CURL_ERROR_SIZE> message{};
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, message.data());
  curl_easy_setopt(curl.get(), CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_MAXREDIRS, 10L);
  curl_easy_setopt(curl.get(), CURLOPT_PROTOCOLS_STR, "http,https,file");
  curl_easy_setopt(curl.get(), CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_LIMIT, kLowestSpeed);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_TIME, kLowSpeedSeconds);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, receive);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &transfer);
  const CURLcode result = curl_easy_perform(curl.get());
  if (transfer.error) std::rethrow_exception(transfer.error);
  if (result != CURLE_OK) {
    raise<IoError>(message[0] != 0 ? message.data()
                                   : curl_easy_strerror(result));
  }
}

void download_one(const std::string& url, const std::string& path,
                  const DownloadOptions& options) {
  array::AtomicFile file(path, "download");
  Transfer transfer{.file = file, .max_bytes = options.max_bytes};
  transfer_url(url, transfer);
  const std::string sha256 = transfer.hash.hex_digest();
  if (!options.sha256.empty() && sha256 != options.sha256) {
    raise<IoError>("expected the SHA-256 ", options.sha256, ", got ", sha256,
                   " of ", transfer.bytes, " bytes");
  }
  file.commit();
}

}  // namespace

void download(const std::vector<std::string>& urls, const std::string& path,
              const DownloadOptions& options) {
  std::string failures;
  for (const std::string& url : urls) {
    try {
      return download_one(url, path, options);
    } catch (const IoError& error) {
      failures += str("\n  ", url, ": ", error.what());
    }
  }
  raise<IoError>("download: cannot get '", path, "' from any of:", failures);
}

std::string cached_download(const std::string& url,
                            const DownloadOptions& options) {
  const std::string path =
      get_dataset_directory("_dl_cache") + "/" + sha256(url);
  if (!std::filesystem::exists(path)) download({url}, path, options);
  return path;
}

}  // namespace catena::dataset
