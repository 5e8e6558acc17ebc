#include "catena/caffe/decode.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "catena/array/error.h"
#include "catena/array/io/quote.h"

namespace catena::caffe {
namespace {

constexpr int kMaxDepth = 100;

enum WireType : uint64_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

// The source from front to end, through a window of it.
class Cursor {
 public:
  explicit Cursor(const array::ByteSource& source) : source_(source) {}

  int64_t position() const { return position_; }
  int64_t size() const { return source_.size(); }
  const std::string& where() const { return source_.where(); }

  // The caller has checked that there are that many bytes.
  uint8_t byte() {
    if (position_ < begin_ || position_ >= end_) fill();
    return static_cast<uint8_t>(window_[position_++ - begin_]);
  }
  void read(char* to, int64_t count) {
    source_.read(position_, std::span(to, static_cast<size_t>(count)));
    position_ += count;
  }
  void skip(int64_t count) { position_ += count; }

 private:
  void fill() {
    constexpr int64_t kWindow = 16 << 10;
    begin_ = position_;
    end_ = std::min(source_.size(), begin_ + kWindow);
    window_.resize(static_cast<size_t>(end_ - begin_));
    source_.read(begin_, window_);
  }

  const array::ByteSource& source_;
  int64_t position_ = 0;
  int64_t begin_ = 0;
  int64_t end_ = 0;
  std::vector<char> window_;
};

class Decoder {
 public:
  explicit Decoder(const array::ByteSource& source) : in_(source) {}

  void read_message(Message& message, int64_t end) {
    path_.push_back({&message, nullptr, 0});
    if (path_.size() > kMaxDepth) {
      fail("more than ", kMaxDepth, " messages lie within each other");
    }
    while (in_.position() < end) {
      const uint64_t tag = varint(end);
      const uint64_t number = tag >> 3;
      if (number == 0 || number > (1u << 29) - 1) {
        fail("expected the number of a field, got ", number);
      }
      const FieldType* const field =
          message.type().find(static_cast<int64_t>(number));
      path_.back().field = field;
      if (field == nullptr || !read_field(message, *field, tag & 7, end)) {
        skip(tag, end, 0);
      }
      path_.back().field = nullptr;
    }
    path_.pop_back();
  }

 private:
  struct Place {
    const Message* message;
    const FieldType* field;
    int64_t index;
  };

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    std::string place;
    for (const Place& at : path_) {
      if (at.message->type().find("name") != nullptr &&
          at.message->type().find("name")->kind == FieldKind::kString &&
          at.message->has("name")) {
        place += str(" ", array::quote(at.message->text("name")));
      }
      if (at.field != nullptr) {
        place += str(place.empty() ? "" : " ", at.field->name);
        if (at.field->repeated) {
          place += str("[", at.message->count(at.field->name) - at.index, "]");
        }
      }
    }
    raise<IoError>(in_.where(), ": ", parts...,
                   place.empty() ? "" : str(", in ", place), ", at byte ",
                   in_.position(), " of ", in_.size(),
                   "; this is no binary .caffemodel, or it is damaged");
  }

  void expect_bytes(uint64_t count, int64_t end) const {
    if (count > static_cast<uint64_t>(end - in_.position())) {
      fail("expected ", count, " more bytes, but ", end - in_.position(),
           " are there");
    }
  }

  uint64_t varint(int64_t end) {
    uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      expect_bytes(1, end);
      const uint64_t byte = in_.byte();
      if (shift < 64) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail("a number takes more than ten bytes");
  }

  uint64_t fixed(int bytes, int64_t end) {
    expect_bytes(static_cast<uint64_t>(bytes), end);
    uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) {
      value |= static_cast<uint64_t>(in_.byte()) << (8 * i);
    }
    return value;
  }

  int64_t length(int64_t end) {
    const uint64_t count = varint(end);
    expect_bytes(count, end);
    return static_cast<int64_t>(count);
  }

