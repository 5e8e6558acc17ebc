// first error: LabeledImageDataset: a text is not a list: write
// LabeledImageDataset(read_labeled_image_paths("list.txt"), {.images = {.root =
// root}})

#include <string>

#include "catena/dataset/datasets/image_dataset.h"

const std::string root = "images";
const catena::datasets::LabeledImageDataset images("list.txt",
                                                   {.images = {.root = root}});
