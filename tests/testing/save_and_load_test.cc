#include "catena/tests/testing/save_and_load.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "catena/array/core/error.h"
#include "catena/serializers/serializer.h"

namespace catena::testing {
namespace {

struct Counter {
  int value = 0;
  void serialize(const Serializer& serializer) { serializer("value", value); }
};

struct OtherCounter {
  int count = 0;
  void serialize(const Serializer& serializer) { serializer("count", count); }
};

TEST(SaveAndLoadTest, CarriesAnObjectThroughAFile) {
  Counter source{7};
  Counter target;
  save_and_load_npz(source, target);
  EXPECT_EQ(target.value, 7);
}

TEST(SaveAndLoadTest, CarriesAnObjectThroughAnHdf5File) {
  Counter source{7};
  Counter target;
  save_and_load_hdf5(source, target);
  EXPECT_EQ(target.value, 7);
}

TEST(SaveAndLoadTest, PassesErrorsOn) {
  Counter source{7};
  OtherCounter target;
  EXPECT_THROW(save_and_load_npz(source, target), IoError);
}

TEST(SaveAndLoadTest, GivesBothTheSamePathAndRemovesTheFile) {
  std::string path;
  Counter source{3};
  Counter target;
  save_and_load(
      source, target, "name.txt",
      [&](const std::string& file, const Counter& object) {
        path = file;
        write_file(file, std::to_string(object.value));
      },
      [&](const std::string& file, Counter& object) {
        EXPECT_EQ(file, path);
        object.value = std::stoi(read_file(file));
      });
  EXPECT_EQ(target.value, 3);
  EXPECT_TRUE(path.ends_with("/name.txt"));
  struct stat status;
  EXPECT_NE(::stat(path.c_str(), &status), 0);
}

}  // namespace
}  // namespace catena::testing
