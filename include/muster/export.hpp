/// \file
/// Marks what the shared library shows; everything else stays hidden.
#pragma once

#define MUSTER_API __attribute__((visibility("default")))
