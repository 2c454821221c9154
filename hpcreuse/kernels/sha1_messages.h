/* SHA-1 of many messages, some side by side in lanes: a lane whose message is done takes the next one.
 *
 * Each step of SHA-1 waits for the one before; what the processor can do meanwhile is another message.
 */
#ifndef SHA1_MESSAGES_H
#define SHA1_MESSAGES_H
#include "sha1_lanes.h"

/* What hashes: all lanes, two, or one, by the same number of blocks. */
typedef struct {
    int lanes, few; /* no more than a few messages left: two by two is faster */
    void (*all)(Lanes *all, size_t blocks);
    void (*two)(Lanes *all, int n, int other, size_t blocks);
    void (*one)(Lanes *all, int n, size_t blocks);
} Engine;

/* Move on by blocks that were hashed; a message that is done makes room for the next. Tells whether there was none. */
static int lane_goes_idle(Lanes *all, int n, size_t blocks, const Message **next, const Message *end) {
    if (!all->lane[n].message) return 0;
    lane_move(&all->lane[n], blocks);
    if (all->lane[n].blocks) return 0;
    lane_end(all, n);
    if (*next == end) return 1;
    lane_begin(all, n, (*next)++);
    return 0;
}

static int busy_lane(const Lanes *all, int n) {
    while (n < MOST_LANES && !all->lane[n].message) n++;
    return n;
}

/* The fewest blocks left in a lane; lanes without a message look at what another one does. */
static size_t common_blocks(Lanes *all) {
    const Lane *least = &all->lane[busy_lane(all, 0)];
    for (int n = 0; n < MOST_LANES; n++)
        if (all->lane[n].message && all->lane[n].blocks < least->blocks) least = &all->lane[n];
    for (int n = 0; n < MOST_LANES; n++)
        if (!all->lane[n].message) all->lane[n].at = least->at;
    return least->blocks;
}

/* Hash messages, the longest first: what is left at the end is short, and lanes of the same length end together. */
static void sha1_messages(const Engine *engine, const Message *next, const Message *end) {
    Lanes all;
    int busy = 0, n, other;
    for (n = 0; n < MOST_LANES; n++) {
        all.lane[n].message = NULL;
        if (n < engine->lanes && next < end) lane_begin(&all, n, next++), busy++;
    }
    while (busy > engine->few) {
        size_t blocks = common_blocks(&all);
        engine->all(&all, blocks);
        for (n = 0; n < MOST_LANES; n++) busy -= lane_goes_idle(&all, n, blocks, &next, end);
    }
    while ((n = busy_lane(&all, 0)) < MOST_LANES) {
        size_t blocks = all.lane[n].blocks;
        if ((other = busy_lane(&all, n + 1)) == MOST_LANES) {
            engine->one(&all, n, blocks);
        } else {
            if (all.lane[other].blocks < blocks) blocks = all.lane[other].blocks;
            engine->two(&all, n, other, blocks);
            lane_goes_idle(&all, other, blocks, &next, end);
        }
        lane_goes_idle(&all, n, blocks, &next, end);
    }
}
#endif
