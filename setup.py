"""Finds the packages; settings and digest lists of configs/ are shipped as hpcreuse.configs."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["hpcreuse", "hpcreuse.*"]), "hpcreuse.configs"],
    package_dir={"hpcreuse.configs": "configs"},
)
