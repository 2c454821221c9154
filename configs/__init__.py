"""Data shipped with hpcreuse: default settings, the published studies, published digest lists."""
