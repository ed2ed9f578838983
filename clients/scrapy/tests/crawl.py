"""A real crawl in a process of its own: `crawl.py SITE SETTINGS` prints what it found and counted as JSON."""

import json
import sys
from typing import Any

from scrapy import Spider, signals
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse

site, settings = sys.argv[1], json.loads(sys.argv[2])
found: list[dict[str, Any]] = []


class Site(Spider):
    name = "site"
    start_urls = [f"{site}/"]

    def parse(self, response):
        if not isinstance(response, HtmlResponse):
            return
        told = response.meta.get("lookalike")
        text = " ".join(response.css("article p::text").getall())
        yield {
            "url": response.url,
            "text": text,
            "told": told and [told["verdict"], [match["id"] for match in told["matches"]]],
        }
        yield from response.follow_all(response.css("a::attr(href)"))


def note(item):
    found.append(item)


process = CrawlerProcess({"LOG_LEVEL": "WARNING", "TELNETCONSOLE_ENABLED": False, "ROBOTSTXT_OBEY": True, **settings})
crawler = process.create_crawler(Site)
crawler.signals.connect(note, signals.item_scraped)
process.crawl(crawler)
process.start()
stats = {
    name: value
    for name, value in crawler.stats.get_stats().items()
    if name.startswith(("lookalike/", "log_count/ERROR", "finish", "robots"))
}
print(json.dumps({"items": found, "stats": stats}, default=str))
