# cython: language_level=3
"""SHA-1 and SHA-256 with libcrypto's Init, Update and Final.

The library is the one that Python's own hashlib uses, so that no headers are needed to build this.
"""

import ctypes

from libc.stdint cimport uintptr_t

# SHA256_CTX has 112 bytes, SHA_CTX 96
DEF CONTEXT_BYTES = 256


def _open_library():
    import _hashlib

    library = ctypes.CDLL(_hashlib.__file__)
    if not hasattr(library, "SHA1_Init"):
        # Starts other programs to find it, on every rank: only if need be
        from ctypes.util import find_library

        library = ctypes.CDLL(find_library("crypto"))
        if not hasattr(library, "SHA1_Init"):
            raise ImportError("no libcrypto to be found")
    return library


cdef uintptr_t _address(library, str name) except 0:
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value


cdef Hash _hash_named(library, str prefix, int width):
    cdef Hash found
    found.init = <init_function> _address(library, prefix + "_Init")
    found.update = <update_function> _address(library, prefix + "_Update")
    found.finish = <final_function> _address(library, prefix + "_Final")
    found.width = width
    return found


_library = _open_library()
SHA1 = _hash_named(_library, "SHA1", 20)
SHA256 = _hash_named(_library, "SHA256", 32)


cdef void digest_of(const Hash *hash, const unsigned char *data, size_t size, unsigned char *out) noexcept nogil:
    cdef unsigned char context[CONTEXT_BYTES]
    hash.init(context)
    hash.update(context, data, size)
    hash.finish(out, context)
