"""LangChain's ChatOpenAI (chat and responses) and ChatAnthropic."""

import sys

from checks import KEY, PIXEL, URL, expect, model, run_all
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import AIMessageChunk, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import BaseModel


@tool
def weather(city: str) -> str:
    """Weather of a city."""
    return "sunny, done"


class City(BaseModel):
    """A city."""

    city: str


def chats(kind, **settings):
    """The three ways in which LangChain speaks."""
    base = {"model": model(kind), "max_retries": 0}
    openai = {**base, "base_url": f"{URL}/v1", "api_key": KEY}
    return [
        ChatOpenAI(**openai, stream_usage=True, **settings),
        ChatOpenAI(**openai, use_responses_api=True, output_version="responses/v1", store=False, **settings),
        ChatAnthropic(**base, base_url=URL, api_key=KEY, max_tokens=3000, **settings),
    ]


def check_answers_with_usage():
    for chat in chats("echo"):
        answer = chat.invoke([SystemMessage("Be brief."), HumanMessage("one two")])
        expect(answer.text == "Simulated answer: one two", (type(chat), answer))
        expect(answer.usage_metadata["output_tokens"] > 0, answer)


def check_streams_with_usage():
    for chat in chats("echo"):
        whole = AIMessageChunk(content="")
        for chunk in chat.stream("one two"):
            whole += chunk
        expect(whole.text == "Simulated answer: one two", (type(chat), whole))
        expect(whole.usage_metadata["output_tokens"] > 0, whole)


def check_tool_loops():
    for kind in ("tools-until-done", "reason"):
        for chat in chats(kind):
            bound = chat.bind_tools([weather])
            messages = [HumanMessage("Go")]
            for _ in range(4):
                answer = bound.invoke(messages)
                messages.append(answer)
                if not answer.tool_calls:
                    break
                messages += [ToolMessage(weather.invoke(call["args"]), tool_call_id=call["id"]) for call in answer.tool_calls]
            expect("done" in answer.text, (type(chat), kind, answer))


def check_tool_loop_with_thinking_given_back():
    chat = ChatAnthropic(
        model=model("reason"), base_url=URL, api_key=KEY, max_tokens=4000, thinking={"type": "enabled", "budget_tokens": 1024}
    ).bind_tools([weather])
    messages = [HumanMessage("Go")]
    for _ in range(4):
        answer = chat.invoke(messages)
        messages.append(answer)
        if not answer.tool_calls:
            break
        messages += [ToolMessage("done", tool_call_id=call["id"]) for call in answer.tool_calls]
    expect("done" in answer.text, answer)


def check_sees_an_image():
    image = {"type": "image", "base64": PIXEL, "mime_type": "image/png"}
    for chat in chats("vision"):
        answer = chat.invoke([HumanMessage([{"type": "text", "text": "What?"}, image])])
        expect("1 image: image/png" in answer.text, (type(chat), answer))


def check_structured_output():
    for chat in chats("json")[:2]:
        found = chat.with_structured_output(City, method="json_schema").invoke("Where?")
        expect(isinstance(found, City), (type(chat), found))
    found = chats("tools")[2].with_structured_output(City).invoke("Where?")
    expect(isinstance(found, City), found)


def check_errors_have_their_true_status():
    for chat in chats("fail-429"):
        try:
            chat.invoke("x")
        except Exception as error:
            expect(getattr(error, "status_code", None) == 429, repr(error))
        else:
            expect(False, "was not refused")


run_all(sys.modules[__name__])
