"""What comes in: archives, folders and containers of pages; cleaning; URL to neighborhood."""
