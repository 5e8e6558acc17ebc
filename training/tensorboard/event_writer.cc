#include "catena/training/tensorboard/event_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <exception>
#include <filesystem>
#include <limits>
#include <new>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/training/tensorboard/crc32c.h"
#include "catena/training/tensorboard/protobuf.h"

namespace catena::training::tensorboard {
namespace {

// Field numbers in event.proto, summary.proto and tensor.proto.
namespace event_field {
constexpr int kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5,
              kSessionLog = 7;
}
namespace session_log_field {
constexpr int kStatus = 1;
constexpr int64_t kStart = 1;
}  // namespace session_log_field
namespace summary_field {
constexpr int kValue = 1;
}
namespace value_field {
constexpr int kTag = 1, kSimpleValue = 2, kHistogram = 5, kTensor = 8,
              kMetadata = 9;
}
namespace histogram_field {
constexpr int kMin = 1, kMax = 2, kNum = 3, kSum = 4, kSumSquares = 5,
              kBucketLimit = 6, kBucket = 7;
}
namespace tensor_field {
constexpr int kDtype = 1, kShape = 2, kStringVal = 8;
constexpr int64_t kString = 7;
}  // namespace tensor_field
namespace metadata_field {
constexpr int kPluginData = 1, kPluginName = 1;
}

constexpr size_t kMaxPending = size_t{1} << 16;
constexpr size_t kBuckets = 30;

double seconds_since_1970() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Named as by TensorFlow, with a suffix that makes names within a second
// unique.
std::string file_name() {
  static std::atomic<int> files = 0;
  char host[256] = "localhost";
  ::gethostname(host, sizeof(host) - 1);
  return str("events.out.tfevents.", static_cast<int64_t>(seconds_since_1970()),
             ".", host, ".", ::getpid(), ".", files++);
}

std::string little_endian(uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i, value >>= 8) {
    bytes += static_cast<char>(value & 0xff);
  }
  return bytes;
}

std::vector<double> finite_elements(const Array& values) {
  const Array numbers =
      values.to_device(native_device()).astype(Dtype::kFloat64).contiguous();
  const double* data = numbers.data<double>();
  std::vector<double> finite;
  std::copy_if(data, data + numbers.size(), std::back_inserter(finite),
               [](double x) { return std::isfinite(x); });
  return finite;
}

Message histogram_of(const std::vector<double>& values) {
  const auto [min, max] = std::ranges::minmax(values);
  // Divided first, since max - min may overflow.
  const double width = std::max(max / kBuckets - min / kBuckets,
                                std::numeric_limits<double>::min());
  std::vector<double> counts(kBuckets);
  double sum = 0;
  double sum_squares = 0;
  for (const double x : values) {
    const double place = x / width - min / width;
    ++counts[std::min(static_cast<size_t>(std::max(place, 0.0)), kBuckets - 1)];
    sum += x;
    sum_squares += x * x;
  }
  std::vector<double> limits;
  for (size_t i = 1; i < kBuckets; ++i) {
    limits.push_back(min + width * static_cast<double>(i));
  }
  limits.push_back(max);
  Message histogram;
  histogram.add_double(histogram_field::kMin, min)
      .add_double(histogram_field::kMax, max)
      .add_double(histogram_field::kNum, static_cast<double>(values.size()))
      .add_double(histogram_field::kSum, sum)
      .add_double(histogram_field::kSumSquares, sum_squares)
      .add_packed_doubles(histogram_field::kBucketLimit, limits)
      .add_packed_doubles(histogram_field::kBucket, counts);
  return histogram;
}

}  // namespace

class EventWriter::Event {
 public:
  Event() { message_.add_double(event_field::kWallTime, seconds_since_1970()); }
  explicit Event(int64_t step) : Event() {
    message_.add_int(event_field::kStep, step);
  }
  // With a summary of one value.
  Event(int64_t step, const Message& value) : Event(step) {
    Message summary;
    summary.add_message(summary_field::kValue, value);
    message_.add_message(event_field::kSummary, summary);
  }

