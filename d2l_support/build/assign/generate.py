"""Runs nbgrader's ``generate_assignment`` for the assignments it is given.

It is run as a file, in the folder of the course, by ``release``; nbgrader's
own configuration of that folder applies. It prints a line of JSON for each:
``{"name": ..., "success": ..., "log": ..., "error": ...}``.
"""

import json
import sys

from nbgrader.apps import NbGrader, NbGraderAPI


def main(names: list[str]) -> None:
    """Makes the release versions and registers them in the gradebook."""
    app = NbGrader()
    app.initialize([])
    api = NbGraderAPI(app.coursedir, parent=app)
    for name in names:
        result = api.generate_assignment(name)
        print(json.dumps({"name": name, **result}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
