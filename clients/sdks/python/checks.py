"""Checks of a library against the gateway: one line of JSON for each, as the session reads them."""

import inspect
import json
import os
import sys

URL = os.environ["CAMINO_URL"]
KEY = os.environ["CAMINO_API_KEY"]
VENDOR = os.environ["CAMINO_VENDOR"]

# One red pixel.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
WEATHER = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


def model(kind):
    return f"{VENDOR}/{kind}"


def expect(ok, found):
    """Fails the check that runs, with what was found."""
    if not ok:
        raise AssertionError(str(found)[:800])


def run_all(module):
    """Runs the functions of a script whose names begin with `check_`, each by itself."""
    for name, function in list(vars(module).items()):
        if not name.startswith("check_") or not inspect.isfunction(function):
            continue
        said = name.removeprefix("check_").replace("_", " ")
        try:
            function()
            line = {"check": said, "ok": True}
        except Exception as error:  # Whatever it is, it is the result of this check and of no other.
            line = {"check": said, "ok": False, "detail": told(error)[:1200]}
        print(json.dumps(line), flush=True)


def told(error):
    """An error and what it came of."""
    cause = error.__cause__ or error.__context__
    said = f"{type(error).__name__}: {error}"
    return said if cause is None else f"{said} <- {told(cause)}"
