#include "catena/array/io/zip_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "catena/array/core/error.h"
#include "catena/array/core/quote.h"
#include "catena/array/core/utf32.h"
#include "catena/array/io/little_endian.h"
#include "catena/array/io/zip_stream.h"

namespace catena::array {
namespace {

std::string read_text(const ByteSource& source, int64_t offset, int64_t bytes) {
  std::string text(static_cast<size_t>(bytes), '\0');
  source.read(offset, text);
  return text;
}

// Converts a 64-bit field to int64. Values that do not fit become the maximum,
// which fails every check.
int64_t clamped(uint64_t value) {
  constexpr auto kLargest = static_cast<uint64_t>(INT64_MAX);
  return static_cast<int64_t>(std::min(value, kLargest));
}

// Replaces the 32-bit fields that refer to the 64-bit extra field by its
// values. Returns false if it lacks them, is there twice, or a field reaches
// beyond the others' end.
bool take_zip64(std::string_view extra,
                std::initializer_list<int64_t*> fields) {
  constexpr size_t kBlockHead = 4;
  LittleEndianFields blocks(extra);
  std::optional<std::string_view> content;
  // Shorter rests are padding.
  while (blocks.size() >= kBlockHead) {
    const uint16_t id = blocks.u16();
    const std::string_view block = blocks.bytes(blocks.u16());
    if (!blocks.ok() || (id == kZip64Extra && content)) return false;
    if (id == kZip64Extra) content = block;
  }
  LittleEndianFields numbers(content.value_or(std::string_view()));
  for (int64_t* field : fields) {
    if (*field == kZipIn64) *field = clamped(numbers.u64());
  }
  return numbers.ok();
}

std::string member_where(const std::string& where, std::string_view name) {
  return str(where, ": member ", quote(name));
}

}  // namespace

ZipReader::ZipReader(ByteSource source, const LoadLimits& limits)
    : source_(std::move(source)), limits_(limits) {
  const Directory directory = find_directory();
  read_directory(directory);
  check_layout(directory.offset);
}

// The end record is the last thing in the file, before a comment of up to
// 65535 bytes. A comment with a signature of its own could be taken for another
// record, by other programs if not here, and is refused.
ZipReader::Directory ZipReader::find_directory() const {
  const int64_t tail_bytes =
      std::min<int64_t>(source_.size(), kZipEndBytes + 0xffff);
  const int64_t tail_offset = source_.size() - tail_bytes;
  const std::string tail = read_text(source_, tail_offset, tail_bytes);
  const std::string signature = ZipRecord().u32(kZipEnd).str();
  const std::string no_comment(2, '\0');
  const size_t last = tail.size() - std::min<size_t>(tail.size(), kZipEndBytes);
  const size_t at = tail.compare(last, signature.size(), signature) == 0 &&
                            tail.ends_with(no_comment)
                        ? last
                        : tail.rfind(signature);
  if (at == std::string::npos) {
    raise<IoError>(where(), ": expected a ZIP archive (.npz), got ",
                   source_.size(),
                   " bytes without an archive's end: another kind of file, or "
                   "truncated");
  }
  LittleEndianFields fields(
      std::string_view(tail).substr(at + signature.size()));
  const uint16_t disk = fields.u16();
  const uint16_t directory_disk = fields.u16();
  const uint16_t entries_here = fields.u16();
  const uint16_t entries = fields.u16();
  const uint32_t bytes = fields.u32();
  const uint32_t offset = fields.u32();
  fields.bytes(fields.u16());  // the comment
  const int64_t end = tail_offset + static_cast<int64_t>(at);
  if (!fields.ok() || !fields.empty()) {
    raise<IoError>(where(), ": the archive is damaged: expected its end, at ",
                   "offset ", end, ", to be that of the file");
  }
  if (entries == kZipIn64Short || bytes == kZipIn64 || offset == kZipIn64) {
    return read_zip64_end(end);
  }
  if (disk != 0 || directory_disk != 0 || entries_here != entries) {
    raise<IoError>(where(), ": expected an archive in one part, got part ",
                   disk);
  }
  if (int64_t{offset} + bytes != end) {
    raise<IoError>(where(), ": the archive is damaged: expected its ",
                   "directory to end at offset ", end, ", got offset ", offset,
                   " and ", bytes, " bytes");
  }
  return {offset, bytes, entries};
}

ZipReader::Directory ZipReader::read_zip64_end(int64_t end) const {
  const auto damaged = [&](std::string_view part) {
    raise<IoError>(where(), ": the archive is damaged: its 64-bit ", part,
                   " before offset ", end, " is missing or wrong");
  };
  const int64_t locator_offset = end - kZip64LocatorBytes;
  const int64_t record_offset = locator_offset - kZip64EndBytes;
  if (record_offset < 0) damaged("end");
  const std::string record =
      read_text(source_, record_offset, kZip64EndBytes + kZip64LocatorBytes);
  LittleEndianFields fields(record);
  if (fields.u32() != kZip64End || fields.u64() != kZip64EndBytes - 12) {
    damaged("end");
  }
  fields.u16();  // made by
  fields.u16();  // needed to read
  const uint32_t disk = fields.u32();
  const uint32_t directory_disk = fields.u32();
  const uint64_t entries_here = fields.u64();
  const uint64_t entries = fields.u64();
  const int64_t bytes = clamped(fields.u64());
  const int64_t offset = clamped(fields.u64());
  if (disk != 0 || directory_disk != 0 || entries_here != entries) {
    damaged("end");
  }
  if (fields.u32() != kZip64Locator) damaged("locator");
  const uint32_t record_disk = fields.u32();
  if (clamped(fields.u64()) != record_offset) damaged("locator");
  if (record_disk != 0 || fields.u32() > 1) damaged("locator");
  if (offset > record_offset || bytes != record_offset - offset) {
    damaged("directory");
  }
  return {offset, bytes, clamped(entries)};
}

void ZipReader::read_directory(const Directory& directory) {
  if (directory.entries > limits_.members) {
    raise<IoError>(where(), ": expected at most ", limits_.members,
                   " members (LoadLimits::members), got ", directory.entries);
  }
  if (directory.entries > directory.bytes / kZipDirectoryEntryBytes) {
    raise<IoError>(where(),
                   ": the archive is damaged: expected a directory of "
                   "at least ",
                   directory.entries * kZipDirectoryEntryBytes, " bytes for ",
                   directory.entries, " members, got ", directory.bytes);
  }
  const std::string bytes =
      read_text(source_, directory.offset, directory.bytes);
  LittleEndianFields fields(bytes);
  int64_t total = 0;
  for (int64_t i = 0; i < directory.entries; ++i) {
    ZipMember member = read_entry(fields);
    if (member.name.ends_with('/') && member.uncompressed == 0) {
      folders_.push_back(std::move(member));
      continue;
    }
    check_member(member);
    if (!by_name_.emplace(member.name, members_.size()).second) {
      raise<IoError>(member_where(where(), member.name),
                     ": expected distinct names, got a duplicate");
    }
    if (member.uncompressed > limits_.total_bytes - total) {
      raise<IoError>(where(), ": expected at most ", limits_.total_bytes,
                     " bytes in all members (LoadLimits::total_bytes), got "
                     "more by member ",
                     quote(member.name));
    }
    total += member.uncompressed;
    members_.push_back(std::move(member));
  }
  if (!fields.empty()) {
    raise<IoError>(where(), ": the archive is damaged: expected ",
                   directory.entries, " members, got a longer directory");
  }
}

ZipMember ZipReader::read_entry(LittleEndianFields& fields) const {
  ZipMember member;
  const uint32_t signature = fields.u32();
  fields.u16();  // made by
  const uint16_t version = fields.u16();
  member.flags = fields.u16();
  member.method = static_cast<ZipMethod>(fields.u16());
  fields.u32();  // time and date
  member.crc = fields.u32();
  member.compressed = fields.u32();
  member.uncompressed = fields.u32();
  const uint16_t name_bytes = fields.u16();
  const uint16_t extra_bytes = fields.u16();
  const uint16_t comment_bytes = fields.u16();
  fields.u16();  // the part it is in
  fields.u16();  // attributes
  fields.u32();
  member.header = fields.u32();
  member.name = fields.bytes(name_bytes);
  const std::string_view extra = fields.bytes(extra_bytes);
  fields.bytes(comment_bytes);
  if (!fields.ok() || signature != kZipDirectoryEntry ||
      !take_zip64(extra,
                  {&member.uncompressed, &member.compressed, &member.header})) {
    raise<IoError>(where(),
                   ": the archive is damaged: its directory breaks "
                   "off after ",
                   members_.size(), " members");
  }
  if (version > kZipVersion) {
    raise<IoError>(member_where(where(), member.name),
                   ": expected version 6.3 of the format, got ", version / 10,
                   ".", version % 10);
  }
  if ((member.flags & kZipUtf8Name) != 0 && !utf32_from_utf8(member.name)) {
    raise<IoError>(member_where(where(), member.name),
                   ": expected a name in UTF-8, as its flags say");
  }
  return member;
}

void ZipReader::check_member(const ZipMember& member) const {
  const auto reject = [&](const auto&... problem) {
    raise<IoError>(member_where(where(), member.name), ": ", problem...);
  };
  if (const std::string_view fault = zip_name_fault(member.name);
      !fault.empty()) {
    reject("expected a relative name, got ", fault);
  }
  if (static_cast<int64_t>(member.name.size()) > limits_.header_bytes) {
    reject("expected a name of at most ", limits_.header_bytes, " bytes, got ",
           member.name.size());
  }
  if ((member.flags & kZipUnreadable) != 0) {
    reject("expected a plain member, got an encrypted or patched one");
  }
  const bool stored = member.method == ZipMethod::kStored;
  if (!stored && member.method != ZipMethod::kDeflated) {
    reject("expected compression method 0 (stored) or 8 (deflate), got ",
           static_cast<int>(member.method));
  }
  if (stored && member.compressed != member.uncompressed) {
    reject("expected as many bytes stored as read, got ", member.compressed,
           " and ", member.uncompressed);
  }
  if (member.compressed > source_.size()) {
    reject("the file is truncated: expected ", member.compressed,
           " bytes, got a file of ", source_.size());
  }
  if (!stored &&
      member.uncompressed / std::max<int64_t>(limits_.compression_ratio, 1) >
          member.compressed) {
    reject("expected at most ", limits_.compression_ratio,
           " times its compressed size (LoadLimits::compression_ratio), got ",
           member.uncompressed, " bytes from ", member.compressed);
  }
}

// Members must not share bytes with each other or with the directory.
void ZipReader::check_layout(int64_t directory_offset) {
  std::vector<ZipMember*> in_file;
  for (ZipMember& member : members_) in_file.push_back(&member);
  for (ZipMember& folder : folders_) in_file.push_back(&folder);
  std::sort(in_file.begin(), in_file.end(),
            [](const ZipMember* a, const ZipMember* b) {
              return a->header > b->header;
            });
  int64_t end = directory_offset;
  for (ZipMember* member : in_file) {
    const int64_t head =
        kZipLocalHeaderBytes + static_cast<int64_t>(member->name.size());
    if (member->header > end || member->compressed > end ||
        head + member->compressed > end - member->header) {
      raise<IoError>(member_where(where(), member->name), ": expected ", head,
                     " and ", member->compressed, " bytes from offset ",
                     member->header, ", got other contents from offset ", end,
                     " on");
    }
    member->end = end;
    end = member->header;
  }
}

bool ZipReader::begins_with_member() const {
  const std::string start = read_text(source_, 0, sizeof kZipEnd);
  return start == ZipRecord().u32(kZipLocalHeader).str() ||
         start == ZipRecord().u32(kZipEnd).str();
}

const ZipMember* ZipReader::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &members_[found->second];
}

