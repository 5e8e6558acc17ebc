#pragma once

#include <string>
#include <string_view>

namespace catena::dataset {

// The path at run time of a file in catena's repository that is in the
// program's `data`, such as "dataset/data/digits.csv.gz". Searches the runfiles
// of the program, whatever the repository's name there, then the repository
// itself, then what was installed with the library (//:install). Throws IoError
// naming the paths that were searched.
std::string find_data_file(std::string_view path);

}  // namespace catena::dataset
