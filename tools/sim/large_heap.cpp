// Puts the heap of aliquot-sim into large pages: mapping a megabyte or two by single pages took 2 % of a
// run. Like large_pages.hpp it affects only speed.
#include <mimalloc.h>

namespace {

// Runs before any other code of the program: the option applies to memory allocated later.
[[gnu::constructor(101)]] void ask_for_large_pages() { mi_option_enable(mi_option_large_os_pages); }

}  // namespace
