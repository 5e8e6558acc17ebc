#include "catena/serializers/hdf5_messages.h"

#include <array>

#include "catena/array/core/error.h"

namespace catena::serializers::hdf5 {
namespace {

enum class TypeClass {
  kInteger = 0,
  kFloat = 1,
  kTime = 2,
  kText = 3,
  kBitField = 4,
  kOpaque = 5,
  kCompound = 6,
  kReference = 7,
  kEnumeration = 8,
  kVariableLength = 9,
  kArray = 10,
  kComplex = 11,
};

std::string_view name_of(TypeClass type) {
  constexpr std::array<std::string_view, 12> kNames = {
      "integer",  "floating point", "time",        "text",
      "bitfield", "opaque",         "compound",    "reference",
      "enum",     "sequence",       "small array", "complex"};
  const auto i = static_cast<size_t>(type);
  return i < kNames.size() ? kNames[i] : "unknown";
}

// What every type begins with.
struct TypeHead {
  TypeClass kind;
  int version;
  uint32_t bits;
  uint64_t bytes;  // of an element
};

TypeHead read_head(Cursor& message) {
  constexpr int kNewest = 5;
  const uint32_t word = message.u32();
  const TypeHead head = {.kind = static_cast<TypeClass>(word & 0xf),
                         .version = static_cast<int>(word >> 4 & 0xf),
                         .bits = word >> 8,
                         .bytes = message.u32()};
  if (head.version < 1 || head.version > kNewest) {
    message.refuse(str("version 1 to ", kNewest), str(head.version));
  }
  if (head.bytes == 0) message.refuse("elements of at least 1 byte", "0");
  return head;
}

std::string text_of(std::span<const char> bytes) {
  return {bytes.begin(), bytes.end()};
}

// Whole bytes only.
std::optional<Dtype> integer_dtype(uint64_t bytes, bool is_signed) {
  switch (bytes) {
    case 1:
      return is_signed ? Dtype::kInt8 : Dtype::kUInt8;
    case 2:
      return is_signed ? Dtype::kInt16 : Dtype::kUInt16;
    case 4:
      return is_signed ? Dtype::kInt32 : Dtype::kUInt32;
    case 8:
      return is_signed ? Dtype::kInt64 : Dtype::kUInt64;
    default:
      return std::nullopt;
  }
}

// How floating-point numbers are made up of bits.
struct FloatFormat {
  uint32_t sign, exponent, exponent_bits, mantissa, mantissa_bits, bias;
  friend bool operator==(const FloatFormat&, const FloatFormat&) = default;
};

FloatFormat float_format(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat16:
      return {15, 10, 5, 0, 10, 15};
    case Dtype::kBFloat16:
      return {15, 7, 8, 0, 7, 127};
    case Dtype::kFloat32:
      return {31, 23, 8, 0, 23, 127};
    default:
      return {63, 52, 11, 0, 52, 1023};
  }
}

void read_integer(Cursor& message, uint32_t bits, Datatype& type) {
  type.is_big_endian = (bits & 1) != 0;
  const bool is_signed = (bits & 1 << 3) != 0;
  const uint64_t offset = message.u16();
  const uint64_t precision = message.u16();
  const auto dtype = integer_dtype(type.bytes, is_signed);
  if (!dtype || offset != 0 || precision != 8 * type.bytes) return;
  type.kind = Datatype::Kind::kNumber;
  type.dtype = *dtype;
}

// Numbers that have no dtype, too, have a format that makes sense.
void read_float(Cursor& message, int version, uint32_t bits, Datatype& type) {
  constexpr uint32_t kImpliedLeadingOne = 2;
  type.is_big_endian = (bits & 1) != 0;
  const bool is_vax = (bits & 1 << 6) != 0;
  if (version >= 3 && is_vax && !type.is_big_endian) {
    message.refuse("little-endian, big-endian or VAX numbers",
                   "bit 6 without bit 0");
  }
  const uint32_t normalization = bits >> 4 & 3;
  if (normalization > kImpliedLeadingOne) {
    message.refuse("normalization 0 to 2", str(normalization));
  }
  const uint64_t offset = message.u16();
  const uint64_t precision = message.u16();
  FloatFormat format = {};
  format.sign = bits >> 8 & 0xff;
  format.exponent = message.u8();
  format.exponent_bits = message.u8();
  format.mantissa = message.u8();
  format.mantissa_bits = message.u8();
  format.bias = message.u32();
  const auto expect_inside = [&](std::string_view part, uint64_t first,
                                 uint64_t count) {
    if (count == 0 || first + count > 8 * type.bytes) {
      message.refuse(
          str(part, " in the ", 8 * type.bytes, " bits of a number"),
          count == 0 ? "none" : str("bits ", first, " to ", first + count - 1));
    }
  };
  expect_inside("all parts", offset, precision);
  expect_inside("a sign", format.sign, 1);
  expect_inside("an exponent", format.exponent, format.exponent_bits);
  expect_inside("a mantissa", format.mantissa, format.mantissa_bits);
  if (is_vax || normalization != kImpliedLeadingOne || offset != 0 ||
      precision != 8 * type.bytes) {
    return;
  }
  for (const Dtype dtype :
       {Dtype::kFloat16, Dtype::kBFloat16, Dtype::kFloat32, Dtype::kFloat64}) {
    if (type.bytes == static_cast<uint64_t>(item_size(dtype)) &&
        format == float_format(dtype)) {
      type.kind = Datatype::Kind::kNumber;
      type.dtype = dtype;
    }
  }
}

void read_padding(const Cursor& message, uint32_t bits, Datatype& type) {
  constexpr uint32_t kPaddings = 3, kEncodings = 2;
  const uint32_t padding = bits & 0xf;
  const uint32_t encoding = bits >> 4 & 0xf;
  if (padding >= kPaddings || encoding >= kEncodings) {
    message.refuse("text of padding 0 to 2 in encoding 0 or 1",
                   str("padding ", padding, " in encoding ", encoding));
  }
  type.padding = static_cast<Datatype::Padding>(padding);
}

// The type of a text's characters, without going into any type that has parts
// itself. libhdf5 counts a text in them, catena in bytes.
void read_characters(Cursor& message) {
  const TypeHead head = read_head(message);
  Datatype character = {.bytes = head.bytes};
  if (head.kind == TypeClass::kInteger) {
    read_integer(message, head.bits, character);
  }
  const bool is_number = character.kind == Datatype::Kind::kNumber;
  if (head.bytes != 1 || (!is_number && head.kind != TypeClass::kText)) {
    message.refuse(
        "text of characters of 1 byte",
        str(name_of(head.kind), " elements of ", head.bytes, " bytes"));
  }
}

// h5py's bool is the only enumeration with a dtype.
void read_enumeration(Cursor& message, int version, uint32_t bits,
                      Datatype& type) {
  const int members = static_cast<int>(bits & 0xffff);
  if (members != 2 || type.bytes != 1) return;
  // The type of the values, without going into any type that has parts itself.
  const TypeHead head = read_head(message);
  if (head.kind != TypeClass::kInteger) return;
  Datatype base = {.bytes = head.bytes};
  read_integer(message, head.bits, base);
  if (base.kind != Datatype::Kind::kNumber || base.dtype != Dtype::kInt8) {
    return;
  }
  std::array<std::string, 2> names;
  for (std::string& name : names) {
    name = message.text();
    // Older versions are padded to a multiple of 8 bytes.
    constexpr uint64_t kAlignment = 8;
    if (version < 3) {
      message.skip((kAlignment - (name.size() + 1) % kAlignment) % kAlignment);
    }
  }
  const int first = message.u8();
  const int second = message.u8();
  if ((first == 0 && second == 1 && names[0] == "FALSE" &&
       names[1] == "TRUE") ||
      (first == 1 && second == 0 && names[0] == "TRUE" &&
       names[1] == "FALSE")) {
    type.kind = Datatype::Kind::kNumber;
    type.dtype = Dtype::kBool;
    type.is_big_endian = false;
  }
}

// The dimensions of a chunk, the last is the bytes of an element.
void read_chunk(Cursor& message, int dimensions, int bytes, Layout& layout) {
  if (dimensions < 1) message.refuse("chunks of at least 1 axis", "none");
  for (int i = 0; i + 1 < dimensions; ++i) {
    layout.chunk.push_back(message.number(bytes));
    if (layout.chunk.back() == 0) {
      message.refuse("chunks of extents above 0", "0");
    }
  }
  layout.element_bytes = message.number(bytes);
}

Layout::Kind read_kind(Cursor& message) {
  const int kind = message.u8();
  if (kind > static_cast<int>(Layout::Kind::kVirtual)) {
    message.refuse("compact, contiguous or chunked data", str("layout ", kind));
  }
  return static_cast<Layout::Kind>(kind);
}

Layout read_layout_before_3(Cursor& message) {
  Layout layout;
  const int dimensions = message.u8();
  layout.kind = read_kind(message);
  message.skip(5);
  if (layout.kind != Layout::Kind::kCompact) layout.address = message.address();
  if (layout.kind == Layout::Kind::kChunked) {
    read_chunk(message, dimensions, 4, layout);
    return layout;
  }
  message.skip(4 * static_cast<uint64_t>(dimensions));
  if (layout.kind == Layout::Kind::kCompact) {
    const uint64_t bytes = message.u32();
    layout.data = text_of(message.bytes(bytes));
  }
  return layout;
}

// As of layout version 4.
void read_chunk_index(Cursor& message, Layout& layout) {
  constexpr int kEdgesAreUnfiltered = 1 << 0;
  constexpr int kSingleChunkHasFilters = 1 << 1;
  constexpr int kFlags = 3;
  const int flags = message.u8();
  if (flags > kFlags) message.refuse("flags up to 3", str(flags));
  layout.edges_are_unfiltered = (flags & kEdgesAreUnfiltered) != 0;
  const int dimensions = message.u8();
  const int bytes = message.u8();
  if (bytes < 1 || bytes > 8) {
    message.refuse("extents of 1 to 8 bytes", str(bytes));
  }
  read_chunk(message, dimensions, bytes, layout);
  const int index = message.u8();
  if (index < 1 || index > static_cast<int>(ChunkIndex::kBTree2)) {
    message.refuse("chunks of index 1 to 5", str(index));
  }
  layout.index = static_cast<ChunkIndex>(index);
  // The sizes of the index's parts stand in its own header, too.
  switch (layout.index) {
    case ChunkIndex::kSingle:
      if ((flags & kSingleChunkHasFilters) != 0) {
        layout.bytes = message.length();
        layout.filter_mask = message.u32();
      }
      break;
    case ChunkIndex::kFixedArray:
      message.skip(1);
      break;
    case ChunkIndex::kExtensibleArray:
      message.skip(5);
      break;
    case ChunkIndex::kBTree2:
      message.skip(6);
      break;
    case ChunkIndex::kBTree1:
    case ChunkIndex::kImplicit:
      break;
  }
  layout.address = message.address();
}

}  // namespace

