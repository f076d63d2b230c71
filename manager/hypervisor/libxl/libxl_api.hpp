// The C headers of Xen's libraries, for this folder. LIBXL_API_VERSION is set by CMake.
#pragma once

extern "C" {
#include <libxl.h>
#include <libxl_event.h>
#include <libxl_utils.h>
#include <xenstore.h>
#include <xentoollog.h>
}
