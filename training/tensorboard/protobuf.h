#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace catena::training::tensorboard {

// A message in the wire format of Protocol Buffers, built field by field.
class Message {
 public:
  Message& add_int(int field, int64_t value) {
    add_varint(key(field, 0));
    return add_varint(static_cast<uint64_t>(value));
  }
  Message& add_double(int field, double value) {
    add_varint(key(field, 1));
    return add_little_endian(std::bit_cast<uint64_t>(value), 8);
  }
  Message& add_float(int field, float value) {
    add_varint(key(field, 5));
    return add_little_endian(std::bit_cast<uint32_t>(value), 4);
  }
  // Text or a nested message.
  Message& add_bytes(int field, std::string_view bytes) {
    add_varint(key(field, 2));
    add_varint(bytes.size());
    bytes_ += bytes;
    return *this;
  }
  Message& add_message(int field, const Message& message) {
    return add_bytes(field, message.bytes_);
  }
  // A list of numbers.
  template <class Range>
  Message& add_packed_doubles(int field, const Range& values) {
    Message packed;
    for (const double value : values) {
      packed.add_little_endian(std::bit_cast<uint64_t>(value), 8);
    }
    return add_message(field, packed);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  static uint64_t key(int field, int wire_type) {
    return static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(wire_type);
  }
  Message& add_varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
      bytes_ += static_cast<char>((value & 0x7f) | 0x80);
    }
    bytes_ += static_cast<char>(value);
    return *this;
  }
  Message& add_little_endian(uint64_t value, int size) {
    for (int i = 0; i < size; ++i, value >>= 8) {
      bytes_ += static_cast<char>(value & 0xff);
    }
    return *this;
  }

  std::string bytes_;
};

}  // namespace catena::training::tensorboard
