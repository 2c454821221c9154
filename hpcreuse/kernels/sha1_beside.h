/* SHA-1 of two messages side by side with the processor's SHA instructions.
 *
 * Each step of SHA-1 waits for the one before, and the instructions take longer to answer than to start: two messages
 * together take little more time than one alone.
 */
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>
#define WITH_SHA __attribute__((target("sha,sse4.1")))

typedef struct {
    __m128i abcd, e;
    const uint8_t *at;
    size_t blocks, tail_blocks; /* left at `at`, and in the tail: 0 when that is what `at` points to */
    uint8_t tail[128];
} Sha1;

static int sha1_is_there(void) {
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1);
}

static void sha1_advance(Sha1 *m, size_t blocks) {
    m->at += 64 * blocks;
    m->blocks -= blocks;
    if (!m->blocks && m->tail_blocks) {
        m->at = m->tail;
        m->blocks = m->tail_blocks;
        m->tail_blocks = 0;
    }
}

WITH_SHA static void sha1_begin(Sha1 *m, const uint8_t *data, size_t size) {
    size_t rest = size % 64;
    uint64_t bits = __builtin_bswap64((uint64_t)size * 8);
    m->abcd = _mm_set_epi32(0x67452301, (int)0xEFCDAB89, (int)0x98BADCFE, 0x10325476);
    m->e = _mm_set_epi32((int)0xC3D2E1F0, 0, 0, 0);
    m->tail_blocks = rest < 56 ? 1 : 2;
    memcpy(m->tail, data + size - rest, rest);
    memset(m->tail + rest, 0, 64 * m->tail_blocks - rest);
    m->tail[rest] = 0x80;
    memcpy(m->tail + 64 * m->tail_blocks - 8, &bits, 8);
    m->at = data;
    m->blocks = size / 64;
    sha1_advance(m, 0);
}

/* Four rounds of each message; the words of a block stand in a ring of four vectors. */
#define ROUNDS(i, k)                                                                                             \
    for (int n = 0; n < lanes; n++) {                                                                            \
        __m128i *w = words[n];                                                                                   \
        if ((i) > 3)                                                                                             \
            w[(i) % 4] = _mm_sha1msg2_epu32(                                                                     \
                _mm_xor_si128(_mm_sha1msg1_epu32(w[(i) % 4], w[((i) + 1) % 4]), w[((i) + 2) % 4]), w[((i) + 3) % 4]); \
        e[n] = (i) ? _mm_sha1nexte_epu32(before[n], w[(i) % 4]) : _mm_add_epi32(e[n], w[0]);                      \
        before[n] = abcd[n];                                                                                     \
        abcd[n] = _mm_sha1rnds4_epu32(abcd[n], e[n], k);                                                         \
    }
#define FIVE(i, k) ROUNDS(i, k) ROUNDS(i + 1, k) ROUNDS(i + 2, k) ROUNDS(i + 3, k) ROUNDS(i + 4, k)

WITH_SHA static inline __attribute__((always_inline)) void sha1_blocks(Sha1 **m, const int lanes, size_t blocks) {
    const __m128i swap = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
    __m128i abcd[2], e[2], before[2], words[2][4];
    for (int n = 0; n < lanes; n++) abcd[n] = m[n]->abcd, e[n] = m[n]->e;
    for (size_t block = 0; block < blocks; block++) {
        __m128i abcd_then[2], e_then[2];
        for (int n = 0; n < lanes; n++) {
            abcd_then[n] = abcd[n], e_then[n] = e[n];
            for (int i = 0; i < 4; i++)
                words[n][i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(m[n]->at + 64 * block) + i), swap);
        }
        FIVE(0, 0) FIVE(5, 1) FIVE(10, 2) FIVE(15, 3)
        for (int n = 0; n < lanes; n++) {
            e[n] = _mm_sha1nexte_epu32(before[n], e_then[n]);
            abcd[n] = _mm_add_epi32(abcd[n], abcd_then[n]);
        }
    }
    for (int n = 0; n < lanes; n++) m[n]->abcd = abcd[n], m[n]->e = e[n], sha1_advance(m[n], blocks);
}

/* Hash `one` to its end; `other` goes along as far as it goes. */
WITH_SHA static void sha1_finish(Sha1 *one, Sha1 *other, uint8_t *digest) {
    Sha1 *both[2] = {one, other};
    while (one->blocks && other->blocks)
        sha1_blocks(both, 2, one->blocks < other->blocks ? one->blocks : other->blocks);
    while (one->blocks) sha1_blocks(both, 1, one->blocks);
    uint32_t h[5] = {_mm_extract_epi32(one->abcd, 3), _mm_extract_epi32(one->abcd, 2), _mm_extract_epi32(one->abcd, 1),
                     _mm_extract_epi32(one->abcd, 0), _mm_extract_epi32(one->e, 3)};
    for (int i = 0; i < 5; i++) h[i] = __builtin_bswap32(h[i]);
    memcpy(digest, h, 20);
}

#else
typedef struct { int none; } Sha1;
static int sha1_is_there(void) { return 0; }
static void sha1_begin(Sha1 *m, const uint8_t *data, size_t size) {}
static void sha1_finish(Sha1 *one, Sha1 *other, uint8_t *digest) {}
#endif
