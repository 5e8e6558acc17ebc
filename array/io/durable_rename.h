#pragma once

#include <string>
#include <string_view>

namespace catena::array {

// The folder that a file is in; "." for a bare name.
std::string folder_of(const std::string& path);

// Renames a file over another in the same file system and makes that durable
// (fsync of the folder). Durable content is the caller's part. IoError,
// starting with `where`; a file system that cannot synchronize folders is none.
void durable_rename(const std::string& from, const std::string& to,
                    std::string_view where);

// The same for a file whose content may not be on the disk yet.
void sync_and_rename(const std::string& from, const std::string& to,
                     std::string_view where);

}  // namespace catena::array