  Message& message() { return message_; }
  const std::string& bytes() const { return message_.bytes(); }

 private:
  Message message_;
};

EventWriter::EventWriter(Unopened, const std::string& folder)
    : path_((std::filesystem::path(folder) / file_name()).string()) {}

// Delegates, so that the destructor closes the file where what follows throws.
EventWriter::EventWriter(const std::string& folder) try
    : EventWriter(Unopened(), folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    raise<IoError>("EventWriter: cannot create the folder '", folder,
                   "': ", error.message());
  }
  file_ = ::open(path_.c_str(),
                 O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) {
    raise<IoError>("EventWriter: cannot create '", path_,
                   "': ", std::strerror(errno));
  }
  Event event;
  event.message().add_bytes(event_field::kFileVersion, "brain.Event:2");
  add(event);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("EventWriter");
}

EventWriter::~EventWriter() {
  if (file_ < 0) return;
  try {
    flush();
  } catch (const std::exception&) {
    // Destructors must not throw.
  }
  ::close(file_);
}

void EventWriter::add_scalars(std::span<const TaggedScalar> scalars,
                              int64_t step) try {
  if (scalars.empty()) return;
  Message summary;
  for (const auto& [tag, number] : scalars) {
    Message value;
    value.add_bytes(value_field::kTag, tag)
        .add_float(value_field::kSimpleValue, static_cast<float>(number));
    summary.add_message(summary_field::kValue, value);
  }
  Event event(step);
  event.message().add_message(event_field::kSummary, summary);
  add(event);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("EventWriter");
}

void EventWriter::add_histogram(std::string_view tag, const Array& values,
                                int64_t step) try {
  const std::vector<double> finite = finite_elements(values);
  if (finite.empty()) return;
  Message value;
  value.add_bytes(value_field::kTag, tag)
      .add_message(value_field::kHistogram, histogram_of(finite));
  add(Event(step, value));
} catch (const std::bad_alloc&) {
  raise_out_of_memory("EventWriter");
}

void EventWriter::add_text(std::string_view tag, std::string_view text,
                           int64_t step) try {
  Message plugin;
  plugin.add_bytes(metadata_field::kPluginName, "text");
  Message metadata;
  metadata.add_message(metadata_field::kPluginData, plugin);
  Message tensor;
  // A scalar: a shape without axes.
  tensor.add_int(tensor_field::kDtype, tensor_field::kString)
      .add_message(tensor_field::kShape, Message())
      .add_bytes(tensor_field::kStringVal, text);
  Message value;
  value.add_bytes(value_field::kTag, tag)
      .add_message(value_field::kTensor, tensor)
      .add_message(value_field::kMetadata, metadata);
  add(Event(step, value));
} catch (const std::bad_alloc&) {
  raise_out_of_memory("EventWriter");
}

void EventWriter::add_session_start(int64_t step) try {
  Message session;
  session.add_int(session_log_field::kStatus, session_log_field::kStart);
  Event event(step);
  event.message().add_message(event_field::kSessionLog, session);
  add(event);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("EventWriter");
}

// A TFRecord: the length and its checksum, the event and its checksum.
void EventWriter::add(const Event& event) {
  std::string record = little_endian(event.bytes().size(), 8);
  record += little_endian(masked_crc32c(record), 4);
  record += event.bytes();
  record += little_endian(masked_crc32c(event.bytes()), 4);
  pending_ += record;  // all of it, even where there is no more memory
  if (pending_.size() >= kMaxPending) flush();
}

void EventWriter::flush() {
  std::string_view rest = pending_;
  while (!rest.empty()) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      // A partial record would make everything after it unreadable.
      [[maybe_unused]] const int cut = ::ftruncate(file_, written_);
      raise<IoError>("EventWriter: cannot write '", path_,
                     "': ", std::strerror(error));
    }
    rest.remove_prefix(static_cast<size_t>(written));
  }
  written_ += static_cast<int64_t>(pending_.size());
  pending_.clear();
}

}  // namespace catena::training::tensorboard
