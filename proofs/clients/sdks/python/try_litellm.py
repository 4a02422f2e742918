"""LiteLLM as a library: its ways to OpenAI's and Anthropic's styles."""

import sys

import litellm
from checks import KEY, PIXEL, URL, VENDOR, WEATHER, expect, run_all

litellm.telemetry = False
TOOL = {"type": "function", "function": {"name": "weather", "description": "Weather", "parameters": WEATHER}}


def model(kind):
    # LiteLLM removes `responses/` from a name: the prefix selects the protocol, and the vendor does not get it.
    return f"of-responses/{kind}" if VENDOR == "responses" else f"{VENDOR}/{kind}"


def ways(kind):
    return [
        {"model": f"openai/{model(kind)}", "api_base": f"{URL}/v1", "api_key": KEY, "num_retries": 0, "max_retries": 0},
        {"model": f"anthropic/{model(kind)}", "api_base": URL, "api_key": KEY, "num_retries": 0, "max_tokens": 3000},
    ]


def said(text):
    return [{"role": "user", "content": text}]


def check_answers_with_usage():
    for way in ways("echo"):
        answer = litellm.completion(messages=said("one two"), **way)
        expect(answer.choices[0].message.content == "Simulated answer: one two", (way["model"], answer))
        expect(answer.usage.completion_tokens > 0, answer)


def check_streams():
    for way in ways("echo"):
        chunks = list(litellm.completion(messages=said("one two"), stream=True, **way))
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        expect(text == "Simulated answer: one two", (way["model"], text))


def check_tool_loops():
    for kind in ("tools-until-done", "reason"):
        for way in ways(kind):
            messages = said("Go")
            for _ in range(4):
                message = litellm.completion(messages=messages, tools=[TOOL], **way).choices[0].message
                messages.append(message)
                if not message.tool_calls:
                    break
                messages += [{"role": "tool", "tool_call_id": call.id, "content": "done"} for call in message.tool_calls]
            expect("done" in (message.content or ""), (way["model"], message))


def check_sees_an_image():
    content = [
        {"type": "text", "text": "What?"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
    ]
    for way in ways("vision"):
        answer = litellm.completion(messages=said(content), **way)
        expect("1 image: image/png" in answer.choices[0].message.content, (way["model"], answer))


def check_responses():
    way = ways("echo")[0]
    response = litellm.responses(input="one two", **{key: way[key] for key in ("model", "api_base", "api_key")})
    text = "".join(part.text for item in response.output if item.type == "message" for part in item.content)
    expect(text == "Simulated answer: one two", response)


def check_errors_have_their_true_status():
    for way in ways("fail-429"):
        try:
            litellm.completion(messages=said("x"), **way)
        except Exception as error:
            expect(getattr(error, "status_code", None) == 429, repr(error))
        else:
            expect(False, "was not refused")


run_all(sys.modules[__name__])
