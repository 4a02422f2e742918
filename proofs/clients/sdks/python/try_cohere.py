"""Cohere's client: ranking by /v2 and /v1."""

import sys

import cohere
from checks import KEY, URL, expect, run_all

ASKED = {
    "model": "ranking/rank",
    "query": "When do trains leave?",
    "documents": ["Cats sleep.", "Trains leave hourly.", "Trains are long."],
}


def check_ranks_by_v2():
    answer = cohere.ClientV2(api_key=KEY, base_url=URL).rerank(**ASKED)
    expect(answer.results[0].index == 1, answer)
    expect(answer.meta.billed_units.search_units == 1, answer.meta)


def check_ranks_by_v1_with_the_documents():
    answer = cohere.Client(api_key=KEY, base_url=URL).rerank(**ASKED, top_n=2, return_documents=True)
    expect(len(answer.results) == 2 and answer.results[0].document.text == "Trains leave hourly.", answer)


def check_errors_have_their_true_status():
    try:
        cohere.ClientV2(api_key=KEY, base_url=URL).rerank(**{**ASKED, "model": "ranking/none"})
    except cohere.core.ApiError as error:
        expect(error.status_code == 404, repr(error))
    else:
        expect(False, "was not refused")


run_all(sys.modules[__name__])