// The offset of the member's data. Checks that the local header agrees with the
// directory.
int64_t ZipReader::data_offset(const ZipMember& member) const {
  const std::string header =
      read_text(source_, member.header, kZipLocalHeaderBytes);
  LittleEndianFields fields(header);
  const uint32_t signature = fields.u32();
  fields.u16();  // needed to read
  const uint16_t flags = fields.u16();
  const auto method = static_cast<ZipMethod>(fields.u16());
  fields.u32();  // time and date
  const uint32_t crc = fields.u32();
  int64_t compressed = fields.u32();
  int64_t uncompressed = fields.u32();
  const uint16_t name_bytes = fields.u16();
  const uint16_t extra_bytes = fields.u16();
  const int64_t after = member.header + kZipLocalHeaderBytes;
  const int64_t data = after + name_bytes + extra_bytes;
  const auto damaged = [&](std::string_view part) {
    raise<IoError>(member_where(where(), member.name),
                   ": the archive is damaged: the local header's ", part,
                   " differs from the directory's");
  };
  if (signature != kZipLocalHeader) damaged("signature");
  if (data > member.end || member.compressed > member.end - data) {
    damaged("length");
  }
  const std::string tail =
      read_text(source_, after, int64_t{name_bytes} + extra_bytes);
  const auto name = std::string_view(tail).substr(0, name_bytes);
  const auto extra = std::string_view(tail).substr(name_bytes);
  if (name != member.name) damaged("name");
  if (method != member.method) damaged("method");
  // It says how the name is to be read.
  if (((flags ^ member.flags) & kZipUtf8Name) != 0) damaged("flag");
  // With a descriptor the sizes follow the data; those of the directory are
  // used.
  if ((flags & kZipHasDescriptor) == 0) {
    if (!take_zip64(extra, {&uncompressed, &compressed})) damaged("size");
    if (crc != member.crc) damaged("checksum");
    if (uncompressed != member.uncompressed ||
        compressed != member.compressed) {
      damaged("size");
    }
  }
  return data;
}

std::unique_ptr<ByteStream> ZipReader::make_stream(
    const ZipMember& member) const {
  return std::make_unique<ZipStream>(source_, member, data_offset(member),
                                     member_where(where(), member.name));
}

std::unique_ptr<ByteStream> ZipReader::open(const ZipMember& member) const {
  constexpr int64_t kSmall = 1 << 20;
  constexpr int64_t kPlausibleRatio = 32;
  if (member.uncompressed > kSmall &&
      member.uncompressed / kPlausibleRatio > member.compressed) {
    const std::unique_ptr<ByteStream> trial = make_stream(member);
    std::string block(64 << 10, '\0');
    while (trial->remaining() > 0) {
      const auto size = static_cast<int64_t>(block.size());
      trial->read({block.data(),
                   static_cast<size_t>(std::min(size, trial->remaining()))});
    }
  }
  return make_stream(member);
}

}  // namespace catena::array
