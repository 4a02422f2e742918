import { expect, test } from "bun:test";
import { ZERO } from "../../core/money/money.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { PRICE } from "../../store/suite/books.ts";
import type { CachedAnswer } from "./cached-answer.ts";
import { RecentAnswers } from "./recent-answers.ts";

/** Answers that are given again without a look at the database. */

function answer(bytes = 10): CachedAnswer {
  const facts = { model: "acme/swift", price: PRICE, usage: NO_USAGE, estimated: false, charge_micro: ZERO };
  return {
    ...{ ...facts, form: "whole", content_type: "application/json", headers: {} },
    ...{ body: new Uint8Array(bytes), mark: "" },
  };
}

test("an answer is found for two seconds, never beyond its own time or the age that is accepted", () => {
  const recent = new RecentAnswers();
  const [long, short] = [answer(), answer()];
  recent.keep("long", long, { since_ms: 0, left_ms: 60_000 }, 10_000);
  recent.keep("short", short, { since_ms: 9_000, left_ms: 500 }, 10_000);
  expect(recent.find("long", 60_000, 11_999)).toBe(long);
  expect(recent.find("long", 11_000, 11_999)).toBeNull();
  expect(recent.find("long", 60_000, 12_000)).toBeNull();
  expect(recent.find("short", 60_000, 10_499)).toBe(short);
  expect(recent.find("short", 60_000, 10_500)).toBeNull();
});

test("an older answer, that was read while a newer came, takes nobody's place", () => {
  const recent = new RecentAnswers();
  const newer = answer();
  recent.keep("one", newer, { since_ms: 100, left_ms: 60_000 }, 200);
  recent.keep("one", answer(), { since_ms: 50, left_ms: 60_000 }, 201);
  expect(recent.find("one", 60_000, 300)).toBe(newer);
});

test("16 MiB are kept, the oldest go first, and none of more than 1 MiB is kept", () => {
  const recent = new RecentAnswers();
  for (let at = 0; at < 20; at += 1) recent.keep(`a${at}`, answer(2 ** 20), { since_ms: at, left_ms: 60_000 }, at);
  const found = Array.from({ length: 20 }, (_, at) => recent.find(`a${at}`, 60_000, 20) !== null);
  expect(found).toEqual(Array.from({ length: 20 }, (_, at) => at >= 4));
  recent.keep("large", answer(2 ** 20 + 1), { since_ms: 0, left_ms: 60_000 }, 21);
  expect(recent.find("large", 60_000, 21)).toBeNull();
});
