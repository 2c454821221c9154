cdef Py_ssize_t normalize(const unsigned char *text, Py_ssize_t size, unsigned char *out) noexcept nogil
