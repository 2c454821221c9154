"""Spun content: articles rewritten with synonyms (METHODS.md section 4; Zhang, Wang, Voelker, DSpin 2014)."""
