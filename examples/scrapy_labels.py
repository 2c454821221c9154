"""A Scrapy spider middleware that holds every response against labels before the spider sees it.

    SPIDER_MIDDLEWARES = {"scrapy_labels.LabelsMiddleware": 50}
    HPCREUSE_LABELS = "wikipedia.h5"        # labels, or a filter made by `hpcreuse label --compact`
    HPCREUSE_EXACT = None                   # the labels behind the filter, if they are at hand
    HPCREUSE_THRESHOLD = 0.5                # share of copied chunks above which a page is a copy
    HPCREUSE_DROP = True                    # drop copies; else spiders find the answer in response.meta["labels"]

The spider is not called for a copy, so that its links are not followed either.
"""

import logging
from collections.abc import Iterable
from typing import Any

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Response

from hpcreuse import LabelSet

log = logging.getLogger(__name__)


class CopiedPage(IgnoreRequest):
    """The page is mostly a copy of labelled pages."""


class LabelsMiddleware:
    """Checks responses; counts verdicts in the crawler's stats under `labels/`."""

    def __init__(self, crawler: Crawler):
        settings = crawler.settings
        if not settings.get("HPCREUSE_LABELS"):
            raise NotConfigured("HPCREUSE_LABELS is not set")
        self.stats = crawler.stats
        self.drop = settings.getbool("HPCREUSE_DROP", True)
        self.labels = LabelSet.open(
            settings["HPCREUSE_LABELS"],
            exact=settings.get("HPCREUSE_EXACT"),
            threshold=settings.getfloat("HPCREUSE_THRESHOLD", 0.5),
        )

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "LabelsMiddleware":
        """Make it as Scrapy does."""
        middleware = cls(crawler)
        crawler.signals.connect(middleware.spider_opened, signal=signals.spider_opened)
        return middleware

    def spider_opened(self, spider: Spider) -> None:
        """Say what is looked for."""
        log.info("checking pages against %d labels", len(self.labels))

    def process_spider_input(self, response: Response, spider: Any = None) -> None:
        """Check one response; its body has no transfer or content encoding any more.

        Raises CopiedPage for a copy that is to be dropped.
        """
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
        checked = self.labels.check(response.body, response.url, content_type)
        response.meta["labels"] = checked
        self.stats.inc_value(f"labels/{checked.verdict}")
        if self.drop and checked.verdict == "copied":
            raise CopiedPage(f"{response.url} copies {', '.join(checked.sources[:3]) or 'labelled pages'}")

    def process_spider_exception(self, response: Response, exception: Exception, spider: Any = None) -> Iterable | None:
        """Drop a copy quietly."""
        if isinstance(exception, CopiedPage):
            log.info("dropped: %s", exception)
            return []
        return None
