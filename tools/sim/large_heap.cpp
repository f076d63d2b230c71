// The heap of aliquot-sim in large pages: a run touches a megabyte or two, and to get that by single pages
// was a fiftieth of it. A wish, like large_pages.hpp; nothing follows from it but speed.
#include <mimalloc.h>

namespace {

// Before anything else of the program: the allocator heeds it for what it gets from then on.
[[gnu::constructor(101)]] void wish_for_large_pages() { mi_option_enable(mi_option_large_os_pages); }

}  // namespace
