"""Figures: how they look, how they are saved, and those that several rooms draw."""
