"""Content reuse, from hashing to bad neighborhoods (METHODS.md section 1)."""