  void skip(uint64_t tag, int64_t end, int depth) {
    switch (tag & 7) {
      case kVarint:
        varint(end);
        return;
      case kFixed64:
        fixed(8, end);
        return;
      case kBytes:
        in_.skip(length(end));
        return;
      case kFixed32:
        fixed(4, end);
        return;
      case kStartGroup:
        if (depth == kMaxDepth) {
          fail("more than ", kMaxDepth, " groups lie within each other");
        }
        for (;;) {
          const uint64_t inner = varint(end);
          if ((inner & 7) == kEndGroup) {
            if (inner >> 3 != tag >> 3) fail("a group ends as another");
            return;
          }
          skip(inner, end, depth + 1);
        }
      default:
        fail("expected a type from 0 to 5 for a field, got ", tag & 7);
    }
  }

  // False when the field is not of its type, so that it counts as unknown.
  bool read_field(Message& message, const FieldType& field, uint64_t wire,
                  int64_t end) {
    switch (field.kind) {
      case FieldKind::kMessage: {
        if (wire != kBytes) return false;
        const int64_t size = length(end);
        const int64_t stop = in_.position() + size;
        Message& inner = message.add_message(field.name);
        path_.back().index = 1;
        read_message(inner, stop);
        path_.back().index = 0;
        return true;
      }
      case FieldKind::kString: {
        if (wire != kBytes) return false;
        std::string text(static_cast<size_t>(length(end)), '\0');
        in_.read(text.data(), static_cast<int64_t>(text.size()));
        message.add(field.name, std::move(text));
        return true;
      }
      case FieldKind::kFloat:
      case FieldKind::kDouble:
        return read_floats(message, field, wire, end);
      default:
        return read_integers(message, field, wire, end);
    }
  }

  bool read_floats(Message& message, const FieldType& field, uint64_t wire,
                   int64_t end) {
    const int bytes = field.kind == FieldKind::kFloat ? 4 : 8;
    const bool one = wire == (bytes == 4 ? kFixed32 : kFixed64);
    if (!one && !(wire == kBytes && field.repeated)) return false;
    const int64_t size = one ? bytes : length(end);
    if (size % bytes != 0) {
      fail("expected numbers of ", bytes, " bytes, got ", size, " bytes");
    }
    if (!field.stays_in_file()) {
      for (int64_t i = 0; i < size / bytes; ++i) {
        const uint64_t bits = fixed(bytes, end);
        message.add(field.name, bytes == 4
                                    ? static_cast<double>(std::bit_cast<float>(
                                          static_cast<uint32_t>(bits)))
                                    : std::bit_cast<double>(bits));
      }
      return true;
    }
    auto& packed = std::get<PackedNumbers>(message.values_of(field));
    packed.count += size / bytes;
    if (!one) {
      packed.runs.push_back({in_.position(), size / bytes, true});
      in_.skip(size);
      return true;
    }
    const uint64_t bits = fixed(bytes, end);
    if (packed.runs.empty() || packed.runs.back().in_file) {
      packed.runs.push_back(
          {static_cast<int64_t>(packed.loose.size()), 0, false});
    }
    ++packed.runs.back().count;
    for (int i = 0; i < bytes; ++i) {
      packed.loose.push_back(static_cast<char>(bits >> (8 * i)));
    }
    return true;
  }

  bool read_integers(Message& message, const FieldType& field, uint64_t wire,
                     int64_t end) {
    if (wire == kVarint) {
      add_integer(message, field, varint(end));
      return true;
    }
    if (wire != kBytes || !field.repeated) return false;
    const int64_t size = length(end);
    const int64_t stop = in_.position() + size;
    while (in_.position() < stop) add_integer(message, field, varint(stop));
    return true;
  }

  static void add_integer(Message& message, const FieldType& field,
                          uint64_t bits) {
    auto value = static_cast<int64_t>(bits);
    switch (field.kind) {
      case FieldKind::kInt32:
        value = static_cast<int32_t>(bits);
        break;
      case FieldKind::kUint32:
        value = static_cast<uint32_t>(bits);
        break;
      case FieldKind::kBool:
        value = bits != 0 ? 1 : 0;
        break;
      case FieldKind::kEnum:
        value = static_cast<int32_t>(bits);
        if (field.enumeration->find(value) == nullptr) return;
        break;
      default:
        break;
    }
    message.add(field.name, value);
  }

  Cursor in_;
  std::vector<Place> path_;
};

}  // namespace

Message decode(const array::ByteSource& source, const MessageType& type) {
  Message result(type);
  Decoder(source).read_message(result, source.size());
  return result;
}

}  // namespace catena::caffe