Dataspace read_dataspace(Cursor message) {
  constexpr int kHasMaxExtents = 1 << 0;
  Dataspace space;
  const int version = message.version({1, 2});
  const int rank = message.u8();
  const int flags = message.u8();
  if (version == 1) {
    message.skip(5);
    space.kind =
        rank == 0 ? Dataspace::Kind::kScalar : Dataspace::Kind::kSimple;
  } else {
    switch (const int kind = message.u8()) {
      case 0:
        space.kind = Dataspace::Kind::kScalar;
        break;
      case 1:
        space.kind = Dataspace::Kind::kSimple;
        break;
      case 2:
        space.kind = Dataspace::Kind::kNull;
        break;
      default:
        message.refuse("a scalar, simple or null dataspace",
                       str("kind ", kind));
    }
  }
  for (int i = 0; i < rank; ++i) space.extents.push_back(message.length());
  space.max_extents = space.extents;
  if ((flags & kHasMaxExtents) != 0) {
    const uint64_t unlimited =
        UINT64_MAX >> (64 - 8 * message.walk().file().length_bytes());
    for (uint64_t& extent : space.max_extents) {
      extent = message.length();
      if (extent == unlimited) extent = UINT64_MAX;
    }
  }
  if (space.kind != Dataspace::Kind::kSimple && rank != 0) {
    message.refuse("no axes", str(rank));
  }
  return space;
}

