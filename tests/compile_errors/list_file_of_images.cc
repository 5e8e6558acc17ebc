// first error: ImageDataset: a text is not a list: write
// ImageDataset(read_image_paths("list.txt"), {.root = root})

#include "catena/dataset/datasets/image_dataset.h"

const catena::datasets::ImageDataset images("list.txt");
