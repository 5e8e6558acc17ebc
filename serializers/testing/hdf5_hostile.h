#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "catena/array/array.h"
#include "catena/array/core/error.h"
#include "catena/array/io/load_limits.h"
#include "catena/serializers/hdf5_reader.h"
#include "catena/serializers/serializer.h"
#include "catena/serializers/testing/hdf5_mend.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::serializers {

// Reads files that are damaged.
class HostileTest : public ::testing::Test {
 protected:
  static constexpr LoadLimits kSmall = {.total_bytes = 1 << 22,
                                        .array_bytes = 1 << 20};

  std::string path() const { return folder_.file("hostile.h5"); }

  // What each key has in the file: its values, or "error".
  std::vector<std::string> outcomes(const std::vector<std::string>& keys) {
    std::vector<std::string> result(keys.size(), "error");
    try {
      const Hdf5Reader reader(path(), kSmall);
      for (size_t i = 0; i < keys.size(); ++i) {
        try {
          result[i] = values(reader.read(keys[i]));
        } catch (const IoError& error) {
          EXPECT_THAT(error.what(), ::testing::HasSubstr("hostile.h5"));
        }
      }
    } catch (const IoError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("hostile.h5"));
    }
    return result;
  }

  // As outcomes, while the file has other bytes at `at`.
  std::vector<std::string> outcomes_with(size_t at, std::string_view bytes,
                                         std::string_view whole,
                                         const std::vector<std::string>& keys) {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    const auto put = [&](std::string_view text) {
      file.seekp(static_cast<std::streamoff>(at));
      file.write(text.data(), static_cast<std::streamsize>(text.size()));
      file.flush();
    };
    put(bytes);
    const auto result = outcomes(keys);
    put(whole.substr(at, bytes.size()));
    return result;
  }

  static std::string values(const std::optional<SerializedValue>& entry) {
    if (!entry) return "missing";
    if (const auto* text = std::get_if<std::string>(&*entry)) return *text;
    const auto* array = std::get_if<Array>(&*entry);
    if (array == nullptr) return "none";
    return to_string(array->dtype()) + to_string(array->shape()) +
           std::string(array->raw_data(), static_cast<size_t>(array->nbytes()));
  }

  void expect_refusal(const std::string& bytes, const std::string& message,
                      const std::string& key = "x") {
    catena::testing::write_file(path(), bytes);
    EXPECT_THAT(catena::testing::error_of<IoError>(
                    [&] { Hdf5Reader(path(), kSmall).read(key); }),
                ::testing::AllOf(::testing::HasSubstr("hostile.h5"),
                                 ::testing::HasSubstr(message)));
  }

  // The file with the checksums of what was changed in it.
  static std::string mended(std::string whole, std::string changed) {
    const auto as_bytes = [](std::string& text) {
      return std::span(reinterpret_cast<uint8_t*>(text.data()), text.size());
    };
    Hdf5Structures(as_bytes(whole)).mend(as_bytes(changed));
    return changed;
  }

  catena::testing::TempFolder folder_;
};

}  // namespace catena::serializers
