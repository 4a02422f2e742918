import { describe, expect, test } from "bun:test";
import type { AccountBook, ClientCall, RoundHistory } from "../history.ts";
import { someAccount, someAnswer, someCall, someCharge, someHistory, someReceipt } from "../testing/some-history.ts";
import type { FindingKind } from "./finding.ts";
import { lossesOf } from "./losses.ts";
import { reconcile } from "./reconcile.ts";

/** Each doctored book is one error that a gateway could make; the reconciliation must name it. */

test("a sound round has no findings", () => {
  expect(reconcile(someHistory())).toEqual([]);
});

const NO_USAGE = { usage: null, charge_micro: 0 };

/** A history whose account is changed, with a balance that fits the entries unless the change names one. */
function withAccount(change: Partial<AccountBook>): RoundHistory {
  const account = someAccount(change);
  const posted = account.entries.reduce((sum, { amount_micro }) => sum + amount_micro, 0);
  const balance_micro = change.balance_micro ?? posted - account.uncollected_micro;
  return someHistory({ accounts: [{ ...account, balance_micro }] });
}

function withCall(call: ClientCall, more: Partial<RoundHistory> = {}): RoundHistory {
  const sound = someHistory(more);
  return { ...sound, calls: [...sound.calls.filter(({ id }) => id !== call.id), call] };
}

const [CREDIT] = someAccount().entries;
const CREDITED = CREDIT === undefined ? [] : [CREDIT];
const [WHOLE, LEFT, REFUSED] = someAccount().receipts;
const RECEIPTS = [WHOLE, LEFT, REFUSED].filter((receipt) => receipt !== undefined);
const others = (...ids: string[]) => RECEIPTS.filter(({ client_request_id }) => !ids.includes(client_request_id ?? ""));

const DOCTORED: readonly [string, FindingKind, RoundHistory][] = [
  [
    "a delivered answer without a receipt",
    "lost",
    withAccount({ receipts: others("whole"), entries: [...CREDITED, someCharge("left")] }),
  ],
  [
    "a delivered answer that was voided",
    "lost",
    withAccount({
      receipts: [...others("whole"), someReceipt("whole", { ...NO_USAGE, status: "voided" })],
      entries: [...CREDITED, someCharge("left")],
    }),
  ],
  [
    "a delivered answer at a usage of nothing",
    "lost",
    withAccount({
      receipts: [
        ...others("whole"),
        someReceipt("whole", {
          charge_micro: 0,
          usage: {
            input_tokens: 0,
            cache_read_tokens: 0,
            cache_write_tokens: 0,
            output_tokens: 0,
            reasoning_tokens: 0,
          },
        }),
      ],
      entries: [...CREDITED, someCharge("left")],
    }),
  ],
  [
    "a part of an answer that nobody paid, though its node lived",
    "lost",
    withAccount({
      receipts: [...others("left"), someReceipt("left", { ...NO_USAGE, status: "voided" })],
      entries: [...CREDITED, someCharge("whole")],
    }),
  ],
  [
    "two charges for one request",
    "doubled",
    withAccount({ entries: [...CREDITED, someCharge("whole", -15), someCharge("whole", -15), someCharge("left")] }),
  ],
  ["an entry that the receipt does not have", "books", withAccount({ entries: [...CREDITED, someCharge("whole")] })],
  [
    "a receipt of a call that nobody made",
    "invented",
    withAccount({
      receipts: [...RECEIPTS, someReceipt("nobody")],
      entries: [...CREDITED, someCharge("whole"), someCharge("left"), someCharge("nobody")],
    }),
  ],
  [
    "a charge for a call that no vendor was asked for",
    "invented",
    someHistory({ vendor: someHistory().vendor.filter(({ call_id }) => call_id !== "whole") }),
  ],
  [
    "a charge for a call that every vendor refused",
    "invented",
    someHistory({ vendor: someHistory().vendor.map((answer) => ({ ...answer, delivered: "none" })) }),
  ],
  [
    "a charge for a call that was refused",
    "invented",
    withAccount({
      receipts: [...others("refused"), someReceipt("refused")],
      entries: [...CREDITED, someCharge("whole"), someCharge("left"), someCharge("refused")],
    }),
  ],
  ["money that is uncollected at rest", "held", withAccount({ uncollected_micro: 100 })],
  [
    "a request that is held at rest",
    "held",
    withAccount({ receipts: [...others("refused"), someReceipt("refused", { ...NO_USAGE, status: "held" })] }),
  ],
  [
    "a charge that is not what the usage costs",
    "amount",
    withAccount({
      receipts: [...others("whole"), someReceipt("whole", { charge_micro: 31 })],
      entries: [...CREDITED, someCharge("whole", -31), someCharge("left")],
    }),
  ],
  [
    "a charge above the hold",
    "amount",
    withAccount({ receipts: [...others("whole"), someReceipt("whole", { hold_micro: 29 })] }),
  ],
  [
    "a charge without a usage",
    "amount",
    withAccount({ receipts: [...others("whole"), someReceipt("whole", { usage: null })] }),
  ],
  [
    "another usage than the vendor told",
    "amount",
    someHistory({
      vendor: [
        someAnswer("whole", { usage: { input: 10, cache_read: 0, cache_write: 0, output: 6, reasoning: 0 } }),
        ...someHistory().vendor.filter(({ call_id }) => call_id !== "whole"),
      ],
    }),
  ],
  [
    "an estimate where the vendor told the truth",
    "amount",
    withAccount({ receipts: [...others("whole"), someReceipt("whole", { estimated: true })] }),
  ],
  ["another usage than the client was told", "amount", withCall(someCall("whole", { output_tokens: 6 }))],
  ["a balance below zero", "overdrawn", withAccount({ balance_micro: -1 })],
  ["a budget that was exceeded", "overspent", withAccount({ budgets: new Map([["key_1", 59]]) })],
  ["a balance that is not the sum of the entries", "books", withAccount({ balance_micro: 941 })],
  ["a credit that was booked twice", "books", withAccount({ entries: [...CREDITED, ...someAccount().entries] })],
  ["a status that no client should get", "answer", withCall(someCall("refused", { ending: "refused", status: 500 }))],
  ["a call without an end", "answer", withCall(someCall("refused", { ending: "unanswered", status: null }))],
  [
    "a lost connection of a node that lived",
    "answer",
    withCall(someCall("refused", { ending: "cut off", status: null, text: "" })),
  ],
  ["an answer of another call", "answer", withCall(someCall("whole", { text: "somebody else's" }))],
  ["something that the gateway's audit found", "audit", someHistory({ audit: ["acc_1: the sums do not chain"] })],
];

