#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

// Builds archives and MATLAB files for tests, byte by byte.
namespace catena::testing {

// A file in a tar archive.
inline std::string tar_member(const std::string& name, const std::string& data,
                              char type = '0') {
  std::string header(512, '\0');
  const auto put = [&](size_t offset, const std::string& text) {
    header.replace(offset, text.size(), text);
  };
  std::string size(11, '0');
  for (size_t rest = data.size(), i = 11; rest > 0; rest /= 8) {
    size[--i] = static_cast<char>('0' + rest % 8);
  }
  put(0, name);
  put(124, size);
  put(148, "        ");
  put(156, std::string(1, type));
  put(257, "ustar");
  unsigned sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  std::string digits(6, '0');
  for (size_t i = 6; sum > 0; sum /= 8) {
    digits[--i] = static_cast<char>('0' + sum % 8);
  }
  put(148, digits + '\0');
  return header + data + std::string((512 - data.size() % 512) % 512, '\0');
}
inline std::string tar_end() { return std::string(1024, '\0'); }

enum class ByteOrder { kLittle, kBig };

class MatBuilder {
 public:
  explicit MatBuilder(ByteOrder order = ByteOrder::kLittle) : order_(order) {}

  std::string number(uint64_t value, size_t bytes) const {
    std::string text;
    for (size_t i = 0; i < bytes; ++i) {
      const size_t byte = order_ == ByteOrder::kLittle ? i : bytes - 1 - i;
      text += static_cast<char>(value >> 8 * byte);
    }
    return text;
  }

  std::string header() const {
    std::string text = "MATLAB 5.0 MAT-file";
    text.resize(124, ' ');
    return text + number(0x0100, 2) + number('M' << 8 | 'I', 2);
  }

  std::string element(uint32_t type, const std::string& data) const {
    const std::string padding((8 - data.size() % 8) % 8, '\0');
    return number(type, 4) + number(data.size(), 4) + data + padding;
  }
  // Up to 4 bytes, stored in the tag.
  std::string small_element(uint32_t type, std::string data) const {
    const size_t bytes = data.size();
    data.resize(4, '\0');
    return number(bytes << 16 | type, 4) + data;
  }

  // `values` is an element.
  std::string matrix(const std::string& name, uint32_t array_class,
                     const std::vector<uint32_t>& extents,
                     const std::string& values) const {
    std::string shape;
    for (const uint32_t extent : extents) shape += number(extent, 4);
    return element(14, element(6, number(array_class, 4) + number(0, 4)) +
                           element(5, shape) + element(1, name) + values);
  }

  // An element inside a compressed element, which has no padding.
  std::string compressed(const std::string& inner) const {
    uLongf size = compressBound(inner.size());
    std::string out(size, '\0');
    compress(reinterpret_cast<Bytef*>(out.data()), &size,
             reinterpret_cast<const Bytef*>(inner.data()), inner.size());
    out.resize(size);
    return number(15, 4) + number(out.size(), 4) + out;
  }

 private:
  ByteOrder order_;
};

}  // namespace catena::testing
