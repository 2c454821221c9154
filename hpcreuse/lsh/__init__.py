"""Locality-sensitive hashing (CCR 6.5): Nilsimsa, the approximate rival that exact hashing is held against."""
