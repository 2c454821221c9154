"""What starting a verb costs before it does anything: on a cluster every rank pays it, on one shared file system."""
