// Precompiled for programs that include catena.h.
#pragma once

#include "absl/flags/flag.h"
#include "catena/catena.h"
