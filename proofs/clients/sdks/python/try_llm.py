"""Simon Willison's llm over chat completions and responses, as a library and as the program, by its models file."""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

from checks import KEY, PIXEL, URL, VENDOR, WEATHER, expect, model, run_all

FOLDER = Path(os.environ["HOME"]) / "llm"
FOLDER.mkdir(parents=True)
os.environ["LLM_USER_PATH"] = str(FOLDER)
KINDS = ("echo", "tools-until-done", "reason", "vision", "json", "fail-429")
WAYS = ("chat", "responses")
(FOLDER / "keys.json").write_text(json.dumps({"camino": KEY}))
(FOLDER / "extra-openai-models.yaml").write_text(
    # JSON is valid YAML.
    json.dumps(
        [
            {
                "model_id": f"{way}-{kind}",
                "model_name": model(kind),
                "api_base": f"{URL}/v1",
                "api_key_name": "camino",
                "supports_tools": True,
                "supports_schema": True,
                "vision": True,
                "responses": way == "responses",
            }
            for way in WAYS
            for kind in KINDS
        ]
    )
)

import llm  # noqa: E402 - reads the folder above


def weather(city: str) -> str:
    """Weather of a city."""
    return "sunny, done"


def check_answers_with_usage():
    for way in WAYS:
        answer = llm.get_model(f"{way}-echo").prompt("one two", stream=False)
        expect(answer.text() == "Simulated answer: one two", (way, answer.text()))
        expect(answer.usage().output > 0, (way, answer.usage()))


def check_streams():
    for way in WAYS:
        answer = llm.get_model(f"{way}-echo").prompt("one two")
        expect("".join(answer) == "Simulated answer: one two", (way, answer.text()))
        expect(answer.usage().output > 0, (way, answer.usage()))


def check_tool_loops():
    for way in WAYS:
        for kind in ("tools-until-done", "reason"):
            chain = llm.get_model(f"{way}-{kind}").chain("Go", tools=[weather])
            text = chain.text()
            expect("done" in text, (way, kind, text))


def check_goes_on_with_a_conversation():
    for way in WAYS:
        talk = llm.get_model(f"{way}-echo").conversation()
        talk.prompt("one").text()
        expect(talk.prompt("two").text() == "Simulated answer: two", way)


def check_sees_an_image():
    for way in WAYS:
        image = llm.Attachment(content=base64.b64decode(PIXEL), type="image/png")
        text = llm.get_model(f"{way}-vision").prompt("What?", attachments=[image]).text()
        expect("1 image: image/png" in text, (way, text))


def check_structured_output():
    for way in WAYS:
        text = llm.get_model(f"{way}-json").prompt("Where? Answer in JSON.", schema=WEATHER).text()
        expect(isinstance(json.loads(text)["city"], str), (way, text))


def check_the_program_answers_and_says_what_is_refused():
    for way in WAYS:
        ran = subprocess.run(["llm", "-m", f"{way}-echo", "one two"], capture_output=True, text=True)
        expect(ran.stdout.strip() == "Simulated answer: one two", (way, ran))
        ran = subprocess.run(["llm", "-m", f"{way}-fail-429", "x"], capture_output=True, text=True)
        expect(ran.returncode != 0 and "429" in ran.stderr, (way, ran))


run_all(sys.modules[__name__])
