import { describe, expect, test } from "bun:test";
import type { FindingKind } from "../finding.ts";
import type { CaseSeen } from "../gateway/run-case.ts";
import { RESPONSE_ID } from "../requests/fuzz-case.ts";
import { type BatchBooks, judgeBooks } from "./judge-books.ts";
import { judgeCase } from "./judge-case.ts";
import { faultsIn } from "./judge-log.ts";
import { growthOf } from "./judge-memory.ts";
import { someAnswer, someBooks, someCase, someReceipt, someStep } from "./testing/some-batch.ts";

/** Each row is one mistake that a gateway could make; the fuzzer must name it. */

const ERROR = {
  error: { message: "No such model.", type: "invalid_request_error", param: "model", code: "model_not_found" },
};
const COMPLETION = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gemini/m3",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: "case-0000003-Hi", refusal: null },
      logprobs: null,
      finish_reason: "stop",
    },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
const answered = (...answer: Parameters<typeof someAnswer>): CaseSeen => someCase([someStep(someAnswer(...answer))]);

describe("a case is sound", () => {
  test.each([
    ["with an error of the tables", answered(404, ERROR)],
    ["with an answer of the documented shape", answered(200, COMPLETION)],
    [
      "with whatever a vendor of the client's own protocol said",
      someCase([someStep(someAnswer(200, { a: 1 }), { vendor: "chat" })]),
    ],
    [
      "with whatever a fallback of the client's own protocol said",
      ofSlot(7, [
        someStep(someAnswer(200, "event: a\n\n", { type: "text/event-stream" }), { vendor: "chat", route: "messages" }),
      ]),
    ],
    ["with a replay", again(someAnswer(200, COMPLETION), replay(COMPLETION))],
    ["when its client left", someCase([{ ...someStep(null), left: true }])],
  ])("%s", (_name, seen) => {
    expect(judgeCase(seen)).toEqual([]);
  });
});

/** A case whose models are those of a slot. */
function ofSlot(slot: number, steps: Parameters<typeof someCase>[0]): CaseSeen {
  const seen = someCase(steps);
  return { ...seen, plan: { ...seen.plan, slot } };
}

/** A step twice, as the same object: a request that was repeated. */
const again = (...answers: readonly ReturnType<typeof someAnswer>[]): CaseSeen => {
  const { step } = someStep(null);
  return someCase(answers.map((answer) => ({ ...someStep(answer), step })));
};
const replay = (body: unknown): ReturnType<typeof someAnswer> => {
  const answer = someAnswer(200, body);
  return { ...answer, headers: new Map([...answer.headers, ["idempotent-replayed", "true"]]) };
};

const WRONG_ANSWERS: readonly [string, FindingKind, CaseSeen][] = [
  ["bytes that are no HTTP", "answer", someCase([], { fault: "no answer begins with 'x'" })],
  ["another case's text", "leak", answered(200, { ...COMPLETION, system_fingerprint: "case-0000004-" })],
  [
    "status 500",
    "status",
    answered(500, { error: { message: "x", type: "api_error", param: null, code: "internal_error" } }),
  ],
  ["status 599", "status", answered(599, ERROR)],
  ["an error in no style", "answer", answered(404, { message: "no" })],
  ["an error without a sentence", "answer", answered(404, { error: { ...ERROR.error, message: "" } })],
  ["a code of another status", "answer", answered(400, ERROR)],
  ["style A where style B is due", "answer", someCase([someStep(someAnswer(404, ERROR), { route: "messages" })])],
  ["a body that is no JSON", "answer", answered(200, "{")],
  ["a translated answer of another shape", "answer", answered(200, { id: "x" })],
  ["an illegal stream", "answer", answered(200, "data: {}\n\n", { type: "text/event-stream" })],
  [
    "an illegal stream where no fallback speaks the client's protocol",
    "answer",
    ofSlot(8, [
      someStep(someAnswer(200, "event: a\n\n", { type: "text/event-stream" }), { vendor: "chat", route: "messages" }),
    ]),
  ],
  [
    "a stored response in another account's hands",
    "leak",
    someCase([
      someStep(someAnswer(200, {}), {
        route: "responses.retrieve",
        target: `/v1/responses/${RESPONSE_ID}`,
        key: "other",
      }),
    ]),
  ],
  ["a replay that differs", "answer", again(someAnswer(200, COMPLETION), replay({ ...COMPLETION, created: 2 }))],
  ["a repeat that is answered anew", "charge", again(someAnswer(200, COMPLETION), someAnswer(200, COMPLETION))],
  ["no answer and no end", "unanswered", someCase([{ ...someStep(null), unanswered: "silence" }])],
];

