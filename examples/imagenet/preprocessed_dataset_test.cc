#include "catena/examples/imagenet/preprocessed_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/io/npy.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/dataset/convert.h"
#include "catena/dataset/image_file.h"
#include "catena/dataset/iterators/multithread_iterator.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::examples {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::catena::testing::IsClose;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kHeight = 8;
constexpr int64_t kWidth = 10;
constexpr int64_t kCrop = 6;

// Red counts the rows, green the columns, blue is the number of the picture.
Array numbered(int64_t picture) {
  const Array image = array::zeros({3, kHeight, kWidth}, Dtype::kUInt8);
  for (int64_t y = 0; y < kHeight; ++y) image[{0, y}].fill(y);
  for (int64_t x = 0; x < kWidth; ++x) image[{1, Slice(), x}].fill(x);
  image[2].fill(picture);
  return image;
}

// Where a picture, without a mean subtracted, was cut out.
struct Place {
  explicit Place(const Array& image) {
    const Array numbers = image * 255;
    const auto at = [&](int64_t channel, int64_t y, int64_t x) {
      return std::lround(numbers[{channel, y, x}].item<float>());
    };
    top = at(0, 0, 0);
    is_mirrored = at(1, 0, 0) > at(1, 0, kCrop - 1);
    left = at(1, 0, is_mirrored ? kCrop - 1 : 0);
    picture = at(2, 0, 0);
    // All other pixels are where they have to be.
    Array expected = numbered(
        picture)[{Slice(), Slice(top, top + kCrop), Slice(left, left + kCrop)}];
    if (is_mirrored) {
      expected = expected[{ellipsis, Slice(std::nullopt, std::nullopt, -1)}];
    }
    EXPECT_THAT(numbers, IsClose(expected.astype(Dtype::kFloat32),
                                 {.rtol = 0, .atol = 1e-3}));
  }
  auto operator<=>(const Place&) const = default;

  int64_t top, left, picture;
  bool is_mirrored;
};

class PreprocessedDatasetTest : public ::testing::Test {
 protected:
  PreprocessedDatasetTest() {
    for (int64_t i = 0; i < 4; ++i) {
      const std::string name = str(i, ".png");
      dataset::write_image(folder_.file(name), numbered(i));
      pictures_.emplace_back(name, 10 * i);
    }
  }
  PreprocessedDataset pictures(Crop crop, uint64_t seed = 0,
                               int64_t crop_size = kCrop) const {
    return {pictures_, folder_.path(), mean_, crop_size, crop, seed};
  }
  // The places in some epochs, one after the other.
  static std::vector<Place> places(const PreprocessedDataset& dataset,
                                   int epochs) {
    std::vector<Place> result;
    for (int epoch = 0; epoch < epochs; ++epoch) {
      for (int64_t i = 0; i < dataset.size(); ++i) {
        result.emplace_back(dataset.get_example(i)[0]);
      }
    }
    return result;
  }

  TempFolder folder_;
  datasets::LabeledPaths pictures_;
  Array mean_ = array::zeros({3, kHeight, kWidth}, Dtype::kFloat32);
};

TEST_F(PreprocessedDatasetTest, CutsTheMiddleOut) {
  const auto dataset = pictures(Crop::kCenter);
  EXPECT_EQ(dataset.size(), 4);
  for (int epoch = 0; epoch < 2; ++epoch) {
    const dataset::Example example = dataset.get_example(3);
    const Place place(example[0]);
    EXPECT_EQ(place.top, 1);
    EXPECT_EQ(place.left, 2);
    EXPECT_EQ(place.picture, 3);
    EXPECT_FALSE(place.is_mirrored);
    EXPECT_EQ(example[1].item<int32_t>(), 30);
    EXPECT_EQ(example[1].dtype(), Dtype::kInt32);
  }
}

TEST_F(PreprocessedDatasetTest, CutsOutAnywhereAndMirrors) {
  std::set<int64_t> tops, lefts;
  std::map<bool, int> mirrored;
  for (const Place& place : places(pictures(Crop::kRandom), 100)) {
    tops.insert(place.top);
    lefts.insert(place.left);
    ++mirrored[place.is_mirrored];
  }
  EXPECT_THAT(tops, ::testing::ElementsAre(0, 1, 2));
  EXPECT_THAT(lefts, ::testing::ElementsAre(0, 1, 2, 3, 4));
  EXPECT_NEAR(mirrored[true], 200, 40);  // four standard deviations
}

