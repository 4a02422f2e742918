"""systemone-client with decision models of vendors and of the gateway's own engine."""

import asyncio
import sys

from checks import KEY, URL, expect, run_all
from systemone import AsyncClient, Choice, Client, Noul, Score, SystemOneError

MODELS = ("systemone/decider", "decisions/decider", "engine/decider")
STATE = {"ticket": "I was charged twice for the invoice. Please refund the payment."}
QUESTIONS = {
    "refund": Noul("Does the customer ask to refund the payment?"),
    "team": Choice("Which team?", {"billing": "invoice and payment", "technical": "errors", "other": None}),
    "urgency": Score("How urgent is it?", ["can wait", "today", "now"]),
}


def holds(model, answer):
    expect(0 <= answer.nouls["refund"].noul <= 1, (model, answer))
    expect(answer.choices["team"].choice == "billing", (model, answer))
    expect(0 <= answer.scores["urgency"].score <= 2, (model, answer))
    expect(answer.usage.input_tokens > 0, (model, answer))


def check_answers_all_questions_with_usage():
    for model in MODELS:
        with Client(URL, api_key=KEY, model=model) as client:
            holds(model, client.system_one(STATE, QUESTIONS))


def check_answers_asynchronously():
    async def ask(model):
        async with AsyncClient(URL, api_key=KEY, model=model) as client:
            return await client.system_one(STATE, QUESTIONS)

    for model in MODELS:
        holds(model, asyncio.run(ask(model)))


def check_errors_have_their_true_status():
    wanted = [(KEY, f"{model}-429", 429) for model in MODELS] + [(KEY, "no/such", 404), ("wrong", MODELS[0], 401)]
    for key, model, status in wanted:
        try:
            Client(URL, api_key=key, model=model).system_one(STATE, QUESTIONS)
        except SystemOneError as error:
            expect(error.status == status, (model, error))
        else:
            expect(False, f"{model} was not refused")


run_all(sys.modules[__name__])
