"""Scrapy's part: a page and all that it links to on its host, each into a file. It remembers what it has seen by
itself: that is faster than Scrapy's own filter, which makes a request of each link first.
"""
import hashlib
import os
import urllib.parse

import scrapy
from scrapy.linkextractors import LinkExtractor


class Pages(scrapy.Spider):
    name = "pages"
    links = LinkExtractor()

    def __init__(self, start, folder):
        super().__init__()
        self.start_urls, self.folder, self.seen = [start], folder, {start}
        self.allowed_domains = [urllib.parse.urlsplit(start).hostname]

    def parse(self, response):
        name = hashlib.sha1(response.url.encode()).hexdigest() + ".html"
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(response.body)
        for link in self.links.extract_links(response):
            if link.url not in self.seen:
                self.seen.add(link.url)
                yield scrapy.Request(link.url)
