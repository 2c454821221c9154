/* The next `<` before a letter that a delimiter tag begins with: 32 places at a time where the processor can. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Two letters, lower-case, maybe the same, found in any case. What is found is yet to be looked at closely. */
static const uint8_t *find_tag_plainly(const uint8_t *at, const uint8_t *end, uint8_t one, uint8_t other) {
    while (end - at > 1 && (at = memchr(at, '<', end - at - 1)) != NULL) {
        if ((at[1] | 0x20) == one || (at[1] | 0x20) == other) return at;
        at++;
    }
    return NULL;
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

__attribute__((target("avx2"))) static const uint8_t *find_tag_by_32(
    const uint8_t *at, const uint8_t *end, uint8_t one, uint8_t other) {
    const __m256i open = _mm256_set1_epi8('<'), lower = _mm256_set1_epi8(0x20);
    const __m256i first = _mm256_set1_epi8((char)one), second = _mm256_set1_epi8((char)other);
    for (; end - at > 32; at += 32) {
        __m256i letters = _mm256_or_si256(_mm256_loadu_si256((const __m256i *)(at + 1)), lower);
        __m256i any = _mm256_or_si256(_mm256_cmpeq_epi8(letters, first), _mm256_cmpeq_epi8(letters, second));
        any = _mm256_and_si256(any, _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)at), open));
        unsigned found = (unsigned)_mm256_movemask_epi8(any);
        if (found) return at + __builtin_ctz(found);
    }
    return find_tag_plainly(at, end, one, other);
}

static const uint8_t *find_tag(const uint8_t *at, const uint8_t *end, uint8_t one, uint8_t other) {
    return (__builtin_cpu_supports("avx2") ? find_tag_by_32 : find_tag_plainly)(at, end, one, other);
}
#else
#define find_tag find_tag_plainly
#endif
