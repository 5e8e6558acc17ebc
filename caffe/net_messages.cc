#include "catena/caffe/net_messages.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_pool.h"
#include "catena/array/core/quote.h"

namespace catena::caffe {
namespace {

namespace protobuf = google::protobuf;
using protobuf::internal::WireFormatLite;

constexpr int64_t kMaxBytes = INT32_MAX;

constexpr uint32_t tag_of(int field) {
  return WireFormatLite::MakeTag(field,
                                 WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
}

// Limits the memory of the messages of one source, in this thread, while the
// object exists. An empty message has two bytes in a file but takes some
// hundred bytes of memory; unpacked values take up to four times their bytes.
class Budget {
 public:
  struct Exceeded {
    int64_t max;
  };

  explicit Budget(const array::ByteSource& source)
      : max_(8 * source.size() + (64 << 20)), outer_(current_) {
    current_ = this;
  }
  ~Budget() { current_ = outer_; }
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  static void take(int64_t bytes) {
    if (current_ != nullptr) current_->add(bytes);
  }
  static void give_back(int64_t bytes) noexcept {
    if (current_ != nullptr) current_->taken_ -= bytes;
  }

 private:
  void add(int64_t bytes) {
    if (bytes > max_ - taken_) throw Exceeded{max_};
    taken_ += bytes;
  }

  static thread_local Budget* current_;

  const int64_t max_;
  int64_t taken_ = 0;
  Budget* const outer_;
};

thread_local Budget* Budget::current_ = nullptr;

// A message in an arena of the pool's memory, with values laid out as in
// arrays, so that arrays can take them over without a copy.
template <class M>
std::shared_ptr<M> new_message() {
  protobuf::ArenaOptions options;
  options.start_block_size = 1 << 10;  // enough for a layer without blobs
  options.block_alloc = [](size_t bytes) {
    Budget::take(static_cast<int64_t>(bytes));
    return cpu::pool_allocate(static_cast<int64_t>(bytes));
  };
  options.block_dealloc = [](void* data, size_t bytes) {
    Budget::give_back(static_cast<int64_t>(bytes));
    cpu::pool_free(data, static_cast<int64_t>(bytes));
  };
  auto arena = std::make_shared<protobuf::Arena>(options);
  M* const message = M::default_instance().New(arena.get());
  return {std::move(arena), message};
}

// Parses `size` bytes at `offset`. If they are not a valid message, returns
// false; the message then has the fields before the error.
bool parse(const array::ByteSource& source, int64_t offset, int64_t size,
           protobuf::Message& message) {
  // Contiguous input, so that memory for a blob's values is allocated at once.
  // Not mapped: the system would kill a program whose file shrinks meanwhile.
  const cpu::PoolBuffer<char> bytes(size);
  source.read(offset, {bytes.get(), static_cast<size_t>(size)});
  const bool is_sound =
      message.ParsePartialFromArray(bytes.get(), static_cast<int>(size));
  message.DiscardUnknownFields();
  return is_sound;
}

// The last field of a partially read message: "blobs[1]: data[14]".
std::string last_field(const protobuf::Message& message) {
  const protobuf::Reflection& reflection = *message.GetReflection();
  std::vector<const protobuf::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  if (fields.empty()) return "its beginning";
  const protobuf::FieldDescriptor* const field = fields.back();
  std::string result(field->name());
  const int last =
      field->is_repeated() ? reflection.FieldSize(message, field) - 1 : -1;
  if (last >= 0) result += str("[", last, "]");
  if (field->message_type() == nullptr) return result;
  return result + ": " +
         last_field(last >= 0
                        ? reflection.GetRepeatedMessage(message, field, last)
                        : reflection.GetMessage(message, field));
}

[[noreturn]] void fail(const array::ByteSource& source, int64_t offset,
                       const std::string& what) {
  raise<IoError>(source.where(), ": ", what, ", at byte ", offset, " of ",
                 source.size(),
                 "; this is not a binary .caffemodel, or it is damaged");
}

void check_size(const array::ByteSource& source) {
  if (source.size() <= kMaxBytes) return;
  raise<IoError>(source.where(), ": expected a message of at most ", kMaxBytes,
                 " bytes, as the format allows, got ", source.size());
}

// Maps windows of the source. Skipped parts are not read.
class SourceStream final : public protobuf::io::ZeroCopyInputStream {
 public:
  explicit SourceStream(const array::ByteSource& source) : source_(source) {}

  bool Next(const void** data, int* size) override {
    const int64_t count = std::min<int64_t>(sizeof window_, rest());
    if (count == 0) return false;
    source_.read(position_, {window_, static_cast<size_t>(count)});
    position_ += count;
    *data = window_;
    *size = static_cast<int>(count);
    return true;
  }
  void BackUp(int count) override { position_ -= count; }
  bool Skip(int count) override {
    const bool is_there = count <= rest();
    position_ += std::min<int64_t>(count, rest());
    return is_there;
  }
  int64_t ByteCount() const override { return position_; }

 private:
  int64_t rest() const { return source_.size() - position_; }

  const array::ByteSource& source_;
  int64_t position_ = 0;
  char window_[4 << 10];
};

// Field by field, so that errors can name the position of the damaged layer,
// and memory is allocated one layer at a time.
class NetReader {
 public:
  NetReader(const array::ByteSource& source, const LoadLimits& limits)
      : source_(source), limits_(limits), stream_(source), in_(&stream_) {
    result_.net = new_message<NetParameter>();
  }

  NetMessages read() {
    while (in_.CurrentPosition() < source_.size()) {
      const int begin = in_.CurrentPosition();
      try {
        read_field();
      } catch (const Budget::Exceeded& budget) {
        fail(source_, begin,
             str("expected messages that take at most ", budget.max,
                 " bytes of memory, got more, mostly empty, after ",
                 result_.layers.size() + result_.layers_of_v1.size(),
                 " layers"));
      }
    }
    return std::move(result_);
  }

 private:
  void read_field() {
    const int begin = in_.CurrentPosition();
    const uint32_t tag = in_.ReadTag();
    if (tag == tag_of(NetParameter::kLayerFieldNumber)) {
      return read_layer("layer", result_.layers);
    }
    if (tag == tag_of(NetParameter::kLayersFieldNumber)) {
      return read_layer("layers", result_.layers_of_v1);
    }
    if (tag == 0 || !WireFormatLite::SkipField(&in_, tag)) {
      fail(source_, begin, "expected a field of a net");
    }
    const int number = WireFormatLite::GetTagFieldNumber(tag);
    if (NetParameter::descriptor()->FindFieldByNumber(number) == nullptr) {
      return;
    }
    const auto part = new_message<NetParameter>();
    if (!parse(source_, begin, in_.CurrentPosition() - begin, *part)) {
      fail(source_, begin, "cannot read the net's " + last_field(*part));
    }
    result_.net->MergeFrom(*part);
  }

  template <class M>
  void read_layer(const char* field, std::vector<std::shared_ptr<M>>& layers) {
    const std::string name = str(field, "[", layers.size(), "]");
    if (static_cast<int64_t>(layers.size()) == limits_.members) {
      fail(source_, in_.CurrentPosition(),
           str(name, " exceeds the limit of ", limits_.members,
               " layers (LoadLimits::members)"));
    }
    int size = 0;
    if (!in_.ReadVarintSizeAsInt(&size)) {
      fail(source_, in_.CurrentPosition(),
           str("expected the length of ", name));
    }
    const int64_t begin = in_.CurrentPosition();
    const int64_t rest = source_.size() - begin;
    auto layer = new_message<M>();
    const bool is_sound =
        parse(source_, begin, std::min<int64_t>(size, rest), *layer);
    if (!is_sound || size > rest) {
      fail(source_, begin,
           str(size > rest ? str("expected ", size, " more bytes, but ", rest,
                                 " are there, in ")
                           : "cannot read ",
               name, " ", array::quote(layer->name()), " beyond ",
               last_field(*layer)));
    }
    layers.push_back(std::move(layer));
    in_.Skip(size);
  }

  const array::ByteSource& source_;
  const LoadLimits& limits_;
  Budget budget_{source_};
  SourceStream stream_;
  protobuf::io::CodedInputStream in_;
  NetMessages result_;
};

// Keeps an exception of the sink, since the library only reports failure.
class SinkStream final : public protobuf::io::CopyingOutputStream {
 public:
  explicit SinkStream(array::ByteSink& sink) : sink_(sink) {}

  bool Write(const void* buffer, int size) override {
    try {
      sink_.write(
          {static_cast<const char*>(buffer), static_cast<size_t>(size)});
    } catch (...) {
      error_ = std::current_exception();
    }
    return error_ == nullptr;
  }
  void rethrow_error() const {
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  array::ByteSink& sink_;
  std::exception_ptr error_;
};

}  // namespace

NetMessages read_net(const array::ByteSource& source,
                     const LoadLimits& limits) {
  check_size(source);
  return NetReader(source, limits).read();
}

std::shared_ptr<BlobProto> read_blob(const array::ByteSource& source) {
  check_size(source);
  auto blob = new_message<BlobProto>();
  if (!parse(source, 0, source.size(), *blob)) {
    raise<IoError>(source.where(), ": cannot read the blob beyond ",
                   last_field(*blob), "; the file is damaged");
  }
  return blob;
}

void add_blob(LayerParameter& layer, const Array& values) {
  if (values.size() > kMaxBytes / 4) {
    raise<ValueError>("a blob of shape ", values.shape(), ": expected at most ",
                      kMaxBytes, " bytes, as the format allows");
  }
  const Array numbers =
      values.to_device(native_device())
          .astype(Dtype::kFloat32, Array::CopyPolicy::kIfNeeded)
          .contiguous();
  BlobProto& blob = *layer.add_blobs();
  for (const int64_t extent : values.shape()) {
    blob.mutable_shape()->add_dim(extent);
  }
  blob.mutable_data()->Add(numbers.data<float>(),
                           numbers.data<float>() + numbers.size());
}

void write_net(const NetParameter& net, array::ByteSink& sink) {
  const size_t size = net.ByteSizeLong();
  if (size > static_cast<size_t>(kMaxBytes)) {
    raise<ValueError>(sink.where(), ": expected a net of at most ", kMaxBytes,
                      " bytes, as the format allows, got ", size);
  }
  SinkStream stream(sink);
  protobuf::io::CopyingOutputStreamAdaptor adaptor(&stream, 64 << 10);
  if (!net.SerializeToZeroCopyStream(&adaptor) || !adaptor.Flush()) {
    stream.rethrow_error();
  }
}

}  // namespace catena::caffe
