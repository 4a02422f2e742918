"""JevBench's own checks, and its smallest suite, with decision models of vendors and of the gateway's own engine."""

import os
import sys

import jevbench
from checks import KEY, URL, expect, run_all

os.environ["JEVBENCH_API_KEY"] = KEY
MODELS = ("systemone/decider", "decisions/decider", "engine/decider")


def of(model):
    return jevbench.systemone(f"{URL}/v1/systemone", model)


def check_every_type_of_question_is_answered_in_its_format():
    for model in MODELS:
        found = jevbench.check(of(model))
        expect(len(found["questions"]) == 3, (model, found))


def check_the_suite_of_examples_has_no_errors():
    for model in MODELS:
        report = jevbench.evaluate(of(model), suite="examples", cache=None)
        expect(not report.errors and not report.result.get("backend_down"), (model, report.errors[:3]))


run_all(sys.modules[__name__])
