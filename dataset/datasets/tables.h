#pragma once

#include <string>
#include <vector>

#include "catena/array/io/load_limits.h"
#include "catena/dataset/datasets/tuple_dataset.h"

// Small tables: a row of numbers or categories and its class.
namespace catena::datasets {

struct GetTableOptions {
  bool withlabel = true;
  // A label as () or (1,); the latter is what sigmoid_cross_entropy takes for a
  // network with one output.
  int label_ndim = 0;
  // Whether each column is shifted and scaled to mean 0 and variance 1 over all
  // rows. One that is constant becomes 0.
  bool standardize = false;
  Dtype dtype = Dtype::kFloat32;
  Dtype label_dtype = Dtype::kInt32;
};

// Sets that come with catena (dataset/data/README.md), as (row, label) or rows
// alone, in the order of their files, which are sorted by class: split them
// with split_dataset_random. IoError when the file is not found or damaged,
// ValueError for another label_ndim.
//
// 150 flowers of 4 measurements: setosa, versicolor, virginica.
TupleDataset get_iris(const GetTableOptions& options = {});
// 178 wines of 13 measurements, from three growers.
TupleDataset get_wine(const GetTableOptions& options = {});
// 569 tumours of 30 measurements: malignant, benign.
TupleDataset get_breast_cancer(const GetTableOptions& options = {});

// The text of a table as numbers. The categories of a column are its different
// values, in the order of their bytes; a code is the index of one.
struct CategoricalTable {
  std::vector<std::string> names;                    // of the columns
  std::vector<std::vector<std::string>> categories;  // of each column
  Array codes;  // (rows, columns), int32, on native:0
};
// Reads fields separated by commas; the first line has the columns' names. The
// file may be compressed by gzip. IoError when it cannot be read, is damaged,
// has no rows or exceeds the limits.
CategoricalTable read_categorical_table(const std::string& path,
                                        const LoadLimits& limits = {});

struct GetMushroomsOptions {
  // The file "mushrooms.csv" of the UCI set "Mushroom" with a first line of
  // names, as on Kaggle. Defaults to the file in the folder "mushrooms" below
  // dataset::get_dataset_root().
  std::string path = {};
  GetTableOptions table = {.label_ndim = 1};
  LoadLimits limits = {};
};

// 8,124 mushrooms: 22 categories as numbers, and whether edible (0) or
// poisonous (1), in the order of the file. IoError when the file is not there,
// saying where it is expected, or its first column is not "class" with two
// values.
TupleDataset get_mushrooms(const GetMushroomsOptions& options = {});

}  // namespace catena::datasets
