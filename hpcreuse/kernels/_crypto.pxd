ctypedef int (*init_function)(void *context) noexcept nogil
ctypedef int (*update_function)(void *context, const void *data, size_t size) noexcept nogil
ctypedef int (*final_function)(unsigned char *digest, void *context) noexcept nogil

cdef struct Hash:
    init_function init
    update_function update
    final_function finish
    int width

cdef Hash SHA1
cdef Hash SHA256
cdef void digest_of(const Hash *hash, const unsigned char *data, size_t size, unsigned char *out) noexcept nogil
