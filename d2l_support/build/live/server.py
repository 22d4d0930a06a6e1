"""A Jupyter Server with kernels and sessions, and without the rest."""

import signal
from types import FrameType

from jupyter_server.serverapp import ServerApp

from d2l_support.build.live.gate import gate_rules

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class BookServer(ServerApp):
    """Serves kernels; reads no configuration of this machine, writes no files."""

    default_services = ("api", "kernels", "kernelspecs", "sessions")

    def load_config_file(self, suppress_errors: bool = True) -> None:
        """Loads none: neither the user's nor the system's."""

    def migrate_config(self) -> None:
        """Leaves the user's folders alone."""

    def write_server_info_file(self) -> None:
        """Writes none: it would hold the token."""

    def write_browser_open_files(self) -> None:
        """Writes none, for the same reason."""

    def init_webapp(self) -> None:
        """Makes the web application, the gate first of its rules."""
        super().init_webapp()
        self.web_app.add_handlers(".*$", gate_rules(self.ip))

    def init_signal(self) -> None:
        """Ends the server and its kernels on Ctrl-C, without a question."""
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._end)

    def _end(self, number: int, frame: FrameType | None) -> None:
        # Once: the kernels are being ended, which takes a few seconds.
        if not self._stopping:
            self.stop(from_signal=True)
