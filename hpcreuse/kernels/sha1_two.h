/* SHA-1 with the processor's SHA instructions, which answer later than the next can start: of two messages at once. */
#ifndef SHA1_TWO_H
#define SHA1_TWO_H
#include "sha1_messages.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>
#define WITH_SHA __attribute__((target("sha,sse4.1")))

static int has_sha(void) {
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1);
}

/* Four rounds of each message; the words of a block stand in a ring of four vectors. */
#define ROUNDS(i, k)                                                                                             \
    for (int n = 0; n < many; n++) {                                                                             \
        __m128i *w = words[n];                                                                                   \
        if ((i) > 3)                                                                                             \
            w[(i) % 4] = _mm_sha1msg2_epu32(                                                                     \
                _mm_xor_si128(_mm_sha1msg1_epu32(w[(i) % 4], w[((i) + 1) % 4]), w[((i) + 2) % 4]), w[((i) + 3) % 4]); \
        e[n] = (i) ? _mm_sha1nexte_epu32(before[n], w[(i) % 4]) : _mm_add_epi32(e[n], w[0]);                      \
        before[n] = abcd[n];                                                                                     \
        abcd[n] = _mm_sha1rnds4_epu32(abcd[n], e[n], k);                                                         \
    }
#define FIVE(i, k) ROUNDS(i, k) ROUNDS(i + 1, k) ROUNDS(i + 2, k) ROUNDS(i + 3, k) ROUNDS(i + 4, k)

WITH_SHA static inline __attribute__((always_inline)) void sha1_blocks(
    Lanes *all, const int *lanes, const int many, size_t blocks) {
    const __m128i swap = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
    __m128i abcd[2], e[2], before[2], words[2][4];
    uint32_t(*s)[MOST_LANES] = all->state;
    for (int n = 0; n < many; n++) {
        int l = lanes[n];
        abcd[n] = _mm_set_epi32((int)s[0][l], (int)s[1][l], (int)s[2][l], (int)s[3][l]);
        e[n] = _mm_set_epi32((int)s[4][l], 0, 0, 0);
    }
    for (size_t block = 0; block < blocks; block++) {
        __m128i abcd_then[2], e_then[2];
        for (int n = 0; n < many; n++) {
            const __m128i *at = (const __m128i *)(all->lane[lanes[n]].at + 64 * block);
            abcd_then[n] = abcd[n], e_then[n] = e[n];
            for (int i = 0; i < 4; i++) words[n][i] = _mm_shuffle_epi8(_mm_loadu_si128(at + i), swap);
        }
        FIVE(0, 0) FIVE(5, 1) FIVE(10, 2) FIVE(15, 3)
        for (int n = 0; n < many; n++) {
            e[n] = _mm_sha1nexte_epu32(before[n], e_then[n]);
            abcd[n] = _mm_add_epi32(abcd[n], abcd_then[n]);
        }
    }
    for (int n = 0; n < many; n++) {
        int l = lanes[n];
        s[0][l] = (uint32_t)_mm_extract_epi32(abcd[n], 3), s[1][l] = (uint32_t)_mm_extract_epi32(abcd[n], 2);
        s[2][l] = (uint32_t)_mm_extract_epi32(abcd[n], 1), s[3][l] = (uint32_t)_mm_extract_epi32(abcd[n], 0);
        s[4][l] = (uint32_t)_mm_extract_epi32(e[n], 3);
    }
}

WITH_SHA static void sha1_two(Lanes *all, int n, int other, size_t blocks) {
    sha1_blocks(all, (int[]){n, other}, 2, blocks);
}
WITH_SHA static void sha1_one(Lanes *all, int n, size_t blocks) { sha1_blocks(all, &n, 1, blocks); }

static const Engine TWO_LANES = {2, 2, NULL, sha1_two, sha1_one};
#else
static int has_sha(void) { return 0; }
static const Engine TWO_LANES;
#endif
#endif
