#include "monitor/sha256_compress.hpp"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

namespace aliquot {

bool sha256_in_hardware() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_SSE4_1) == 0 || (c & bit_SSSE3) == 0) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0;
}

// The instructions keep the state as the words ABEF and CDGH, highest first, and do two rounds each; four
// words of the message schedule are kept in each of four registers, which are replaced one after the other.
__attribute__((target("sha,sse4.1,ssse3"))) void compress_in_hardware(Sha256State& state,
                                                                      const unsigned char* block) {
  const auto load = [](const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); };
  const __m128i dcba = load(state.data());
  const __m128i hgfe = load(state.data() + 4);
  const __m128i cdab = _mm_shuffle_epi32(dcba, 0xB1);
  const __m128i efgh = _mm_shuffle_epi32(hgfe, 0x1B);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
  const __m128i before_abef = abef;
  const __m128i before_cdgh = cdgh;
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i w[4];
  for (int i = 0; i < 4; ++i) w[i] = _mm_shuffle_epi8(load(block + 16 * i), big_endian);
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    __m128i& oldest = w[i % 4];
    const __m128i latest = w[(i + 3) % 4];
    const __m128i sum = _mm_add_epi32(oldest, load(kSha256Rounds.data() + 4 * i));
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
    abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
    if (i >= 12) continue;
    const __m128i seven_back = _mm_alignr_epi8(latest, w[(i + 2) % 4], 4);
    const __m128i first = _mm_sha256msg1_epu32(oldest, w[(i + 1) % 4]);
    oldest = _mm_sha256msg2_epu32(_mm_add_epi32(first, seven_back), latest);
  }
  abef = _mm_add_epi32(abef, before_abef);
  cdgh = _mm_add_epi32(cdgh, before_cdgh);
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data()), _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data() + 4), _mm_alignr_epi8(dchg, feba, 8));
}

}  // namespace aliquot

#else

namespace aliquot {

bool sha256_in_hardware() { return false; }
void compress_in_hardware(Sha256State& state, const unsigned char* block) {
  compress_portably(state, block);
}

}  // namespace aliquot

#endif
