# cython: language_level=3
"""SHA-1 and SHA-256 with libcrypto's Init, Update and Final.

The library is the one that Python's own hashlib uses.
"""

import _hashlib

from libc.stdint cimport uintptr_t

from hpcreuse.kernels.libraries import Library

# SHA256_CTX has 112 bytes, SHA_CTX 96
DEF CONTEXT_BYTES = 256


cdef Hash _hash_named(library, str prefix, int width):
    cdef Hash found
    found.init = <init_function> <uintptr_t> library.address(prefix + "_Init")
    found.update = <update_function> <uintptr_t> library.address(prefix + "_Update")
    found.finish = <final_function> <uintptr_t> library.address(prefix + "_Final")
    found.width = width
    return found


_library = Library(_hashlib.__file__, "crypto", "SHA1_Init")
SHA1 = _hash_named(_library, "SHA1", 20)
SHA256 = _hash_named(_library, "SHA256", 32)


cdef void digest_of(const Hash *hash, const unsigned char *data, size_t size, unsigned char *out) noexcept nogil:
    cdef unsigned char context[CONTEXT_BYTES]
    hash.init(context)
    hash.update(context, data, size)
    hash.finish(out, context)
