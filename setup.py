"""Builds the compiled kernels; without a compiler the plain-Python twins serve."""

from setuptools import setup

setup()
