/* Messages on their way through SHA-1 side by side: each has a lane. */
#ifndef SHA1_LANES_H
#define SHA1_LANES_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MOST_LANES 16

typedef struct {
    const uint8_t *data;
    size_t size;
    uint8_t *digest;
} Message;

typedef struct {
    const Message *message; /* none where the messages have run out */
    const uint8_t *at;
    size_t blocks, tail_blocks; /* left at `at`, and in the tail: 0 when that is what `at` points to */
    uint8_t tail[128];          /* the last bytes of the message, its padding and its length */
} Lane;

/* Lanes are columns: word i of all states stands together. */
typedef struct {
    uint32_t state[5][MOST_LANES];
    Lane lane[MOST_LANES];
} Lanes;

static void lane_move(Lane *lane, size_t blocks) {
    lane->at += 64 * blocks;
    lane->blocks -= blocks;
    if (!lane->blocks && lane->tail_blocks) {
        lane->at = lane->tail;
        lane->blocks = lane->tail_blocks;
        lane->tail_blocks = 0;
    }
}

static void lane_begin(Lanes *all, int n, const Message *message) {
    static const uint32_t start[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
    Lane *lane = &all->lane[n];
    size_t rest = message->size % 64;
    uint64_t bits = __builtin_bswap64((uint64_t)message->size * 8);
    for (int i = 0; i < 5; i++) all->state[i][n] = start[i];
    lane->message = message;
    lane->tail_blocks = rest < 56 ? 1 : 2;
    memset(lane->tail, 0, sizeof lane->tail);
    memcpy(lane->tail, message->data + message->size - rest, rest);
    lane->tail[rest] = 0x80;
    memcpy(lane->tail + 64 * lane->tail_blocks - 8, &bits, 8);
    lane->at = message->data;
    lane->blocks = message->size / 64;
    lane_move(lane, 0);
}

static void lane_end(Lanes *all, int n) {
    for (int i = 0; i < 5; i++) {
        uint32_t word = __builtin_bswap32(all->state[i][n]);
        memcpy(all->lane[n].message->digest + 4 * i, &word, 4);
    }
    all->lane[n].message = NULL;
}
#endif
