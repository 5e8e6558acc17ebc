#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <ostream>

#include "catena/array/core/error.h"
#include "catena/dataset/download.h"

namespace catena::dataset {
namespace {

constexpr int kCells = 30;
constexpr std::chrono::milliseconds kBetween{100};

class Bar {
 public:
  explicit Bar(std::ostream& stream) : stream_(stream) {}

  void draw(const DownloadProgress& progress) {
    const auto now = std::chrono::steady_clock::now();
    const bool whole =
        progress.total > 0 && progress.received >= progress.total;
    if (finished_ || (drawn_ && !whole && now - *drawn_ < kBetween)) return;
    drawn_ = now;
    finished_ = whole;
    const std::string_view name =
        progress.url.substr(progress.url.rfind('/') + 1);
    std::string line = str("\r", name, " ");
    if (progress.total > 0) {
      const double part = std::clamp(static_cast<double>(progress.received) /
                                         static_cast<double>(progress.total),
                                     0.0, 1.0);
      const auto cells = static_cast<size_t>(part * kCells);
      line += str(
          "[", std::string(cells, '#'), std::string(kCells - cells, '.'), "] ",
          static_cast<int>(part * 100), "% of ", megabytes(progress.total));
    } else {
      line += megabytes(progress.received);
    }
    stream_ << line << (whole ? "\n" : "") << std::flush;
  }

 private:
  static std::string megabytes(int64_t bytes) {
    const int64_t tenths = bytes / 100'000;
    return str(tenths / 10, ".", tenths % 10, " MB");
  }

  std::ostream& stream_;
  std::optional<std::chrono::steady_clock::time_point> drawn_;
  bool finished_ = false;
};

}  // namespace

OnDownloadProgress download_progress_bar(std::ostream& stream) {
  return [bar = std::make_shared<Bar>(stream)](
             const DownloadProgress& progress) { bar->draw(progress); };
}

}  // namespace catena::dataset
