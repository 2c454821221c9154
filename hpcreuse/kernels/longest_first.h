/* The order in which messages are hashed side by side. */
#include "sha1_lanes.h"

#define CLASSES (16 * 29)

/* A class of length: the exponent and four more bits of the number of blocks. */
static unsigned length_class(size_t size) {
    unsigned blocks = (unsigned)((size + 8) / 64) + 1, exponent = 31 - (unsigned)__builtin_clz(blocks | 16);
    return 16 * (exponent - 4) + (blocks >> (exponent - 4));
}

/* Sort by class of length, the longest first. */
static void longest_first(const Message *messages, size_t count, Message *sorted) {
    size_t places[CLASSES] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++) places[length_class(messages[i].size)]++;
    for (int class = CLASSES; class--;) {
        size_t many = places[class];
        places[class] = sum;
        sum += many;
    }
    for (size_t i = 0; i < count; i++) sorted[places[length_class(messages[i].size)]++] = messages[i];
}

/* Tell whether the longest message is no more than a fair share of all: else one lane is left alone for long. */
static int is_even(const Message *sorted, size_t count, size_t lanes) {
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) sum += sorted[i].size;
    return count && sorted[0].size <= sum / lanes;
}
