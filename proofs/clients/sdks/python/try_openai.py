"""openai-python: chat completions, responses, errors."""

import json
import sys

from checks import KEY, PIXEL, URL, WEATHER, expect, model, run_all
from openai import APIStatusError, BadRequestError, NotFoundError, OpenAI, RateLimitError
from pydantic import BaseModel

client = OpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0)
TOOL = {"type": "function", "function": {"name": "weather", "description": "Weather", "parameters": WEATHER, "strict": True}}
FLAT = {"type": "function", "name": "weather", "description": "Weather", "parameters": WEATHER, "strict": True}


class City(BaseModel):
    city: str


def said(text):
    return [{"role": "user", "content": text}]


def check_chat_answers_with_usage():
    answer = client.chat.completions.create(model=model("echo"), messages=said("one two"))
    expect(answer.choices[0].message.content == "Simulated answer: one two", answer)
    expect(answer.usage.prompt_tokens > 0 and answer.usage.completion_tokens > 0, answer.usage)
    expect(answer.choices[0].finish_reason == "stop", answer)


def check_chat_streams_with_usage_at_the_end():
    stream = client.chat.completions.create(
        model=model("echo"), messages=said("one two"), stream=True, stream_options={"include_usage": True}
    )
    chunks = list(stream)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    expect(text == "Simulated answer: one two", text)
    expect(chunks[-1].usage is not None and chunks[-1].usage.completion_tokens > 0, chunks[-1])


def check_chat_tool_loop():
    messages = said("What is the weather?")
    for _ in range(4):
        message = client.chat.completions.create(model=model("tools-until-done"), messages=messages, tools=[TOOL]).choices[0].message
        messages.append(message)
        if not message.tool_calls:
            break
        for call in message.tool_calls:
            expect(json.loads(call.function.arguments).get("city"), call)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": "sunny, done"})
    expect("done" in (messages[-1].content or ""), messages[-1])


def check_chat_tool_loop_streamed_by_the_helper():
    with client.chat.completions.stream(model=model("tools-until-done"), messages=said("Go"), tools=[TOOL]) as stream:
        for _ in stream:
            pass
        message = stream.get_final_completion().choices[0].message
    expect(message.tool_calls and message.tool_calls[0].function.parsed_arguments.get("city"), message)


def check_chat_sees_an_image():
    content = [
        {"type": "text", "text": "What?"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
    ]
    answer = client.chat.completions.create(model=model("vision"), messages=said(content))
    expect("1 image: image/png" in answer.choices[0].message.content, answer)


def check_chat_parses_structured_output():
    answer = client.chat.completions.parse(model=model("json"), messages=said("Where?"), response_format=City)
    expect(isinstance(answer.choices[0].message.parsed, City), answer)


def check_chat_reasons_and_replays():
    messages = said("Think")
    for _ in range(4):
        answer = client.chat.completions.create(
            model=model("reason"), messages=messages, tools=[TOOL], reasoning_effort="low"
        )
        message = answer.choices[0].message
        messages.append(message)
        if not message.tool_calls:
            break
        messages += [{"role": "tool", "tool_call_id": call.id, "content": "done"} for call in message.tool_calls]
    expect("done" in (messages[-1].content or ""), messages[-1])
    expect(answer.usage.completion_tokens > 0, answer.usage)


def check_responses_answers_with_usage():
    response = client.responses.create(model=model("echo"), input="one two", instructions="Be brief.")
    expect(response.output_text == "Simulated answer: one two", response)
    expect(response.usage.input_tokens > 0 and response.usage.output_tokens > 0, response.usage)


def check_responses_streams():
    with client.responses.stream(model=model("echo"), input="one two") as stream:
        deltas = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
        final = stream.get_final_response()
    expect(deltas == final.output_text == "Simulated answer: one two", (deltas, final))


def check_responses_tool_loop_with_reasoning_given_back():
    items = said("Think and call")
    for _ in range(4):
        response = client.responses.create(
            model=model("reason"),
            input=items,
            tools=[FLAT],
            reasoning={"effort": "low", "summary": "auto"},
            include=["reasoning.encrypted_content"],
            store=False,
        )
        items += [item.model_dump(exclude_none=True) for item in response.output]
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            break
        items += [{"type": "function_call_output", "call_id": call.call_id, "output": "done"} for call in calls]
    expect("done" in response.output_text, response)


def check_responses_parses_structured_output():
    response = client.responses.parse(model=model("json"), input="Where?", text_format=City)
    expect(isinstance(response.output_parsed, City), response)


def check_responses_sees_an_image():
    content = [
        {"type": "input_text", "text": "What?"},
        {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}", "detail": "auto"},
    ]
    response = client.responses.create(model=model("vision"), input=said(content))
    expect("1 image: image/png" in response.output_text, response)


def refusal(function):
    try:
        function()
    except APIStatusError as error:
        return error
    raise AssertionError("was not refused")


def check_errors_have_their_true_status():
    for kind, status, kinds in [("fail-400", 400, BadRequestError), ("fail-429", 429, RateLimitError), ("fail-503", 502, APIStatusError)]:
        for ask in (
            lambda: client.chat.completions.create(model=model(kind), messages=said("x")),
            lambda: client.chat.completions.create(model=model(kind), messages=said("x"), stream=True),
            lambda: client.responses.create(model=model(kind), input="x"),
        ):
            error = refusal(ask)
            expect(error.status_code == status and isinstance(error, kinds), (kind, error.status_code, error.message))
    error = refusal(lambda: client.chat.completions.create(model="no/such", messages=said("x")))
    expect(isinstance(error, NotFoundError), error)


def check_cancelling_ends_the_call():
    stream = client.chat.completions.create(model=model("slow"), messages=said("one two three four five"), stream=True)
    next(iter(stream))
    stream.close()
    answer = client.chat.completions.create(model=model("echo"), messages=said("still here"))
    expect("still here" in answer.choices[0].message.content, answer)


def check_models_are_listed():
    ids = [entry.id for entry in client.models.list()]
    expect(model("echo") in ids, ids[:5])
    expect(client.models.retrieve(model("echo")).id == model("echo"), ids[:5])


run_all(sys.modules[__name__])
