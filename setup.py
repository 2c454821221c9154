"""Finds the packages and builds the kernels; without a compiler their plain-Python twins serve.

Settings and digest lists of configs/ are shipped as hpcreuse.configs.
"""

from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup

KERNELS = sorted(path.stem for path in Path("hpcreuse/kernels").glob("_*.pyx"))

setup(
    packages=[*find_packages(include=["hpcreuse", "hpcreuse.*"]), "hpcreuse.configs"],
    package_dir={"hpcreuse.configs": "configs"},
    ext_modules=cythonize(
        [
            Extension(
                f"hpcreuse.kernels.{name}",
                [f"hpcreuse/kernels/{name}.pyx"],
                depends=sorted(map(str, Path("hpcreuse/kernels").glob("*.h"))),
                extra_compile_args=["-O3"],
                optional=True,
            )
            for name in KERNELS
        ]
    ),
)