describe("a case is found out:", () => {
  test.each(WRONG_ANSWERS)("%s", (_name, kind, seen) => {
    expect(judgeCase(seen).map((found) => found.kind)).toContain(kind);
  });
});

test("sound books have no findings", () => {
  expect(judgeBooks(someBooks(someReceipt()))).toEqual([]);
});

const WRONG_BOOKS: readonly [string, FindingKind, BatchBooks][] = [
  ["a charge without a vendor that was asked", "charge", someBooks(someReceipt(), { asked: [] })],
  [
    "a charge for another model's request",
    "charge",
    someBooks(someReceipt(), { asked: [{ slot: 4, status: 200, complaint: null }] }),
  ],
  [
    "a charge for a refusal of the vendor",
    "charge",
    someBooks(someReceipt(), { asked: [{ slot: 3, status: 429, complaint: null }] }),
  ],
  ["a charge for an error", "charge", someBooks(someReceipt(), { cases: [answered(502, ERROR)] })],
  ["a charge above the hold", "charge", someBooks(someReceipt({ hold_micro: 29 }))],
  ["a charge that is not what the usage costs", "charge", someBooks(someReceipt({ charge_micro: 31 }))],
  ["a charge without a usage", "charge", someBooks(someReceipt({ usage: null }))],
  ["a hold that is left", "held", someBooks(someReceipt({ status: "held", charge_micro: 0, usage: null }))],
  [
    "money that is uncollected",
    "held",
    someBooks(someReceipt(), { account: { uncollected_micro: 5, balance_micro: 965 } }),
  ],
  ["a balance that is no sum", "books", someBooks(someReceipt(), { account: { balance_micro: 971 } })],
  [
    "a request to the vendor that is no HTTP",
    "vendor request",
    someBooks(someReceipt(), { asked: [{ slot: 3, status: 200, complaint: "no host" }] }),
  ],
];

describe("books are found out:", () => {
  test.each(WRONG_BOOKS)("%s", (_name, kind, books) => {
    expect(judgeBooks(books).map((found) => found.kind)).toContain(kind);
  });
});

test("a log's faults are told, and what it says of vendors is none", () => {
  const line = (level: string, msg: string, more: object = {}): string => JSON.stringify({ level, msg, ...more });
  const sound = [
    line("info", "started"),
    line("error", "a vendor sent a usage that cannot be believed: the request is billed by estimate"),
  ];
  expect(faultsIn(sound.join("\n"))).toEqual([]);
  const faulty = [
    line("error", "a request failed"),
    line("warn", "odd", { err: { stack: "Error: x\n    at run (file.ts:1:1)" } }),
    "panic: out of memory",
  ];
  expect(faultsIn(faulty.join("\n")).length).toBe(3);
});

test("memory that grows by half a gigabyte is told, and a heap that breathes is not", () => {
  const MIB = 1024 * 1024;
  const samples = (...sizes: number[]): number[] => sizes.map((size) => size * MIB);
  const first = [150, 200, 180, 210, 190];
  expect(growthOf(samples(...first, 900))).toBeNull();
  expect(growthOf(samples(...first, 700, 250, 800, 300, 700, 260, 900, 500))).toBeNull();
  expect(growthOf(samples(...first, 700, 710, 720, 730, 740, 750, 760, 770))).toContain("from 210 MiB to 700 MiB");
});