TEST_F(PreprocessedDatasetTest, PlacesFollowFromSeedAndEpoch) {
  const auto first = places(pictures(Crop::kRandom, 1), 10);
  EXPECT_EQ(places(pictures(Crop::kRandom, 1), 10), first);
  EXPECT_NE(places(pictures(Crop::kRandom, 2), 10), first);
  auto resumed = pictures(Crop::kRandom, 1);
  places(resumed, 3);
  resumed.start_epoch(5);
  EXPECT_EQ(places(resumed, 5), std::vector(first.begin() + 20, first.end()));
}

TEST_F(PreprocessedDatasetTest, ThreadsDoNotMatter) {
  // So many that no picture is read ahead while its last read goes on.
  for (int i = 0; i < 4; ++i) {
    const auto once = pictures_;
    pictures_.insert(pictures_.end(), once.begin(), once.end());
  }
  const auto read = [&](int64_t threads) {
    iterators::MultithreadIterator iterator(pictures(Crop::kRandom), 2,
                                            {.n_threads = threads, .seed = 1});
    std::vector<Place> result;
    for (int i = 0; i < 80; ++i) {
      const Array batch = dataset::concat_examples(*iterator.next())[0];
      for (int64_t j = 0; j < 2; ++j) result.emplace_back(batch[j]);
    }
    return result;
  };
  EXPECT_EQ(read(4), read(1));
}

TEST_F(PreprocessedDatasetTest, SubtractsTheMeanOfThatPlace) {
  mean_ = numbered(2).astype(Dtype::kFloat32);
  for (const Crop crop : {Crop::kCenter, Crop::kRandom}) {
    const auto dataset = pictures(crop);
    for (int64_t i = 0; i < 4; ++i) {
      const Array expected = array::zeros({3, kCrop, kCrop}, Dtype::kFloat32);
      expected[2].fill((static_cast<float>(i) - 2) / 255);
      EXPECT_THAT(dataset.get_example(i)[0],
                  IsClose(expected, {.rtol = 1e-5, .atol = 1e-7}));
    }
  }
}

TEST_F(PreprocessedDatasetTest, SizesMustFit) {
  EXPECT_THAT(error_of<ValueError>([&] { pictures(Crop::kCenter, 0, 9); }),
              AllOf(HasSubstr("at least 9 x 9"), HasSubstr("(3, 8, 10)")));
  mean_ = array::zeros({3, 7, 10}, Dtype::kFloat32);
  EXPECT_THAT(
      error_of<ValueError>([&] { pictures(Crop::kCenter).get_example(1); }),
      AllOf(HasSubstr("(3, 7, 10)"), HasSubstr("(3, 8, 10)"),
            HasSubstr("picture 1")));
}

TEST_F(PreprocessedDatasetTest, LoadsListsAndMean) {
  write_file(folder_.file("train.txt"), "0.png 0\n1.png 4\n\n2.png 1\n");
  write_file(folder_.file("val.txt"), "3.png 2\n");
  const PictureFiles files = {.train = folder_.file("train.txt"),
                              .val = folder_.file("val.txt"),
                              .root = folder_.path(),
                              .mean = folder_.file("mean.npy")};
  EXPECT_THAT(error_of<IoError>([&] { load_pictures(files, kCrop, 0); }),
              AllOf(HasSubstr(files.mean), HasSubstr("compute_mean")));
  array::save_npy(files.mean, mean_);
  const Pictures loaded = load_pictures(files, kCrop, 0);
  EXPECT_EQ(loaded.train->size(), 3);
  EXPECT_EQ(loaded.val->size(), 1);
  EXPECT_EQ(loaded.classes, 5);
  EXPECT_NE(places(*loaded.train, 10), places(*loaded.train, 10));
  EXPECT_EQ(places(*loaded.val, 10), places(*loaded.val, 10));

  PictureFiles others = files;
  others.val = folder_.file("none.txt");
  EXPECT_THAT(error_of<IoError>([&] { load_pictures(others, kCrop, 0); }),
              AllOf(HasSubstr(others.val), HasSubstr("image-net.org")));
}

}  // namespace
}  // namespace catena::examples
