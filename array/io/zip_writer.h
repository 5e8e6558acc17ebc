#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "catena/array/io/byte_sink.h"
#include "catena/array/io/zip_format.h"

namespace catena::array {

// Writes a ZIP archive member by member. Output is reproducible: time stamps
// are fixed (1980-01-01, as in NumPy).
class ZipWriter final {
 public:
  // `sink` must outlive the writer. Sizes and offsets >= `zip64_from` are
  // written in 64-bit form; only tests lower it.
  explicit ZipWriter(ByteSink& sink, int64_t zip64_from = kZipIn64);
  ~ZipWriter();
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  // Starts a member; write its bytes to the returned sink until end_member().
  // Level 0 stores, 1 to 9 deflate. Throws ValueError, starting with the sink's
  // where(), when the name is a duplicate, empty, absolute, contains "..", or
  // is longer than 65535 bytes.
  ByteSink& begin_member(std::string_view name, int level);
  void end_member();

  // Writes the directory; nothing may follow. Throws ValueError when a member
  // is still open, as after an exception.
  void finish();

 private:
  class Member;

  void check_no_open_member() const;
  void append_entry(const Member& member);

  ByteSink& sink_;
  int64_t zip64_from_;
  std::set<std::string, std::less<>> names_;
  int64_t entries_ = 0;
  std::string directory_;           // its entries so far
  std::unique_ptr<Member> member_;  // the one being written, or null
};

}  // namespace catena::array