Datatype read_datatype(Cursor message) {
  constexpr uint32_t kText = 1;
  const auto [kind, version, bits, bytes] = read_head(message);
  Datatype type = {.bytes = bytes, .name = name_of(kind)};
  switch (kind) {
    case TypeClass::kInteger:
      read_integer(message, bits, type);
      break;
    case TypeClass::kFloat:
      read_float(message, version, bits, type);
      break;
    case TypeClass::kText:
      type.kind = Datatype::Kind::kText;
      read_padding(message, bits, type);
      break;
    case TypeClass::kEnumeration:
      read_enumeration(message, version, bits, type);
      break;
    case TypeClass::kVariableLength:
      if ((bits & 0xf) == kText) {
        read_padding(message, bits >> 4, type);
        read_characters(message);
        type.kind = Datatype::Kind::kVariableText;
      }
      break;
    default:
      break;
  }
  return type;
}

Layout read_layout(Cursor message) {
  const int version = message.version({1, 2, 3, 4, 5});
  if (version < 3) return read_layout_before_3(message);
  Layout layout;
  layout.kind = read_kind(message);
  switch (layout.kind) {
    case Layout::Kind::kCompact: {
      const uint64_t bytes = message.u16();
      layout.data = text_of(message.bytes(bytes));
      break;
    }
    case Layout::Kind::kContiguous:
      layout.address = message.address();
      layout.bytes = message.length();
      break;
    case Layout::Kind::kChunked:
      if (version == 3) {
        const int dimensions = message.u8();
        layout.address = message.address();
        read_chunk(message, dimensions, 4, layout);
      } else {
        read_chunk_index(message, layout);
      }
      break;
    case Layout::Kind::kVirtual:
      break;
  }
  return layout;
}