describe("a doctored round is found out:", () => {
  test.each(DOCTORED)("%s", (_name, kind, history) => {
    expect(reconcile(history).map((finding) => finding.kind)).toContain(kind);
  });
});

describe("calls with one idempotency key", () => {
  const first = someCall("whole", { idempotency_key: "once" });
  const again = { prompt_id: "whole", idempotency_key: "once", text: first.text };
  const repeated = (more: Partial<ClientCall>, account: Partial<AccountBook> = {}): RoundHistory => {
    const sound = withAccount(account);
    const calls = sound.calls.filter(({ id }) => id !== "whole");
    return { ...sound, calls: [...calls, first, someCall("again", { ...again, ...more })] };
  };
  const twice = {
    receipts: [...RECEIPTS, someReceipt("again")],
    entries: [...someAccount().entries, someCharge("again")],
    budgets: new Map([["key_1", null]]),
  };

  test("may be answered once and replayed", () => {
    expect(reconcile(repeated({ replayed: true, request_id: "req_whole" }))).toEqual([]);
  });

  test("may not be charged twice, whatever became of the answers", () => {
    const found = reconcile(repeated({ ending: "broken", text: "" }, twice));
    expect(found.map(({ kind }) => kind)).toEqual(["doubled"]);
  });

  test("may not be answered anew twice", () => {
    expect(reconcile(repeated({}, twice)).map(({ kind }) => kind)).toEqual(["doubled", "doubled"]);
  });

  test("may not be replayed with another answer", () => {
    const found = reconcile(repeated({ replayed: true, request_id: "req_whole", text: "whole else" }));
    expect(found.map(({ kind }) => kind)).toEqual(["answer"]);
  });
});

describe("a node that died", () => {
  const deaths = [{ node: 0, from_ms: 1_050, until_ms: 2_000 }];
  const unpaid = withAccount({
    receipts: [...others("left"), someReceipt("left", { ...NO_USAGE, status: "voided" })],
    entries: [...CREDITED, someCharge("whole")],
  });

  test("may leave a part of an answer unpaid, and that is its loss", () => {
    const history = { ...unpaid, deaths, vendor: [someAnswer("whole"), someAnswer("left")] };
    expect(reconcile(history)).toEqual([]);
    expect(lossesOf(history)).toEqual({
      billed_micro: 60,
      charged_micro: 30,
      by_reason: new Map([["a process died", 30]]),
    });
  });

  test("excuses no other node", () => {
    const history = { ...unpaid, deaths: deaths.map((death) => ({ ...death, node: 1 })) };
    expect(reconcile(history).map(({ kind }) => kind)).toEqual(["lost"]);
  });

  test("excuses no whole answer", () => {
    const lost = withAccount({ receipts: others("whole"), entries: [...CREDITED, someCharge("left")] });
    expect(reconcile({ ...lost, deaths }).map(({ kind }) => kind)).toEqual(["lost"]);
  });

  test("excuses a whole answer only where it told that charges are gone", () => {
    const entries = [...CREDITED, someCharge("left")];
    const lost = { ...withAccount({ receipts: others("whole"), entries }), deaths };
    const voided = [...others("whole"), someReceipt("whole", { ...NO_USAGE, status: "voided" as const })];
    const free = { ...withAccount({ receipts: voided, entries }), deaths };
    const kinds = (told_loss: boolean) =>
      [lost, free].map((history) => reconcile({ ...history, told_loss }).map(({ kind }) => kind));
    expect(kinds(false)).toEqual([["lost"], ["lost"]]);
    expect(kinds(true)).toEqual([[], []]);
  });

  test("may cut off calls while it is away, and not before or long after", () => {
    const cut = (began_ms: number) =>
      withCall(someCall("refused", { ending: "cut off", status: null, text: "", began_ms, ended_ms: began_ms + 10 }), {
        deaths: [{ node: 0, from_ms: 10_000, until_ms: 11_000 }],
      });
    const kinds = [5_000, 10_500, 11_500].map((at_ms) => reconcile(cut(at_ms)).map(({ kind }) => kind));
    expect(kinds).toEqual([["answer"], [], ["answer"]]);
  });
});
