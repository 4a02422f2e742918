"""Pydantic AI with OpenAI's chat and responses and Anthropic's messages."""

import sys

from checks import KEY, PIXEL, URL, expect, model, run_all
from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, ModelHTTPError
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.output import NativeOutput
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from anthropic import AsyncAnthropic
from openai import AsyncOpenAI
import base64


class City(BaseModel):
    city: str


def models(kind):
    openai = OpenAIProvider(openai_client=AsyncOpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0))
    anthropic = AnthropicProvider(anthropic_client=AsyncAnthropic(base_url=URL, api_key=KEY, max_retries=0))
    return [
        OpenAIChatModel(model(kind), provider=openai),
        OpenAIResponsesModel(model(kind), provider=openai),
        AnthropicModel(model(kind), provider=anthropic),
    ]


def check_answers_with_usage():
    for each in models("echo"):
        result = Agent(each, instructions="Be brief.").run_sync("one two")
        expect(result.output == "Simulated answer: one two", (each.system, result.output))
        usage = result.usage() if callable(result.usage) else result.usage
        expect(usage.output_tokens > 0, usage)


def check_streams():
    for each in models("echo"):
        text = ""
        result = Agent(each).run_stream_sync("one two")
        for piece in result.stream_text(delta=True):
            text += piece
        expect(text == "Simulated answer: one two", (each.system, text))


def check_tool_loops():
    for kind in ("tools-until-done", "reason"):
        for each in models(kind):
            cities = []
            agent = Agent(each)

            @agent.tool_plain
            def weather(city: str) -> str:
                """Weather of a city."""
                cities.append(city)
                return "sunny, done"

            result = agent.run_sync("Go")
            expect("done" in result.output and len(cities) > 0, (type(each), kind, result.output))


def check_sees_an_image():
    for each in models("vision"):
        image = BinaryContent(base64.b64decode(PIXEL), media_type="image/png")
        result = Agent(each).run_sync(["What?", image])
        expect("1 image: image/png" in result.output, (type(each), result.output))


def check_structured_output_by_tool():
    for each in models("tools"):
        result = Agent(each, output_type=City).run_sync("Where?")
        expect(isinstance(result.output, City), (type(each), result.output))


def check_structured_output_by_format():
    for each in models("json")[:2]:
        result = Agent(each, output_type=NativeOutput(City)).run_sync("Where?")
        expect(isinstance(result.output, City), (type(each), result.output))


def check_errors_have_their_true_status():
    for each in models("fail-429"):
        try:
            Agent(each).run_sync("x")
        except ModelHTTPError as error:
            expect(error.status_code == 429, error)
        else:
            expect(False, "was not refused")


run_all(sys.modules[__name__])
