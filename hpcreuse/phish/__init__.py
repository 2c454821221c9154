"""Phishing (CCR 8.2): pages in dom mode against labels of the originals; one chunk is enough."""
