"""What the page asks the live server besides Jupyter's own interface."""

import asyncio
import json
from dataclasses import asdict

from jupyter_server.base.handlers import APIHandler
from tornado import web
from tornado.iostream import StreamClosedError

from d2l_support.build.frameworks import FRAMEWORKS
from d2l_support.build.layout import Book
from d2l_support.build.live.comparison import compare_with_record
from d2l_support.build.live.creation import EnvironmentMaker

QUESTIONS = {"page": str, "framework": str, "step": str, "outputs": list}


class MakerHandler(APIHandler):
    """Knows what makes the environments."""

    def initialize(self, maker: EnvironmentMaker) -> None:
        """Takes what makes them."""
        self.maker = maker


class EnvironmentsHandler(MakerHandler):
    """Tells how the four environments are."""

    @web.authenticated
    def get(self) -> None:
        """The state and the detail of each."""
        self.finish(json.dumps(self.maker.describe()))


class EnvironmentHandler(MakerHandler):
    """Makes one environment."""

    @web.authenticated
    def post(self, framework: str) -> None:
        """Begins, or lets what has begun go on."""
        _require(framework)
        self.maker.begin(framework)
        self.set_status(202)
        self.finish(json.dumps(self.maker.describe()[framework]))


class ProgressHandler(MakerHandler):
    """Tells of the making of one environment, line by line."""

    @web.authenticated
    async def get(self, framework: str) -> None:
        """Server-sent events, until it is ready or has failed."""
        _require(framework)
        self.set_header("Content-Type", "text/event-stream")
        self.set_header("Cache-Control", "no-cache")
        try:
            async for state, line in self.maker.follow(framework):
                event = json.dumps({"state": state, "line": line})
                self.write(f"data: {event}\n\n")
                await self.flush()
            await self.finish(set_content_type="text/event-stream")
        except StreamClosedError:
            return  # the reader has left the page


class CompareHandler(APIHandler):
    """Holds a live output against the record."""

    def initialize(self, book: Book) -> None:
        """Takes the checkout."""
        self.book = book

    @web.authenticated
    async def post(self) -> None:
        """Whether the outputs agree, by which rule, and what differs."""
        asked = self.get_json_body()
        if not isinstance(asked, dict):
            raise web.HTTPError(400, "found no JSON object, expected one")
        for name, kind in QUESTIONS.items():
            if not isinstance(asked.get(name), kind):
                text = f"found no {name!r}, expected a {kind.__name__}"
                raise web.HTTPError(400, text)
        values = [asked[name] for name in QUESTIONS]
        try:
            found = await asyncio.to_thread(compare_with_record, self.book, *values)
        except ValueError as error:
            # Not as the message itself: that would be taken for a format.
            raise web.HTTPError(400, "%s", error) from error
        self.finish(json.dumps(asdict(found)))


def _require(framework: str) -> None:
    if framework not in FRAMEWORKS:
        raise web.HTTPError(404)
