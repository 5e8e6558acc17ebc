#pragma once

#include <string>
#include <string_view>

namespace catena::dataset {

// Where a file of catena's repository that a program has among its data, such
// as "dataset/data/digits.csv.gz", lies at run time: among the runfiles of
// programs that Bazel runs or that are started by their path, whatever the
// repository is called there, or in the repository itself. IoError naming the
// places that were searched.
std::string find_data_file(std::string_view path);

}  // namespace catena::dataset
