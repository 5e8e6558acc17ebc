// Precompiled for programs of other projects: see CATENA_COPTS in
// build_defs.bzl.
#pragma once

#include "catena/catena.h"
