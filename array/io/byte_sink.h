#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "catena/array/core/error.h"

namespace catena::array {

// A sequential output of bytes. Bytes already written can be replaced, which
// archives need for checksums.
class ByteSink {
 public:
  virtual ~ByteSink() = default;

  // Throw IoError when the bytes cannot be written.
  virtual void write(std::span<const char> bytes) = 0;
  virtual void overwrite(int64_t offset, std::span<const char> bytes) = 0;
  // The number of bytes written.
  virtual int64_t position() const = 0;
  // The beginning of error messages about the sink.
  virtual std::string where() const = 0;
};

// Appends to a string.
class StringSink final : public ByteSink {
 public:
  explicit StringSink(std::string* text) : text_(text) {}

  void write(std::span<const char> bytes) override {
    text_->append(bytes.data(), bytes.size());
  }
  void overwrite(int64_t offset, std::span<const char> bytes) override {
    const auto count = static_cast<int64_t>(bytes.size());
    if (offset < 0 || count > position() || offset > position() - count) {
      raise<IoError>(where(), ": expected ", count, " bytes to replace within ",
                     position(), ", got offset ", offset);
    }
    text_->replace(static_cast<size_t>(offset), bytes.size(), bytes.data(),
                   bytes.size());
  }
  int64_t position() const override {
    return static_cast<int64_t>(text_->size());
  }
  std::string where() const override { return "<memory>"; }

 private:
  std::string* text_;
};

}  // namespace catena::array
