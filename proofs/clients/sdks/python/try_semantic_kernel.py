"""Semantic Kernel's agent over responses, which says the user's message again behind the calls that it answers."""

import asyncio
import sys

from checks import KEY, URL, expect, model, run_all
from openai import AsyncOpenAI
from semantic_kernel.agents import OpenAIResponsesAgent
from semantic_kernel.functions import kernel_function


class Weather:
    @kernel_function(name="weather", description="Weather of a city")
    def weather(self, city: str) -> str:
        return "sunny, done"


def agent(kind, plugins=None):
    # Each check runs in its own event loop, and a client keeps the connections of the loop that first used it.
    client = AsyncOpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0)
    return OpenAIResponsesAgent(
        ai_model_id=model(kind), client=client, name="a", instructions="Be brief.", plugins=plugins
    )


async def streamed(of, text):
    return "".join([each.message.content or "" async for each in of.invoke_stream(messages=text)])


def check_answers_and_goes_on():
    async def both():
        of = agent("echo")
        first = await of.get_response(messages="one two")
        return first, await of.get_response(messages="three", thread=first.thread)

    first, second = asyncio.run(both())
    expect(str(first.message.content) == "Simulated answer: one two", first.message.content)
    expect(str(second.message.content) == "Simulated answer: three", second.message.content)


def check_streams():
    text = asyncio.run(streamed(agent("echo"), "one two"))
    expect(text == "Simulated answer: one two", text)


def check_a_tool_loop():
    answer = asyncio.run(agent("tools-until-done", [Weather()]).get_response(messages="Go"))
    expect("done" in str(answer.message.content), answer.message.content)


def check_a_tool_loop_of_a_model_that_reasons():
    answer = asyncio.run(agent("reason", [Weather()]).get_response(messages="Go"))
    expect("done" in str(answer.message.content), answer.message.content)


def check_a_streamed_tool_loop():
    text = asyncio.run(streamed(agent("tools-until-done", [Weather()]), "Go"))
    expect("done" in text, text)


run_all(sys.modules[__name__])
