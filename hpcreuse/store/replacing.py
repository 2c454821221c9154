"""A result or labels that take the place of earlier ones: said when those were made in another way."""

import json
import logging
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)

# What follows from the rest
DERIVED = ("run_fingerprint", "stop_digests", "file_threshold_fixed", "neighborhood_threshold_fixed")


def tell_of_other_settings(path: Path, before: dict[str, Any], now: dict[str, Any]) -> None:
    """Say with which settings the earlier one was made, as far as they differ."""
    settings = [f"{name} {said(before[name])}" for name in before if is_other(name, before[name], now)]
    if settings:
        log.info("%s replaces one made with other settings (%s)", path, ", ".join(settings))


def is_other(name: str, value: Any, now: dict[str, Any]) -> bool:
    """Tell whether a setting has another value now."""
    if name in DERIVED or name not in now or isinstance(value, dict):
        return False
    # As it would be read back
    return bool(value != json.loads(json.dumps(now[name])))


def said(value: Any) -> str:
    """Write a setting for people."""
    if isinstance(value, list):
        return " ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)
