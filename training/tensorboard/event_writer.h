#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "catena/array/array.h"

// The event files that TensorBoard shows: tensorboard --logdir FOLDER.
namespace catena::training::tensorboard {

// A number under its tag, such as "main/loss".
using TaggedScalar = std::pair<std::string, double>;

// Writes an event file: TFRecords, with masked CRC-32C, of the message Event of
// tensorflow/core/util/event.proto. Only appended to, so that it can be read
// while training goes on, and after a crash to the last flush(). Not for
// several threads at once.
class EventWriter {
 public:
  // A new file of a name of its own in the folder, which is made if it is not
  // there. IoError.
  explicit EventWriter(const std::string& folder);
  // Flushes, and ignores that it cannot.
  ~EventWriter();
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  // Points of curves at a step, usually the iteration; float32 in the file.
  void add_scalars(std::span<const TaggedScalar> scalars, int64_t step);
  void add_scalar(std::string tag, double value, int64_t step) {
    const TaggedScalar scalar(std::move(tag), value);
    add_scalars({&scalar, 1}, step);
  }
  // The distribution of an array's elements, in 30 intervals of equal width.
  // NaN and infinities are left out, and so is an array without other elements.
  // Waits for the array's device.
  void add_histogram(std::string_view tag, const Array& values, int64_t step);
  // A text in Markdown.
  void add_text(std::string_view tag, std::string_view text, int64_t step);
  // Says that training starts again with a step: what other files of the folder
  // have from there on is hidden.
  void add_session_start(int64_t step);

  // Hands everything to the operating system. IoError; the file then ends with
  // what was there before.
  void flush();

  const std::string& path() const { return path_; }

 private:
  class Event;
  void add(const Event& event);

  std::string path_;
  int file_ = -1;
  int64_t written_ = 0;  // whole records
  std::string pending_;
};

}  // namespace catena::training::tensorboard
