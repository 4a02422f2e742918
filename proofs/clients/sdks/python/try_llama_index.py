"""LlamaIndex's OpenAILike."""

import sys

from checks import KEY, URL, expect, model, run_all
from llama_index.core.llms import ChatMessage
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai_like import OpenAILike


def openai(kind):
    return OpenAILike(
        model=model(kind), api_base=f"{URL}/v1", api_key=KEY, is_chat_model=True, is_function_calling_model=True, max_retries=0
    )


def said(text):
    return [ChatMessage(role="user", content=text)]


def check_answers():
    llm = openai("echo")
    answer = llm.chat(said("one two"))
    expect(answer.message.content == "Simulated answer: one two", (type(llm), answer))


def check_streams():
    llm = openai("echo")
    text = "".join(chunk.delta or "" for chunk in llm.stream_chat(said("one two")))
    expect(text == "Simulated answer: one two", (type(llm), text))


def check_tool_loops():
    def weather(city: str) -> str:
        """Weather of a city."""
        return "sunny, done"

    tool = FunctionTool.from_defaults(fn=weather)
    llm = openai("tools-until-done")
    result = llm.predict_and_call([tool], user_msg="Go")
    expect("done" in str(result), (type(llm), result))


def check_tool_results_go_back():
    def weather(city: str) -> str:
        """Weather of a city."""
        return "sunny, done"

    tool = FunctionTool.from_defaults(fn=weather)
    llm = openai("tools-until-done")
    history = said("Go")
    answer = llm.chat_with_tools([tool], chat_history=history)
    calls = llm.get_tool_calls_from_response(answer)
    history.append(answer.message)
    for call in calls:
        history.append(ChatMessage(role="tool", content="done", additional_kwargs={"tool_call_id": call.tool_id}))
    last = llm.chat_with_tools([tool], chat_history=history)
    expect("done" in (last.message.content or ""), (type(llm), last))


def check_errors_have_their_true_status():
    llm = openai("fail-429")
    try:
        llm.chat(said("x"))
    except Exception as error:
        expect(getattr(error, "status_code", None) == 429, repr(error))
    else:
        expect(False, "was not refused")


run_all(sys.modules[__name__])
