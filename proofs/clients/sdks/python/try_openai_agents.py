"""OpenAI's Agents SDK over responses (its default) and over chat completions."""

import asyncio
import sys

from agents import Agent, ModelSettings, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from checks import KEY, URL, expect, model, run_all
from openai import AsyncOpenAI, RateLimitError
from pydantic import BaseModel

set_tracing_disabled(True)


class City(BaseModel):
    city: str


def models(kind):
    # Each check runs in its own event loop, and a client keeps the connections of the loop that first used it.
    return [
        each(model=model(kind), openai_client=AsyncOpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0))
        for each in (OpenAIResponsesModel, OpenAIChatCompletionsModel)
    ]


def run(agent, text):
    return asyncio.run(Runner.run(agent, text, max_turns=6))


def check_answers():
    for each in models("echo"):
        result = run(Agent(name="a", instructions="Be brief.", model=each), "one two")
        expect(result.final_output == "Simulated answer: one two", (type(each), result.final_output))
        expect(result.context_wrapper.usage.output_tokens > 0, result.context_wrapper.usage)


def check_streams():
    async def streamed(agent):
        result = Runner.run_streamed(agent, "one two")
        kinds = [event.type async for event in result.stream_events()]
        return result.final_output, kinds

    for each in models("echo"):
        text, kinds = asyncio.run(streamed(Agent(name="a", model=each)))
        expect(text == "Simulated answer: one two" and "raw_response_event" in kinds, (type(each), text))


def check_tool_loops():
    for kind in ("tools-until-done", "reason"):
        for each in models(kind):
            cities = []

            @function_tool
            def weather(city: str) -> str:
                """Weather of a city."""
                cities.append(city)
                return "sunny, done"

            settings = ModelSettings(store=False, response_include=["reasoning.encrypted_content"])
            result = run(Agent(name="a", model=each, tools=[weather], model_settings=settings), "Go")
            expect("done" in result.final_output and cities, (type(each), kind, result.final_output))


def check_tool_loop_with_its_defaults():
    @function_tool
    def weather(city: str) -> str:
        """Weather of a city."""
        return "sunny, done"

    for each in models("reason"):
        result = run(Agent(name="a", model=each, tools=[weather]), "Go")
        expect("done" in result.final_output, (type(each), result.final_output))


def check_handoff():
    for each in models("tools-until-done"):
        other = Agent(name="other", model=models("echo")[0], handoff_description="Takes over.")
        result = run(Agent(name="first", model=each, handoffs=[other]), "Go")
        expect(result.last_agent.name == "other", (type(each), result.final_output))


def check_structured_output():
    for each in models("json"):
        result = run(Agent(name="a", model=each, output_type=City), "Where?")
        expect(isinstance(result.final_output, City), (type(each), result.final_output))


def check_errors_have_their_true_status():
    for each in models("fail-429"):
        try:
            run(Agent(name="a", model=each), "x")
        except RateLimitError as error:
            expect(error.status_code == 429, error)
        else:
            expect(False, "was not refused")


run_all(sys.modules[__name__])
