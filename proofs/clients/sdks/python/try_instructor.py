"""Instructor over OpenAI's and Anthropic's clients."""

import sys

import instructor
from anthropic import Anthropic
from checks import KEY, URL, expect, model, run_all
from openai import OpenAI
from pydantic import BaseModel


class City(BaseModel):
    city: str


SAID = [{"role": "user", "content": "Where? Answer in JSON."}]
OPENAI = OpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0)
ANTHROPIC = Anthropic(base_url=URL, api_key=KEY, max_retries=0)


def check_by_tools():
    client = instructor.from_openai(OPENAI, mode=instructor.Mode.TOOLS)
    found = client.chat.completions.create(model=model("tools"), messages=SAID, response_model=City, max_retries=0)
    expect(isinstance(found, City), found)


def check_by_json_schema():
    client = instructor.from_openai(OPENAI, mode=instructor.Mode.JSON_SCHEMA)
    found = client.chat.completions.create(model=model("json"), messages=SAID, response_model=City, max_retries=0)
    expect(isinstance(found, City), found)


def check_by_anthropic_tools():
    client = instructor.from_anthropic(ANTHROPIC, mode=instructor.Mode.ANTHROPIC_TOOLS)
    found = client.messages.create(
        model=model("tools"), max_tokens=500, messages=SAID, response_model=City, max_retries=0
    )
    expect(isinstance(found, City), found)


def check_streams_a_partial_object():
    client = instructor.from_openai(OPENAI, mode=instructor.Mode.TOOLS)
    parts = list(client.chat.completions.create_partial(model=model("tools"), messages=SAID, response_model=City, max_retries=0))
    expect(len(parts) > 0 and parts[-1].city, parts)


run_all(sys.modules[__name__])