std::vector<Filter> read_filters(Cursor message) {
  constexpr int kFirstWithName = 256;
  constexpr int kIsOptional = 1 << 0;
  const int version = message.version({1, 2});
  const int count = message.u8();
  constexpr int kMaxFilters = 32;  // as in chunks' masks
  if (count > kMaxFilters) {
    message.refuse(str("at most ", kMaxFilters, " filters"), str(count));
  }
  if (version == 1) message.skip(6);
  std::vector<Filter> filters(static_cast<size_t>(count));
  for (Filter& filter : filters) {
    filter.id = message.u16();
    const bool has_name = version == 1 || filter.id >= kFirstWithName;
    const uint64_t name_bytes = has_name ? message.u16() : uint64_t{0};
    if (version == 1 && name_bytes % 8 != 0) {
      message.refuse("a name of a multiple of 8 bytes", str(name_bytes));
    }
    filter.is_optional = (message.u16() & kIsOptional) != 0;
    const int parameters = message.u16();
    message.skip(name_bytes);
    for (int i = 0; i < parameters; ++i) {
      filter.parameters.push_back(message.u32());
    }
    if (version == 1 && parameters % 2 != 0) message.skip(4);
  }
  return filters;
}

std::string read_fill_value(const ObjectHeader& header,
                            uint64_t element_bytes) {
  constexpr int kNever = 1;  // is it written
  const auto value_of = [&](Cursor& message, uint64_t bytes) {
    if (bytes != element_bytes) {
      message.refuse(str("a value of ", element_bytes, " bytes"), str(bytes));
    }
    return text_of(message.bytes(bytes));
  };
  if (auto message = header.find(MessageType::kFillValue)) {
    if (message->version({1, 2, 3}) == 3) {
      constexpr int kIsUndefined = 1 << 4;
      constexpr int kHasValue = 1 << 5;
      constexpr int kUnknown = 3 << 6;
      const int flags = message->u8();
      if ((flags & kUnknown) != 0) {
        message->refuse("flags that the format has", str(flags));
      }
      if ((flags & kHasValue) == 0) return {};
      if ((flags & kIsUndefined) != 0) {
        message->refuse("an undefined value or one that is there", "both");
      }
      std::string value = value_of(*message, message->u32());
      return (flags >> 2 & 3) == kNever ? std::string() : value;
    }
    constexpr uint32_t kNoBytes = UINT32_MAX;  // -1
    message->skip(1);                          // when space is taken
    const bool is_never = message->u8() == kNever;
    if (message->u8() == 0) return {};
    const uint32_t bytes = message->u32();
    if (bytes == 0 || bytes == kNoBytes) return {};
    std::string value = value_of(*message, bytes);
    return is_never ? std::string() : value;
  }
  if (auto message = header.find(MessageType::kOldFillValue)) {
    const uint32_t bytes = message->u32();
    return bytes == 0 ? std::string() : value_of(*message, bytes);
  }
  return {};
}

std::optional<Attribute> read_attribute(Cursor message, std::string_view name) {
  const int version = message.version({1, 2, 3});
  const bool is_shared = message.u8() != 0 && version > 1;
  const uint64_t name_bytes = message.u16();
  const uint64_t type_bytes = message.u16();
  const uint64_t space_bytes = message.u16();
  if (version == 3) message.skip(1);  // the name's character set
  const auto part = [&](std::string_view structure, uint64_t bytes) {
    return message.part(structure, version == 1 ? (bytes + 7) / 8 * 8 : bytes);
  };
  Cursor name_part = part("attribute's name", name_bytes);
  const std::string actual = name_part.text();
  if (actual.size() + 1 != name_bytes) {
    name_part.refuse(str("a name of ", name_bytes, " bytes with its zero"),
                     str(actual.size() + 1));
  }
  if (actual != name) return std::nullopt;
  if (is_shared) {
    message.refuse("an attribute with a type of its own",
                   "a type that is shared with other objects");
  }
  Attribute attribute;
  attribute.type = read_datatype(part("attribute's datatype", type_bytes));
  attribute.space = read_dataspace(part("attribute's dataspace", space_bytes));
  attribute.data = text_of(message.bytes(message.left()));
  return attribute;
}

}  // namespace catena::serializers::hdf5
