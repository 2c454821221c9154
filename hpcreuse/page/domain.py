"""The registered domain of a host: what stands below a public suffix."""

from functools import cache, lru_cache
from typing import Any


@cache
def _suffixes() -> Any:
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()


@lru_cache(maxsize=1 << 16)
def registered_domain(host: str) -> str:
    """Give the registered domain of a host; an address or a bare suffix stands for itself."""
    host = host.rstrip(".").partition(":")[0] if not host.startswith("[") else host
    if not host or host.startswith("[") or host.replace(".", "").isdigit():
        return host
    return _suffixes().privatesuffix(host) or host
