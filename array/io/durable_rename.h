#pragma once

#include <string>
#include <string_view>

namespace catena::array {

// The folder of a file; "." for a bare name.
std::string folder_of(const std::string& path);

// Renames a file over another in the same file system and makes the rename
// durable (fsync of the folder). The caller must have flushed the content.
// Throws IoError, starting with `where`, but not when the file system cannot
// synchronize folders.
void durable_rename(const std::string& from, const std::string& to,
                    std::string_view where);

// Like durable_rename, but flushes the content first.
void sync_and_rename(const std::string& from, const std::string& to,
                     std::string_view where);

}  // namespace catena::array
