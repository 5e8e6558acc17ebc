#include "catena/dataset/datasets/tables.h"

#include <filesystem>
#include <map>
#include <new>
#include <set>
#include <string_view>
#include <system_error>

#include "catena/array/core/error.h"
#include "catena/array/core/memory_errors.h"
#include "catena/array/core/quote.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/io/text_table.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/statistics/averages.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/dataset/data_file.h"
#include "catena/dataset/dataset_root.h"

namespace catena::datasets {
namespace {

Array standardized(const Array& rows) {
  const array::ReduceOptions down = {.axis = 0};
  const Array x = rows.astype(Dtype::kFloat64);
  const Array centered = x - array::mean(x, down);
  // Rounding may give a constant column a nonzero deviation.
  const Array constant = array::equal(array::max(x, down), array::min(x, down));
  const Array deviation = array::std(x, {.axis = 0});
  return array::where(constant, 0.0,
                      centered / array::where(constant, 1.0, deviation));
}

TupleDataset table_dataset(const Array& rows, const Array& labels,
                           const GetTableOptions& options) {
  const Array x =
      (options.standardize ? standardized(rows) : rows).astype(options.dtype);
  if (!options.withlabel) return TupleDataset(x);
  const Array t = labels.astype(options.label_dtype);
  if (options.label_ndim == 0) return TupleDataset(x, t);
  return TupleDataset(x, t.reshape({-1, 1}));
}

void check_options(const GetTableOptions& options, std::string_view operation) {
  if (options.label_ndim != 0 && options.label_ndim != 1) {
    raise<ValueError>(operation, ": expected label_ndim 0 or 1, got ",
                      options.label_ndim);
  }
}

struct ShippedTable {
  std::string_view operation;
  std::string_view path;
  int64_t rows;
  int64_t columns;  // excluding the class
};

TupleDataset get_shipped(const ShippedTable& table,
                         const GetTableOptions& options) {
  check_options(options, table.operation);
  const std::string path = dataset::find_data_file(table.path);
  const Array all =
      array::loadtxt(path, {.delimiter = ',', .skip_rows = 1, .min_dims = 2})
          .to_device(native_device());
  const Shape expected = {table.rows, table.columns + 1};
  if (all.shape() != expected) {
    raise<IoError>(table.operation, ": '", path,
                   "': expected a table of shape ", expected, ", got ",
                   all.shape());
  }
  return table_dataset(all[{Slice(), Slice(table.columns)}],
                       all[{Slice(), table.columns}], options);
}

// The default path of the table; IoError when there is no such file.
std::string default_mushrooms() {
  const std::string path = dataset::get_dataset_directory(
                               "mushrooms", dataset::CreateDirectory::kNo) +
                           "/mushrooms.csv";
  std::error_code error;
  if (std::filesystem::exists(path, error)) return path;
  raise<IoError>(
      "get_mushrooms: expected '", path,
      "', found no such file. Get mushrooms.csv from "
      "https://www.kaggle.com/uciml/mushroom-classification and put it there, "
      "or set GetMushroomsOptions::path");
}

}  // namespace

TupleDataset get_iris(const GetTableOptions& options) try {
  return get_shipped({.operation = "get_iris",
                      .path = "dataset/data/iris.csv",
                      .rows = 150,
                      .columns = 4},
                     options);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("get_iris");
}

TupleDataset get_wine(const GetTableOptions& options) try {
  return get_shipped({.operation = "get_wine",
                      .path = "dataset/data/wine.csv",
                      .rows = 178,
                      .columns = 13},
                     options);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("get_wine");
}

TupleDataset get_breast_cancer(const GetTableOptions& options) try {
  return get_shipped({.operation = "get_breast_cancer",
                      .path = "dataset/data/breast_cancer.csv",
                      .rows = 569,
                      .columns = 30},
                     options);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("get_breast_cancer");
}

CategoricalTable read_categorical_table(const std::string& path,
                                        const LoadLimits& limits) try {
  const array::TextTable table =
      array::read_table(path, {.numbers = false, .limits = limits});
  if (table.rows() == 0) {
    raise<IoError>("read_categorical_table: '", path,
                   "': expected rows after the header line, got none");
  }
  CategoricalTable result;
  const auto columns = static_cast<int64_t>(table.columns().size());
  result.codes =
      array::empty({table.rows(), columns}, Dtype::kInt32, native_device());
  for (int64_t column = 0; column < columns; ++column) {
    const auto& [name, numbers, text] = table.columns()[column];
    const std::set<std::string_view> categories(text.begin(), text.end());
    std::map<std::string_view, int32_t> codes;
    for (const std::string_view category : categories) {
      codes.emplace(category, static_cast<int32_t>(codes.size()));
    }
    auto* code = result.codes.data<int32_t>() + column;
    for (const std::string& value : text) {
      *code = codes.find(value)->second;
      code += columns;
    }
    result.names.push_back(name);
    result.categories.emplace_back(categories.begin(), categories.end());
  }
  return result;
} catch (const std::bad_alloc&) {
  raise_out_of_memory("read_categorical_table");
}

TupleDataset get_mushrooms(const GetMushroomsOptions& options) try {
  check_options(options.table, "get_mushrooms");
  const std::string path =
      options.path.empty() ? default_mushrooms() : options.path;
  const CategoricalTable table = read_categorical_table(path, options.limits);
  if (table.names[0] != "class" || table.categories[0].size() != 2) {
    raise<IoError>("get_mushrooms: '", path,
                   "': expected a first column 'class' of 2 values, got ",
                   array::quote(table.names[0]), " of ",
                   table.categories[0].size());
  }
  return table_dataset(table.codes[{Slice(), Slice(1, std::nullopt)}],
                       table.codes[{Slice(), 0}], options.table);
} catch (const std::bad_alloc&) {
  raise_out_of_memory("get_mushrooms");
}

}  // namespace catena::datasets
