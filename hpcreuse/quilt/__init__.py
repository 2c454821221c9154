"""Quilted pages: stitched together from patches of other pages (METHODS.md section 2; QUILT)."""
