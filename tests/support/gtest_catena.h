// What is precompiled for tests of programs and pages that include catena.h.
#pragma once

#include "catena/catena.h"
#include "catena/tests/support/gtest.h"
