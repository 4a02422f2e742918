"""google-genai: answers, streams, tools, schemas, counts, lists and errors in Gemini's style."""

import base64
import sys

from checks import KEY, PIXEL, URL, WEATHER, expect, model, run_all
from google import genai
from google.genai import errors, types

client = genai.Client(api_key=KEY, http_options={"base_url": URL})


def check_answers_with_usage():
    answer = client.models.generate_content(model=model("echo"), contents="one two")
    expect(answer.text == "Simulated answer: one two", answer)
    expect(answer.usage_metadata.candidates_token_count > 0, answer.usage_metadata)


def check_streams():
    chunks = list(client.models.generate_content_stream(model=model("echo"), contents="one two"))
    text = "".join(chunk.text or "" for chunk in chunks)
    expect(text == "Simulated answer: one two", text)
    expect(chunks[-1].candidates[0].finish_reason == types.FinishReason.STOP, chunks[-1])


def check_runs_tools_by_itself():
    cities = []

    def weather(city: str) -> str:
        """Weather of a city."""
        cities.append(city)
        return "sunny, done"

    config = types.GenerateContentConfig(tools=[weather])
    answer = client.models.generate_content(model=model("tools-until-done"), contents="Go", config=config)
    expect(cities and "done" in answer.text, (cities, answer))


def check_loops_with_thoughts_given_back():
    tool = types.Tool(function_declarations=[{"name": "weather", "description": "Weather", "parameters_json_schema": WEATHER}])
    thinks = types.ThinkingConfig(thinking_budget=1024, include_thoughts=True)
    config = types.GenerateContentConfig(tools=[tool], thinking_config=thinks)
    contents = [types.Content(role="user", parts=[types.Part(text="Go")])]
    for _ in range(4):
        answer = client.models.generate_content(model=model("reason"), contents=contents, config=config)
        contents.append(answer.candidates[0].content)
        if not answer.function_calls:
            break
        parts = [
            types.Part(function_response=types.FunctionResponse(id=call.id, name=call.name, response={"output": "done"}))
            for call in answer.function_calls
        ]
        contents.append(types.Content(role="user", parts=parts))
    expect("done" in answer.text, answer)


def check_sees_an_image():
    image = types.Part.from_bytes(data=base64.b64decode(PIXEL), mime_type="image/png")
    answer = client.models.generate_content(model=model("vision"), contents=["What?", image])
    expect("1 image: image/png" in answer.text, answer)


def check_structured_output():
    config = {"response_mime_type": "application/json", "response_json_schema": WEATHER}
    answer = client.models.generate_content(model=model("json"), contents="Where?", config=config)
    expect(isinstance(answer.parsed["city"], str), answer)


def check_counts_tokens_and_lists_models():
    counted = client.models.count_tokens(model=model("echo"), contents="one two three")
    expect(counted.total_tokens > 0, counted)
    names = [each.name for each in client.models.list()]
    expect(f"models/{model('echo')}" in names, names)


def check_errors_have_their_true_status():
    for kind, status in (("fail-400", 400), ("fail-429", 429), ("fail-503", 502)):
        try:
            client.models.generate_content(model=model(kind), contents="x")
        except errors.APIError as error:
            expect(error.code == status, repr(error))
        else:
            expect(False, f"{kind} was not refused")


run_all(sys.modules[__name__])
