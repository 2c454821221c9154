/* SHA-1 of sixteen messages at once, one in each lane of 512-bit vectors; the last few with SHA instructions. */
#include "sha1_two.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define WITH_512 __attribute__((target("avx512f,avx512bw")))

static int has_512(void) {
    return has_sha() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
}

/* Word i of the next block of every lane, for all i: sixteen rows become columns. */
WITH_512 static inline __attribute__((always_inline)) void load_words(const uint8_t **at, __m512i *w) {
    const __m512i swap = _mm512_set4_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203);
    __m512i a[16], b[16];
    for (int i = 0; i < 16; i++, at++) {
        a[i] = _mm512_shuffle_epi8(_mm512_loadu_si512(*at), swap);
        *at += 64;
    }
    for (int i = 0; i < 16; i += 2) {
        b[i] = _mm512_unpacklo_epi32(a[i], a[i + 1]);
        b[i + 1] = _mm512_unpackhi_epi32(a[i], a[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
        a[i] = _mm512_unpacklo_epi64(b[i], b[i + 2]);
        a[i + 1] = _mm512_unpackhi_epi64(b[i], b[i + 2]);
        a[i + 2] = _mm512_unpacklo_epi64(b[i + 1], b[i + 3]);
        a[i + 3] = _mm512_unpackhi_epi64(b[i + 1], b[i + 3]);
    }
    for (int i = 0; i < 4; i++) {
        __m512i even = _mm512_shuffle_i32x4(a[i], a[i + 4], 0x88), odd = _mm512_shuffle_i32x4(a[i], a[i + 4], 0xdd);
        __m512i even_too = _mm512_shuffle_i32x4(a[i + 8], a[i + 12], 0x88);
        __m512i odd_too = _mm512_shuffle_i32x4(a[i + 8], a[i + 12], 0xdd);
        w[i] = _mm512_shuffle_i32x4(even, even_too, 0x88);
        w[i + 4] = _mm512_shuffle_i32x4(odd, odd_too, 0x88);
        w[i + 8] = _mm512_shuffle_i32x4(even, even_too, 0xdd);
        w[i + 12] = _mm512_shuffle_i32x4(odd, odd_too, 0xdd);
    }
}

/* All rounds wait for a, so it must be added last; compilers add in another order, which takes half as long again. */
#define LAST(sum) __asm__("" : "+v"(sum));

/* One round of every message; f is the table of truth of the round's function of b, c and d. */
#define ROUND(i, a, b, c, d, e, f, k)                                                                            \
    if ((i) >= 16) {                                                                                             \
        __m512i three = _mm512_ternarylogic_epi32(w[(i) % 16], w[((i) + 2) % 16], w[((i) + 8) % 16], 0x96);       \
        w[(i) % 16] = _mm512_rol_epi32(_mm512_xor_si512(three, w[((i) + 13) % 16]), 1);                           \
    }                                                                                                            \
    e = _mm512_add_epi32(e, _mm512_add_epi32(w[(i) % 16], _mm512_set1_epi32((int)k)));                            \
    e = _mm512_add_epi32(e, _mm512_ternarylogic_epi32(b, c, d, f));                                              \
    LAST(e)                                                                                                      \
    e = _mm512_add_epi32(e, _mm512_rol_epi32(a, 5));                                                             \
    b = _mm512_rol_epi32(b, 30);
#define FIVE_ROUNDS(i, f, k)                                                                                     \
    ROUND(i, a, b, c, d, e, f, k)                                                                                \
    ROUND(i + 1, e, a, b, c, d, f, k)                                                                            \
    ROUND(i + 2, d, e, a, b, c, f, k)                                                                            \
    ROUND(i + 3, c, d, e, a, b, f, k)                                                                            \
    ROUND(i + 4, b, c, d, e, a, f, k)
#define TWENTY_ROUNDS(i, f, k)                                                                                   \
    FIVE_ROUNDS(i, f, k) FIVE_ROUNDS(i + 5, f, k) FIVE_ROUNDS(i + 10, f, k) FIVE_ROUNDS(i + 15, f, k)

WITH_512 static void sha1_sixteen(Lanes *all, size_t blocks) {
    const uint8_t *at[16];
    __m512i w[16], then[5], a = _mm512_loadu_si512(all->state[0]), b = _mm512_loadu_si512(all->state[1]);
    __m512i c = _mm512_loadu_si512(all->state[2]), d = _mm512_loadu_si512(all->state[3]);
    __m512i e = _mm512_loadu_si512(all->state[4]);
    for (int n = 0; n < 16; n++) at[n] = all->lane[n].at;
    while (blocks--) {
        then[0] = a, then[1] = b, then[2] = c, then[3] = d, then[4] = e;
        load_words(at, w);
        TWENTY_ROUNDS(0, 0xca, 0x5a827999)
        TWENTY_ROUNDS(20, 0x96, 0x6ed9eba1)
        TWENTY_ROUNDS(40, 0xe8, 0x8f1bbcdc)
        TWENTY_ROUNDS(60, 0x96, 0xca62c1d6)
        a = _mm512_add_epi32(a, then[0]), b = _mm512_add_epi32(b, then[1]), c = _mm512_add_epi32(c, then[2]);
        d = _mm512_add_epi32(d, then[3]), e = _mm512_add_epi32(e, then[4]);
    }
    _mm512_storeu_si512(all->state[0], a), _mm512_storeu_si512(all->state[1], b);
    _mm512_storeu_si512(all->state[2], c), _mm512_storeu_si512(all->state[3], d);
    _mm512_storeu_si512(all->state[4], e);
}

/* Sixteen lanes take as long as five messages two by two (measured). */
static const Engine SIXTEEN_LANES = {16, 5, sha1_sixteen, sha1_two, sha1_one};
#else
static int has_512(void) { return 0; }
static const Engine SIXTEEN_LANES;
#endif
