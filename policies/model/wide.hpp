// ALIQUOT_WIDE before a function: compiled twice, once for processors that work on four numbers at a time,
// and chosen when the program starts. For loops over numbers that are independent of one another: the
// results are the same to the last bit either way.
//
// Not under the thread sanitizer: the choice is made before that is ready, and the program would not start.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define ALIQUOT_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define ALIQUOT_WIDE
#endif
