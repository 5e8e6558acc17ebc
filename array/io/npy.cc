#include "catena/array/io/npy.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/core/quote.h"
#include "catena/array/core/utf32.h"
#include "catena/array/io/atomic_file.h"
#include "catena/array/io/byte_order.h"
#include "catena/array/io/byte_source.h"
#include "catena/array/io/npy_header.h"
#include "catena/array/io/pickled_none.h"

namespace catena::array {
namespace {

using std::string_view_literals::operator""sv;

Shape reversed(const Shape& shape) {
  Shape result = shape;
  std::reverse(result.begin(), result.end());
  return result;
}

Array read_numbers(ByteStream& stream, const NpyHeader& header) {
  const Array a =
      array::empty(header.fortran_order ? reversed(header.shape) : header.shape,
                   header.dtype, native_device());
  char* const data = a.raw_data();
  const std::span<char> bytes(data, static_cast<size_t>(a.nbytes()));
  stream.read(bytes);
  if (header.swapped) reverse_bytes(bytes, a.itemsize());
  if (header.dtype == Dtype::kBool) {
    // A bool other than 0 and 1 would be undefined behaviour.
    std::transform(data, data + a.size(), data,
                   [](char c) { return static_cast<char>(c != 0); });
  }
  return header.fortran_order ? a.transpose().contiguous() : a;
}

std::string decode_unicode(std::string_view item, bool swapped,
                           const ByteStream& stream) {
  std::u32string text(item.size() / sizeof(char32_t), U'\0');
  if (!item.empty()) std::memcpy(text.data(), item.data(), item.size());
  if (swapped) {
    for (char32_t& c : text) c = __builtin_bswap32(c);
  }
  text.resize(text.find_last_not_of(U'\0') + 1);
  std::optional<std::string> decoded = utf8_from_utf32(text);
  if (!decoded) {
    raise<IoError>(stream.where(),
                   ": expected Unicode text, got a character beyond Unicode");
  }
  return *std::move(decoded);
}

NpyString read_text(ByteStream& stream, const NpyHeader& header,
                    const LoadLimits& limits) {
  // A string takes more memory than its characters.
  const int64_t bytes =
      header.item_bytes + static_cast<int64_t>(sizeof(std::string));
  if (header.size > limits.array_bytes / bytes) {
    raise<IoError>(stream.where(), ": expected at most ", limits.array_bytes,
                   " bytes of text (LoadLimits::array_bytes), got shape ",
                   header.shape, " of ", bytes, " bytes each");
  }
  if (header.fortran_order && header.shape.ndim() > 1) {
    raise<IoError>(stream.where(), ": expected text in C order, got shape ",
                   header.shape, " in Fortran order");
  }
  NpyString text(header.shape, {});
  text.values.reserve(header.size);
  std::string item(header.item_bytes, '\0');
  for (int64_t i = 0; i < header.size; ++i) {
    stream.read(item);
    if (header.item == NpyItem::kUnicode) {
      text.values.push_back(decode_unicode(item, header.swapped, stream));
    } else {
      text.values.push_back(item.substr(0, item.find_last_not_of('\0') + 1));
    }
  }
  return text;
}

NpyValue read_object(ByteStream& stream, const NpyHeader& header) {
  constexpr int64_t kLongestNone = 1024;
  const int64_t size = stream.remaining();
  if (header.shape.empty() && size <= kLongestNone) {
    std::string pickle(static_cast<size_t>(size), '\0');
    stream.read(pickle);
    if (is_pickled_none(pickle)) return NpyNone{};
  }
  raise<IoError>(stream.where(),
                 ": expected numbers, text or None, got pickled Python objects "
                 "of shape ",
                 header.shape, ", which are never loaded");
}

// np.array(None) as NumPy 1.24 pickles it, after its header.
constexpr std::string_view kPickledNone =
    "\x80\x03"
    "cnumpy.core.multiarray\n_reconstruct\nq\x00"
    "cnumpy\nndarray\nq\x01K\x00\x85q\x02"
    "C\x01"
    "bq\x03\x87q\x04Rq\x05(K\x01)"
    "cnumpy\ndtype\nq\x06X\x02\x00\x00\x00O8q\x07\x89\x88\x87q\x08Rq\x09("
    "K\x03X\x01\x00\x00\x00|q\nNNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tq\x0b"
    "b\x89]q\x0cNatq\x0d"
    "b."sv;

void write_array(ByteSink& sink, const Array& a, std::string_view operation) {
  const std::string descr = npy_descr(a.dtype(), operation);
  const Array host = a.to_device(native_device()).contiguous();
  sink.write(npy_header(descr, host.shape()));
  sink.write({host.raw_data(), static_cast<size_t>(host.nbytes())});
}

void write_text(ByteSink& sink, const NpyString& text,
                std::string_view operation) {
  const int64_t size = checked_size(text.shape, sizeof(char32_t), operation);
  if (size != static_cast<int64_t>(text.values.size())) {
    raise<ValueError>(operation, ": expected ", size,
                      " strings for text of shape ", text.shape, ", got ",
                      text.values.size());
  }
  std::vector<std::u32string> items;
  size_t width = 1;
  for (const std::string& value : text.values) {
    std::optional<std::u32string> item = utf32_from_utf8(value);
    if (!item) {
      raise<ValueError>(operation, ": expected text in UTF-8, got ",
                        quote(value));
    }
    width = std::max(width, item->size());
    items.push_back(*std::move(item));
  }
  const char order = std::endian::native == std::endian::little ? '<' : '>';
  const std::string descr = str(std::string_view(&order, 1), "U", width);
  sink.write(npy_header(descr, text.shape));
  for (std::u32string& item : items) {
    item.resize(width);
    sink.write(
        {reinterpret_cast<const char*>(item.data()), width * sizeof(char32_t)});
  }
}

Array only_array(const NpyValue& value, const ByteStream& stream) {
  if (value.is_array()) return value.array();
  raise<IoError>(stream.where(), ": expected an array of numbers, got ", value);
}

}  // namespace

NpyValue read_npy(ByteStream& stream, const LoadLimits& limits) try {
  const NpyHeader header = read_npy_header(stream, limits);
  switch (header.item) {
    case NpyItem::kNumber:
      return read_numbers(stream, header);
    case NpyItem::kUnicode:
    case NpyItem::kBytes:
      return read_text(stream, header, limits);
    case NpyItem::kObject:
      return read_object(stream, header);
  }
  __builtin_unreachable();
} catch (const std::bad_alloc&) {
  raise_out_of_memory(stream.where());
}

void write_npy(ByteSink& sink, const NpyValue& value,
               std::string_view operation) try {
  if (value.is_none()) {
    sink.write(npy_header("|O", {}));
    sink.write(kPickledNone);
  } else if (value.is_text()) {
    write_text(sink, value.strings(), operation);
  } else {
    write_array(sink, value.array(), operation);
  }
} catch (const std::bad_alloc&) {
  raise_out_of_memory(operation);
}

Array load_npy(const std::string& path, const LoadLimits& limits) try {
  const ByteSource source = ByteSource::open(path, "load_npy", limits);
  SourceStream stream(source);
  return only_array(read_npy(stream, limits), stream)
      .to_device(current_device());
} catch (const std::bad_alloc&) {
  raise_out_of_memory("load_npy");
}

void save_npy(const std::string& path, const Array& a) try {
  AtomicFile file(path, "save_npy");
  write_npy(file, a, "save_npy");
  file.commit();
} catch (const std::bad_alloc&) {
  raise_out_of_memory("save_npy");
}

Array array_from_npy(std::span<const char> bytes,
                     const LoadLimits& limits) try {
  const ByteSource source = ByteSource::of_memory(bytes, "array_from_npy");
  SourceStream stream(source);
  return only_array(read_npy(stream, limits), stream);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("array_from_npy");
}

std::string npy_from_array(const Array& a) try {
  std::string bytes;
  StringSink sink(&bytes);
  write_npy(sink, a, "npy_from_array");
  return bytes;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("npy_from_array");
}

}  // namespace catena::array
