#include "catena/array/io/zip_writer.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <span>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/array/io/crc32.h"

namespace catena::array {
namespace {

constexpr uint32_t kJanuary1980 = 0x0021'0000;  // date, then time
constexpr uint16_t kVersion64 = 45;             // needed to read 64-bit sizes
constexpr uint16_t kMadeOnUnix = 3 << 8 | kVersion64;
constexpr uint32_t kUnixRegularFile = 0100644u << 16;

uint16_t flags_of(std::string_view name) {
  const bool ascii = std::all_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x80;
  });
  return ascii ? 0 : kZipUtf8Name;
}

}  // namespace

// The member being written: computes the checksum, compresses and writes.
class ZipWriter::Member final : public ByteSink {
 public:
  Member(ByteSink& sink, std::string_view name, int level)
      : sink_(sink), name_(name), level_(level), header_(sink.position()) {
    if (level_ > 0) {
      constexpr int kRawDeflate = -MAX_WBITS;
      constexpr int kMemoryLevel = 8;
      if (deflateInit2(&deflate_, level_, Z_DEFLATED, kRawDeflate, kMemoryLevel,
                       Z_DEFAULT_STRATEGY) != Z_OK) {
        raise<OutOfMemoryError>(sink_.where(), ": no memory to compress");
      }
    }
  }
  ~Member() override {
    if (level_ > 0) deflateEnd(&deflate_);
  }

  void write(std::span<const char> bytes) override {
    constexpr size_t kBlock = 256 << 10;  // zlib counts bytes in 32 bits
    while (!bytes.empty()) {
      const std::span<const char> block =
          bytes.first(std::min(bytes.size(), kBlock));
      crc_ = crc32_of(block, crc_);
      uncompressed_ += static_cast<int64_t>(block.size());
      if (level_ > 0) {
        deflate_block(block, Z_NO_FLUSH);
      } else {
        sink_.write(block);
      }
      bytes = bytes.subspan(block.size());
    }
  }
  void overwrite(int64_t, std::span<const char>) override {
    raise<NotImplementedError>(
        where(), ": bytes of an archive's member cannot be replaced");
  }
  int64_t position() const override { return uncompressed_; }
  std::string where() const override { return sink_.where(); }

  // Apart from the constructor, whose exceptions would leave zlib's memory.
  void begin() { write_header(); }  // its numbers are known at the end
  void finish() {
    if (level_ > 0) deflate_block({}, Z_FINISH);
    compressed_ = sink_.position() - data_;
    write_header();
  }

  const std::string& name() const { return name_; }
  ZipMethod method() const {
    return level_ > 0 ? ZipMethod::kDeflated : ZipMethod::kStored;
  }
  uint32_t crc() const { return crc_; }
  int64_t compressed() const { return compressed_; }
  int64_t uncompressed() const { return uncompressed_; }
  int64_t header() const { return header_; }

 private:
  // Always with 64-bit sizes, since the final size is not known.
  void write_header() {
    constexpr int kExtraBytes = 2 * 8;
    const std::string bytes = ZipRecord()
                                  .u32(kZipLocalHeader)
                                  .u16(kVersion64)
                                  .u16(flags_of(name_))
                                  .u16(static_cast<uint16_t>(method()))
                                  .u32(kJanuary1980)
                                  .u32(crc_)
                                  .u32(kZipIn64)
                                  .u32(kZipIn64)
                                  .u16(name_.size())
                                  .u16(2 + 2 + kExtraBytes)
                                  .bytes(name_)
                                  .u16(kZip64Extra)
                                  .u16(kExtraBytes)
                                  .u64(uncompressed_)
                                  .u64(compressed_)
                                  .str();
    if (data_ == 0) {
      sink_.write(bytes);
      data_ = sink_.position();
    } else {
      sink_.overwrite(header_, bytes);
    }
  }

  void deflate_block(std::span<const char> bytes, int flush) {
    deflate_.next_in =
        reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    deflate_.avail_in = static_cast<uInt>(bytes.size());
    do {
      deflate_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      deflate_.avail_out = static_cast<uInt>(buffer_.size());
      deflate(&deflate_, flush);
      sink_.write({buffer_.data(), buffer_.size() - deflate_.avail_out});
    } while (deflate_.avail_out == 0);
  }

