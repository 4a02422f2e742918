"""anthropic-python: messages, its helpers, errors."""

import json
import sys

from anthropic import Anthropic, APIStatusError, BadRequestError, NotFoundError, RateLimitError, beta_tool
from checks import KEY, PIXEL, URL, WEATHER, expect, model, run_all
from pydantic import BaseModel

client = Anthropic(base_url=URL, api_key=KEY, max_retries=0)
TOOL = {"name": "weather", "description": "Weather", "input_schema": WEATHER}


class City(BaseModel):
    city: str


def said(text):
    return [{"role": "user", "content": text}]


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def check_answers_with_usage():
    message = client.messages.create(model=model("echo"), max_tokens=100, system="Be brief.", messages=said("one two"))
    expect(text_of(message) == "Simulated answer: one two", message)
    expect(message.usage.input_tokens > 0 and message.usage.output_tokens > 0, message.usage)
    expect(message.stop_reason == "end_turn", message)


def check_streams_with_usage():
    with client.messages.stream(model=model("echo"), max_tokens=100, messages=said("one two")) as stream:
        text = "".join(stream.text_stream)
        message = stream.get_final_message()
    expect(text == text_of(message) == "Simulated answer: one two", (text, message))
    expect(message.usage.output_tokens > 0, message.usage)


def check_a_system_message_amid_the_conversation():
    messages = [*said("Hello"), {"role": "system", "content": "Answer in French."}]
    message = client.messages.create(model=model("echo"), max_tokens=100, messages=messages)
    expect("Simulated answer" in text_of(message), message)


def check_tool_loop_with_thinking_given_back():
    messages = said("Think and call")
    for _ in range(4):
        message = client.messages.create(
            model=model("reason"),
            max_tokens=4000,
            thinking={"type": "enabled", "budget_tokens": 1024},
            tools=[TOOL],
            messages=messages,
        )
        messages.append({"role": "assistant", "content": message.content})
        calls = [block for block in message.content if block.type == "tool_use"]
        if not calls:
            break
        results = [{"type": "tool_result", "tool_use_id": call.id, "content": "done"} for call in calls]
        messages.append({"role": "user", "content": results})
    expect("done" in text_of(message), message)


def check_tool_runner():
    cities = []

    @beta_tool
    def weather(city: str) -> str:
        """Weather of a city.

        Args:
            city: The city.
        """
        cities.append(city)
        return "sunny, done"

    runner = client.beta.messages.tool_runner(
        model=model("tools-until-done"), max_tokens=1000, tools=[weather], messages=said("Go"), max_iterations=5
    )
    message = runner.until_done()
    expect(len(cities) > 0 and "done" in text_of(message), (cities, message))


def check_sees_an_image():
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    message = client.messages.create(
        model=model("vision"), max_tokens=100, messages=said([image, {"type": "text", "text": "What?"}])
    )
    expect("1 image: image/png" in text_of(message), message)


def check_has_documents_read():
    pdf = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjQK"}
    words = {"type": "text", "media_type": "text/plain", "data": "high at noon"}
    for source in (pdf, words):
        content = [{"type": "document", "source": source}, {"type": "text", "text": "What?"}]
        message = client.messages.create(model=model("vision"), max_tokens=100, messages=said(content))
        expect(message.stop_reason == "end_turn" and text_of(message), message)


def check_knows_what_a_model_can():
    capabilities = client.models.retrieve(model("agent")).capabilities
    expect(capabilities.image_input.supported and capabilities.thinking.types.enabled.supported, capabilities)


def check_parses_structured_output():
    message = client.messages.parse(model=model("json"), max_tokens=500, messages=said("Where?"), output_format=City)
    expect(isinstance(message.parsed_output, City), message)


def check_counts_tokens():
    expect(client.messages.count_tokens(model=model("echo"), messages=said("one two")).input_tokens > 0, "0 tokens")


def refusal(function):
    try:
        function()
    except APIStatusError as error:
        return error
    raise AssertionError("was not refused")


def check_errors_have_their_true_status():
    def ask(kind):
        return client.messages.create(model=model(kind), max_tokens=10, messages=said("x"))

    def streamed(kind):
        with client.messages.stream(model=model(kind), max_tokens=10, messages=said("x")) as stream:
            return stream.get_final_message()

    for kind, status, kinds in [("fail-400", 400, BadRequestError), ("fail-429", 429, RateLimitError), ("fail-503", 502, APIStatusError)]:
        for call in (ask, streamed):
            error = refusal(lambda: call(kind))
            expect(error.status_code == status and isinstance(error, kinds), (kind, error.status_code, error.message))
            expect(json.loads(json.dumps(error.body))["type"] == "error", error.body)
    error = refusal(lambda: client.messages.create(model="no/such", max_tokens=10, messages=said("x")))
    expect(isinstance(error, NotFoundError), error)


def check_cancelling_ends_the_call():
    with client.messages.stream(model=model("slow"), max_tokens=100, messages=said("one two three four five")) as stream:
        next(iter(stream.text_stream))
    message = client.messages.create(model=model("echo"), max_tokens=100, messages=said("still here"))
    expect("still here" in text_of(message), message)


def check_models_are_listed():
    expect(model("echo") in [entry.id for entry in client.models.list(limit=1000)], "not listed")


run_all(sys.modules[__name__])
