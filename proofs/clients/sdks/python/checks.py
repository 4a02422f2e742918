"""Checks of a library against the gateway. Each prints one line of JSON, which the session reads."""

import inspect
import json
import os
import sys

URL = os.environ["CAMINO_URL"]
KEY = os.environ["CAMINO_API_KEY"]
VENDOR = os.environ["CAMINO_VENDOR"]

# A PNG of one red pixel.
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
    """Fails the running check, with what was found."""
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
        except Exception as error:  # Any error fails this check, and no other check.
            line = {"check": said, "ok": False, "detail": told(error)[:1200]}
        print(json.dumps(line), flush=True)


def told(error):
    """An error with the errors that caused it."""
    cause = error.__cause__ or error.__context__
    said = f"{type(error).__name__}: {error}"
    return said if cause is None else f"{said} <- {told(cause)}"
