"""TypeSafe's SDK with decision models of vendors and of the gateway's own engine."""

import base64
import sys

from checks import KEY, PIXEL, URL, expect, run_all
from typesafe_sdk import Choice, Image, Noul, RetryPolicy, Score, TypeSafeClient
from typesafe_sdk import TypeSafeAuthenticationError, TypeSafeNotFoundError, TypeSafeRateLimitError

MODELS = ("systemone/decider", "decisions/decider", "engine/decider")
STATE = "I was charged twice for the invoice. Please refund the payment."
QUESTIONS = {
    "refund": Noul(instructions="Does the customer ask to refund the payment?"),
    "team": Choice(instructions="Which team?", criteria={"billing": "invoice and payment", "technical": "errors", "other": None}),
    "urgency": Score(instructions="How urgent is it?", criteria=["can wait", "today", "now"]),
}


def client(**settings):
    # With its defaults the SDK sends bodies of 1 KiB and more in zstd, as its extra is installed.
    return TypeSafeClient(base_url=URL, **{"api_key": KEY, **settings})


def check_answers_all_questions_with_usage():
    for model in MODELS:
        answer = client().system_one(STATE, QUESTIONS, model=model)
        expect(0 <= answer.nouls["refund"].noul <= 1, (model, answer))
        expect(abs(sum(answer.choices["team"].probabilities.values()) - 1) < 0.02, (model, answer))
        expect(answer.choices["team"].choice == "billing", (model, answer))
        expect(0 <= answer.scores["urgency"].score <= 2, (model, answer))
        expect(answer.usage.input_tokens > 0, (model, answer))


def check_takes_a_structured_state():
    for model in MODELS:
        answer = client().system_one({"ticket": {"body": STATE}, "tags": ["new"]}, QUESTIONS, model=model)
        expect(answer.choices["team"].choice == "billing", (model, answer))


def check_sends_large_bodies_in_zstd():
    state = " ".join([STATE] * 200)
    for model in MODELS:
        plain = client(compression=False).system_one(state, QUESTIONS, model=model)
        packed = client().system_one(state, QUESTIONS, model=model)
        expect(packed.usage == plain.usage and packed.choices == plain.choices, (model, plain, packed))


def check_sends_images():
    image = Image(base64.b64decode(PIXEL))
    for model in MODELS:
        for state in (image, {"photo": image, "note": STATE}, [STATE, image]):
            answer = client().system_one(state, QUESTIONS, model=model)
            expect(0 <= answer.nouls["refund"].noul <= 1, (model, answer))
        plain = client().system_one([STATE], QUESTIONS, model=model)
        expect(answer.usage.input_tokens > plain.usage.input_tokens, (model, "the image costs nothing", answer.usage))


def check_sends_an_attached_image_named_in_text():
    image = Image(base64.b64decode(PIXEL))
    for model in MODELS:
        used = client()
        with used.attach_assets(image):
            answer = used.system_one(f"Product: {image}", QUESTIONS, model=model)
        expect(0 <= answer.nouls["refund"].noul <= 1, (model, answer))


def check_models_are_listed():
    listed = client().models.list().models
    names = [entry.name for entry in listed]
    expect(all(model in names for model in MODELS), names)
    expect(all(len(entry.release_date) == 10 for entry in listed), listed[:3])


def refusal(function):
    try:
        function()
    except Exception as error:
        return error
    raise AssertionError("was not refused")


def check_errors_have_their_true_status():
    once = RetryPolicy(max_retries=0)
    for model in MODELS:
        error = refusal(lambda: client(retry=once).system_one(STATE, QUESTIONS, model=f"{model}-429"))
        expect(isinstance(error, TypeSafeRateLimitError), (model, repr(error)))
    error = refusal(lambda: client(retry=once).system_one(STATE, QUESTIONS, model="no/such"))
    expect(isinstance(error, TypeSafeNotFoundError) and "no/such" in str(error), repr(error))
    error = refusal(lambda: client(retry=once, api_key="wrong").system_one(STATE, QUESTIONS, model=MODELS[0]))
    expect(isinstance(error, TypeSafeAuthenticationError), repr(error))


run_all(sys.modules[__name__])
