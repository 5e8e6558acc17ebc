#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "catena/array/array.h"
#include "catena/dataset/dataset_mixin.h"
#include "catena/dataset/datasets/image_dataset.h"
#include "catena/dataset/example.h"

namespace catena::examples {

enum class Crop {
  kCenter,
  // Anywhere, and mirrored half of the time.
  kRandom,
};

// Pictures as a network takes them: squares of crop_size pixels, cut out of
// pictures that are all of the mean's size, minus the mean and divided by 255.
//
// In each epoch, a picture is cut out at another place. The places follow from
// the seed, the picture's index and the epoch, not from the threads that read,
// as long as they do not read a picture for two epochs at once.
class PreprocessedDataset final : public dataset::DatasetMixin {
 public:
  // Throws ValueError when crop_size is larger than the mean, (3, h, w), and
  // when a picture that is read has another size.
  PreprocessedDataset(const datasets::LabeledPaths& pictures,
                      const std::string& root, const Array& mean,
                      int64_t crop_size, Crop crop, uint64_t seed = 0);

  int64_t size() const override { return pictures_.size(); }
  // (3, crop_size, crop_size), float32, and the label, int32.
  dataset::Example get_example(int64_t i) const override;

  // Continues as if every picture had been read in `epoch` epochs.
  void start_epoch(int64_t epoch);

 private:
  datasets::LabeledImageDataset pictures_;
  Array mean_;
  int64_t crop_size_;
  Crop crop_;
  uint64_t seed_;
  std::unique_ptr<std::atomic<uint32_t>[]> reads_;  // of each picture
};

// Two lists of pictures, with a line "path label" for each, where paths are
// relative to `root`, and the .npy file of the mean of those in the first list,
// which compute_mean writes.
struct PictureFiles {
  std::string train;
  std::string val;
  std::string root;
  std::string mean;
};

struct Pictures {
  std::shared_ptr<PreprocessedDataset> train;  // cut out at random
  std::shared_ptr<PreprocessedDataset> val;
  int64_t classes;  // one more than the largest label to train with
};

// Throws IoError when a file is missing or damaged, and as the constructor
// above.
Pictures load_pictures(const PictureFiles& files, int64_t crop_size,
                       uint64_t seed);

}  // namespace catena::examples
