#include "catena/caffe/encode.h"

#include <bit>
#include <string>

#include "catena/array/error.h"

static_assert(std::endian::native == std::endian::little,
              "numbers are written as they lie in memory");

namespace catena::caffe {
namespace {

void append_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) {
    out.push_back(static_cast<char>(value | 0x80));
  }
  out.push_back(static_cast<char>(value));
}

void append_tag(std::string& out, const FieldType& field, uint64_t wire) {
  append_varint(out, static_cast<uint64_t>(field.number) << 3 | wire);
}

template <class T>
void append_bytes(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Pieces of text with what the arrays between them hold, so that weights are
// not copied.
class Encoder {
 public:
  explicit Encoder(array::ByteSink* sink) : sink_(sink) {}

  // The number of bytes, all of which are written unless the sink is null.
  int64_t write(const Message& message) {
    int64_t size = 0;
    for (const Message::Slot& slot : message.slots()) {
      size += write_slot(*slot.field, slot.values);
    }
    return size;
  }

 private:
  int64_t put(std::span<const char> bytes) {
    if (sink_ != nullptr) sink_->write(bytes);
    return static_cast<int64_t>(bytes.size());
  }

  int64_t write_slot(const FieldType& field, const Message::Values& values) {
    if (const auto* list = std::get_if<std::vector<Message>>(&values)) {
      int64_t size = 0;
      for (const Message& message : *list) {
        std::string head;
        append_tag(head, field, 2);
        append_varint(head,
                      static_cast<uint64_t>(Encoder(nullptr).write(message)));
        size += put(head) + write(message);
      }
      return size;
    }
    if (const auto* packed = std::get_if<PackedNumbers>(&values)) {
      if (!packed->values.defined()) {
        raise<ValueError>("encode: ", field.name, " has no values to write");
      }
      std::string head;
      append_tag(head, field, 2);
      const int64_t bytes = packed->values.nbytes();
      append_varint(head, static_cast<uint64_t>(bytes));
      return put(head) +
             put({packed->values.raw_data(), static_cast<size_t>(bytes)});
    }
    return put(encoded(field, values));
  }

  static std::string encoded(const FieldType& field,
                             const Message::Values& values) {
    std::string out;
    if (const auto* list = std::get_if<std::vector<int64_t>>(&values)) {
      append_integers(out, field, *list);
    } else if (const auto* list = std::get_if<std::vector<double>>(&values)) {
      for (const double value : *list) {
        if (field.kind == FieldKind::kFloat) {
          append_tag(out, field, 5);
          append_bytes(out, static_cast<float>(value));
        } else {
          append_tag(out, field, 1);
          append_bytes(out, value);
        }
      }
    } else {
      for (const std::string& text :
           std::get<std::vector<std::string>>(values)) {
        append_tag(out, field, 2);
        append_varint(out, text.size());
        out += text;
      }
    }
    return out;
  }

  static void append_integers(std::string& out, const FieldType& field,
                              const std::vector<int64_t>& values) {
    if (field.packed) {
      std::string inner;
      for (const int64_t value : values) {
        append_varint(inner, static_cast<uint64_t>(value));
      }
      append_tag(out, field, 2);
      append_varint(out, inner.size());
      out += inner;
      return;
    }
    for (const int64_t value : values) {
      append_tag(out, field, 0);
      append_varint(out, static_cast<uint64_t>(value));
    }
  }

  array::ByteSink* sink_;
};

}  // namespace

void encode(const Message& message, array::ByteSink& sink) {
  Encoder(&sink).write(message);
}

}  // namespace catena::caffe
