#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "catena/array/array.h"

// Event files for TensorBoard: tensorboard --logdir FOLDER.
namespace catena::training::tensorboard {

// A tag, such as "main/loss", and a number.
using TaggedScalar = std::pair<std::string, double>;

// Writes an event file: TFRecords, with masked CRC-32C, of the message Event of
// tensorflow/core/util/event.proto. Append-only, so that it can be read during
// training, and after a crash up to the last flush(). Not thread-safe.
class EventWriter {
 public:
  // Creates a new file with a unique name in the folder, which is created if
  // needed. Throws IoError on failure.
  explicit EventWriter(const std::string& folder);
  // Flushes; ignores errors.
  ~EventWriter();
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  // Adds points of curves at a step, usually the iteration; stored as float32.
  void add_scalars(std::span<const TaggedScalar> scalars, int64_t step);
  void add_scalar(std::string tag, double value, int64_t step) {
    const TaggedScalar scalar(std::move(tag), value);
    add_scalars({&scalar, 1}, step);
  }
  // Adds a histogram of an array's elements, with 30 bins of equal width. NaN
  // and infinities are ignored; an array without finite elements is skipped.
  // Waits for the array's device.
  void add_histogram(std::string_view tag, const Array& values, int64_t step);
  // Adds a Markdown text.
  void add_text(std::string_view tag, std::string_view text, int64_t step);
  // Marks that training restarts at a step: later points in the folder's other
  // files are hidden.
  void add_session_start(int64_t step);

  // Writes everything to the operating system. Throws IoError when that fails;
  // the file then keeps its previous content.
  void flush();

  const std::string& path() const { return path_; }

 private:
  class Event;
  struct Unopened {};
  EventWriter(Unopened, const std::string& folder);
  void add(const Event& event);

  std::string path_;
  int file_ = -1;
  int64_t written_ = 0;  // bytes of complete records
  std::string pending_;
};

}  // namespace catena::training::tensorboard
