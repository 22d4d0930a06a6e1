"""The extension of Jupyter Server that serves the live book."""

from pathlib import Path

from jupyter_server.extension.application import ExtensionApp
from traitlets import Instance, Unicode

from d2l_support.build.layout import Book
from d2l_support.build.live.creation import EnvironmentMaker
from d2l_support.build.live.pages import BookHandler
from d2l_support.build.live.routes import (
    CompareHandler,
    EnvironmentHandler,
    EnvironmentsHandler,
    ProgressHandler,
)
from d2l_support.build.live.server import BookServer


class LiveBook(ExtensionApp):
    """Serves the built book, and what its pages need beside kernels."""

    name = "d2l_live"
    load_other_extensions = False
    serverapp_class = BookServer
    extension_url = "/book/"
    checkout = Unicode(config=True, help="The checkout of the book.")
    pages = Unicode(config=True, help="The folder of the built book.")
    maker = Instance(EnvironmentMaker, allow_none=True)

    @classmethod
    def get_extension_package(cls) -> str:
        """The package that tells Jupyter Server of the extension."""
        return "d2l_support.build.live"

    def load_config_file(self, suppress_errors: bool = True) -> None:
        """Loads none: what the server does is said on the command line."""

    def initialize_handlers(self) -> None:
        """Adds the addresses of the book."""
        book = Book(Path(self.checkout))
        self.maker = EnvironmentMaker(book)
        making = {"maker": self.maker}
        environment = r"/book-live/environments/(\w+)"
        self.handlers += [
            (r"/book-live/environments", EnvironmentsHandler, making),
            (environment, EnvironmentHandler, making),
            (rf"{environment}/progress", ProgressHandler, making),
            (r"/book-live/compare", CompareHandler, {"book": book}),
            (r"/book/(.*)", BookHandler, {"path": self.pages}),
        ]

    async def stop_extension(self) -> None:
        """Ends what is being made."""
        if self.maker:
            await self.maker.stop()
