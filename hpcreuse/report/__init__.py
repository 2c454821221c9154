"""What was found, for people to see: a page, figures and tables."""