  ByteSink& sink_;
  std::string name_;
  int level_;
  int64_t header_;    // offset of its local header
  int64_t data_ = 0;  // offset of its first byte
  int64_t uncompressed_ = 0;
  int64_t compressed_ = 0;
  uint32_t crc_ = 0;
  z_stream deflate_ = {};
  std::array<char, 64 << 10> buffer_;
};

ZipWriter::ZipWriter(ByteSink& sink, int64_t zip64_from)
    : sink_(sink), zip64_from_(zip64_from) {}

ZipWriter::~ZipWriter() = default;

ByteSink& ZipWriter::begin_member(std::string_view name, int level) {
  constexpr size_t kLongestName = 0xffff;
  const auto reject = [&](std::string_view expected, std::string_view got) {
    raise<ValueError>(sink_.where(), ": member ", quote(name), ": expected ",
                      expected, ", got ", got);
  };
  check_no_open_member();
  const std::string_view fault = zip_name_fault(name);
  if (!fault.empty()) reject("a relative name", fault);
  if (name.size() > kLongestName) {
    reject("a name of at most 65535 bytes", str(name.size()));
  }
  if (!names_.emplace(name).second) reject("distinct names", "a duplicate");
  member_ = std::make_unique<Member>(sink_, name, level);
  member_->begin();
  return *member_;
}

void ZipWriter::check_no_open_member() const {
  if (member_ == nullptr) return;
  raise<ValueError>(sink_.where(), ": member ", quote(member_->name()),
                    " was not finished; start the archive again");
}

void ZipWriter::end_member() {
  member_->finish();
  append_entry(*member_);
  member_.reset();
}

void ZipWriter::append_entry(const Member& member) {
  ZipRecord extra;
  const auto narrow = [&](int64_t number) {
    if (number < zip64_from_) return static_cast<uint32_t>(number);
    extra.u64(number);
    return kZipIn64;
  };
  const uint32_t uncompressed = narrow(member.uncompressed());
  const uint32_t compressed = narrow(member.compressed());
  const uint32_t header = narrow(member.header());
  const size_t extra_bytes = extra.str().size();
  ZipRecord entry;
  entry.u32(kZipDirectoryEntry)
      .u16(kMadeOnUnix)
      .u16(kVersion64)
      .u16(flags_of(member.name()))
      .u16(static_cast<uint16_t>(member.method()))
      .u32(kJanuary1980)
      .u32(member.crc())
      .u32(compressed)
      .u32(uncompressed)
      .u16(member.name().size())
      .u16(extra_bytes == 0 ? 0 : 2 + 2 + extra_bytes)
      .u16(0)  // no comment
      .u16(0)  // in the first part
      .u16(0)  // not text
      .u32(kUnixRegularFile)
      .u32(header)
      .bytes(member.name());
  if (extra_bytes > 0) {
    entry.u16(kZip64Extra).u16(extra_bytes).bytes(extra.str());
  }
  directory_ += entry.str();
  ++entries_;
}

void ZipWriter::finish() {
  check_no_open_member();
  const int64_t offset = sink_.position();
  const auto bytes = static_cast<int64_t>(directory_.size());
  sink_.write(directory_);
  ZipRecord end;
  // The directory is shorter than the members before it.
  const bool zip64 = entries_ >= kZipIn64Short || offset >= zip64_from_;
  if (zip64) {
    const int64_t record = sink_.position();
    end.u32(kZip64End)
        .u64(kZip64EndBytes - 12)  // what follows these two fields
        .u16(kMadeOnUnix)
        .u16(kVersion64)
        .u32(0)
        .u32(0)
        .u64(entries_)
        .u64(entries_)
        .u64(bytes)
        .u64(offset);
    end.u32(kZip64Locator).u32(0).u64(record).u32(1);
  }
  const int64_t short_entries = zip64 ? kZipIn64Short : entries_;
  end.u32(kZipEnd)
      .u16(0)
      .u16(0)
      .u16(short_entries)
      .u16(short_entries)
      .u32(zip64 ? kZipIn64 : bytes)
      .u32(zip64 ? kZipIn64 : offset)
      .u16(0);
  sink_.write(end.str());
}

}  // namespace catena::array
