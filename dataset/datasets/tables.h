#pragma once

#include <string>
#include <vector>

#include "catena/array/io/load_limits.h"
#include "catena/dataset/datasets/tuple_dataset.h"

// Small tables: a row of numbers or categories and its class.
namespace catena::datasets {

struct GetTableOptions {
  NamedFieldsOnly keywords = {};
  bool withlabel = true;
  // 0: labels of shape (); 1: of shape (1,), as sigmoid_cross_entropy needs for
  // a network with one output.
  int label_ndim = 0;
  // Whether each column is shifted and scaled to mean 0 and variance 1 over all
  // rows. A constant column becomes 0.
  bool standardize = false;
  Dtype dtype = Dtype::kFloat32;
  Dtype label_dtype = Dtype::kInt32;
};

// Datasets that ship with catena (dataset/data/README.md), as (row, label) or
// only rows, in the order of their files, which are sorted by class: split them
// with split_dataset_random. Throws IoError when the file is not found or
// damaged, ValueError for another label_ndim.
//
// 150 flowers with 4 measurements: setosa, versicolor, virginica.
TupleDataset get_iris(const GetTableOptions& options = {});
// 178 wines with 13 measurements, from three growers.
TupleDataset get_wine(const GetTableOptions& options = {});
// 569 tumours with 30 measurements: malignant, benign.
TupleDataset get_breast_cancer(const GetTableOptions& options = {});

// A text table as numbers. The categories of a column are its distinct values,
// sorted by bytes; a code is the index of a category.
struct CategoricalTable {
  std::vector<std::string> names;                    // of the columns
  std::vector<std::vector<std::string>> categories;  // of each column
  Array codes;  // (rows, columns), int32, on native:0
};
// Reads comma-separated fields; the first line has the column names. The file
// may be gzip-compressed. Throws IoError when it cannot be read, is damaged,
// has no rows or exceeds the limits.
CategoricalTable read_categorical_table(const std::string& path,
                                        const LoadLimits& limits = {});

struct GetMushroomsOptions {
  NamedFieldsOnly keywords = {};
  // The file "mushrooms.csv" of the UCI set "Mushroom" with a first line of
  // names, as on Kaggle. Defaults to the file in the folder "mushrooms" below
  // dataset::get_dataset_root().
  std::string path = {};
  GetTableOptions table = {.label_ndim = 1};
  LoadLimits limits = {};
};

// 8,124 mushrooms: 22 categories as numbers, and whether edible (0) or
// poisonous (1), in the order of the file. Throws IoError when the file is
// missing, naming the expected path, or when its first column is not "class"
// with two values.
TupleDataset get_mushrooms(const GetMushroomsOptions& options = {});

}  // namespace catena::datasets
