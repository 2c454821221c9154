"""What passes between ranks: the world, shared-out work, exchange, join, moments, progress."""
