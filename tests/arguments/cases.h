#pragma once

#include "catena/tests/arguments/extreme_arguments.h"

// The cases of all public headers, by folder.
namespace catena::testing {

ArgumentCases array_method_cases();
ArgumentCases array_creation_cases();
ArgumentCases array_manipulation_cases();
ArgumentCases array_indexing_cases();
ArgumentCases array_reduction_cases();
ArgumentCases array_random_cases();
ArgumentCases array_file_cases();
ArgumentCases core_cases();
ArgumentCases function_array_cases();
ArgumentCases function_spatial_cases();
ArgumentCases function_loss_cases();
ArgumentCases function_other_cases();
ArgumentCases variable_cases();
ArgumentCases link_cases();
ArgumentCases link_spatial_cases();
ArgumentCases dataset_cases();
ArgumentCases training_cases();

}  // namespace catena::testing
