#pragma once

#include <string>
#include <string_view>

namespace catena::dataset {

// The folder below which data sets are kept: what set_dataset_root() was given,
// else the environment variable CATENA_DATASET_ROOT, else ~/.catena/dataset.
// ValueError when there is none of them.
std::string get_dataset_root();
void set_dataset_root(std::string path);

enum class CreateDirectory { kNo, kYes };

// The folder of a data set below the root; created unless asked otherwise.
// IoError when that fails.
std::string get_dataset_directory(
    std::string_view dataset_name,
    CreateDirectory create = CreateDirectory::kYes);

}  // namespace catena::dataset
