/* The floor of `hash`: scan a page for <p and <div, hash its chunks and the whole, keep nothing.
 *
 * Compiled by floor.py with the system's C compiler. SHA-1 is libcrypto's, handed in as function pointers, so that no
 * headers are needed.
 */
#include <stddef.h>
#include <string.h>

typedef int (*init_f)(void *);
typedef int (*update_f)(void *, const void *, size_t);
typedef int (*final_f)(unsigned char *, void *);

static int is_end(unsigned char c) { return c == ' ' || c == '\t' || c == '>' || c == '/'; }

/* Tell whether <p or <div stands here; `left` counts the bytes from the `<` on. */
static int is_tag(const unsigned char *at, size_t left) {
    if (left >= 3 && (at[1] | 32) == 'p') return is_end(at[2]);
    return left >= 5 && (at[1] | 32) == 'd' && (at[2] | 32) == 'i' && (at[3] | 32) == 'v' && is_end(at[4]);
}

static unsigned sha1(init_f init, update_f update, final_f final, const unsigned char *data, size_t size) {
    unsigned char context[256], digest[20];
    init(context);
    update(context, data, size);
    final(digest, context);
    return digest[0];
}

/* Count chunks; hash them when init is given, and the whole when `whole` is set. What digests say goes into *sum. */
long scan(const unsigned char *page, size_t size, init_f init, update_f update, final_f final, int whole, unsigned *sum) {
    const unsigned char *end = page + size, *start = page, *at = page + 1;
    long chunks = 0;
    if (size == 0) return 0;
    if (init && whole) *sum += sha1(init, update, final, page, size);
    while (at < end && (at = memchr(at, '<', end - at)) != NULL) {
        if (is_tag(at, end - at)) {
            if (init) *sum += sha1(init, update, final, start, at - start);
            start = at;
            chunks++;
        }
        at++;
    }
    if (init) *sum += sha1(init, update, final, start, end - start);
    return chunks + 1;
}
