#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "catena/array/io/byte_source.h"

namespace catena::array {

// Sequential input of known length.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // Fills `to` with the next bytes. Throws IoError when fewer remain or the
  // data is corrupt.
  virtual void read(std::span<char> to) = 0;
  virtual int64_t remaining() const = 0;
  // The beginning of error messages about the stream.
  virtual std::string where() const = 0;
};

// Reads a source from its first byte.
class SourceStream final : public ByteStream {
 public:
  explicit SourceStream(const ByteSource& source) : source_(source) {}

  void read(std::span<char> to) override {
    source_.read(position_, to);
    position_ += static_cast<int64_t>(to.size());
  }
  int64_t remaining() const override { return source_.size() - position_; }
  std::string where() const override { return source_.where(); }

 private:
  const ByteSource& source_;
  int64_t position_ = 0;
};

}  // namespace catena::array
