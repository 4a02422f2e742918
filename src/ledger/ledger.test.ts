import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { GatewayError } from "../core/errors.ts";
import type { AdmitOp, LedgerOp, LedgerResult, ProgressOp, SettleOp } from "../core/ledger/ledger.ts";
import { micro } from "../core/money/money.ts";
import type { Price } from "../core/money/price.ts";
import { NO_USAGE } from "../core/money/usage.ts";
import { StoreRefusal, StoreUnavailable } from "../core/store-errors.ts";
import { bookedResult } from "./booking.ts";
import { createLedger, type Ledger, type LedgerOptions } from "./ledger.ts";

const CLASSES = ["input", "output", "cache_read", "cache_write"].map((name) => [`${name}_micro_per_mtok`, 1]);
const PRICE: Price = { version: "v", from_ms: 0, tiers: [], ...Object.fromEntries(CLASSES) };
const OUTCOME = { attempts: [], error: null, queue_ms: 0, first_byte_ms: null, duration_ms: 0 };

function admit(request_id: string): AdmitOp {
  return {
    op: "admit",
    request_id,
    client_request_id: null,
    account_id: "acct_1",
    key_id: "key_1",
    key_version: 1,
    endpoint: "messages",
    stream: false,
    requested_model: "m",
    model: "m",
    price: PRICE,
    hold_micro: micro(1),
    bound_tokens: 1,
    rpm: null,
    tpm: null,
    concurrent: null,
    budget: null,
    node_id: "node_1",
    ttl_ms: 1,
    idempotency: null,
  };
}

function settle(request_id: string): SettleOp {
  const spent = { model: "m", price: PRICE, usage: NO_USAGE, charge_micro: micro(1) };
  return { op: "settle", request_id, ...spent, estimated: false, outcome: OUTCOME, success: true, answer: null };
}

function progress(request_id: string): ProgressOp {
  return { op: "progress", request_id, model: "m", price: PRICE, usage: NO_USAGE, charge_micro: micro(1), ttl_ms: 1 };
}

const extend = (request_id: string) => ({ op: "extend", request_id, add_micro: micro(1) }) as const;
const REFUSAL = { op: "count-refusal", account_id: "acct_1", key_id: "key_1", model: null, rpm: 5 } as const;

function resultOf(op: LedgerOp): LedgerResult {
  switch (op.op) {
    case "admit":
      return { outcome: "admitted", rate: { requests: null, tokens: null } };
    case "extend":
      return { outcome: "extended", added_micro: op.add_micro };
    case "settle":
      return { outcome: "settled", charge_micro: op.charge_micro, operator_loss_micro: micro(0) };
    case "void":
      return { outcome: "voided" };
    case "progress":
    case "count-refusal":
      return { outcome: "recorded" };
  }
}

const nameOf = (op: LedgerOp): string => ("request_id" in op ? `${op.op} ${op.request_id}` : op.op);

/** A store whose commits end when the test says so, each with success or failure. */
function heldStore(options: Partial<LedgerOptions> = {}) {
  const committed: string[][] = [];
  const open: { ops: readonly LedgerOp[]; end: (fails: boolean) => void }[] = [];
  let arrived = Promise.withResolvers<void>();
  const store = {
    commit: (ops: readonly LedgerOp[]) =>
      new Promise<LedgerResult[]>((resolve, reject) => {
        const end = (fails: boolean): void => {
          if (fails) return reject(new Error("disk on fire"));
          committed.push(ops.map(nameOf));
          resolve(ops.map(resultOf));
        };
        open.push({ ops, end });
        arrived.resolve();
        arrived = Promise.withResolvers<void>();
      }),
  };
  const next = async (fails: boolean): Promise<string[]> => {
    while (open.length === 0) await arrived.promise;
    const commit = open.shift();
    commit?.end(fails);
    return commit?.ops.map(nameOf) ?? [];
  };
  const ledger = createLedger({ store, retry_min_ms: 1, retry_max_ms: 1, ...options });
  return { ledger, committed, succeed: () => next(false), fail: () => next(true) };
}

async function admitted(ledger: Ledger, id: string): Promise<unknown> {
  return await bookedResult(ledger.admit(admit(id)));
}

async function booked(ledger: Ledger, id: string): Promise<unknown> {
  return await bookedResult(ledger.settle(settle(id)));
}

function errorOf(promise: Promise<unknown>): Promise<GatewayError> {
  return promise.then(
    (value) => Promise.reject(new Error(`expected a rejection, not ${JSON.stringify(value)}`)),
    (error: unknown) => (error instanceof GatewayError ? error : Promise.reject(error)),
  );
}

describe("group commit", () => {
  test("commits what is asked for in one turn together, in order, and what comes meanwhile in the next", async () => {
    const { ledger, succeed } = heldStore();
    const first = Promise.all([admitted(ledger, "a"), admitted(ledger, "b")]);
    ledger.progress(progress("c"));
    await Promise.resolve();
    await Promise.resolve();
    const second = [booked(ledger, "a"), ledger.void({ ...settle("b"), op: "void", operator_loss_micro: micro(0) })];
    ledger.countRefusal(REFUSAL);
    expect(ledger.pending).toBe(6);

    expect(await succeed()).toEqual(["admit a", "admit b", "progress c"]);
    expect(await first).toHaveLength(2);
    expect(await succeed()).toEqual(["settle a", "void b", "count-refusal"]);
    expect(await Promise.all(second)).toMatchObject([{ outcome: "settled" }, { outcome: "voided" }]);
    await ledger.drain();
    expect(ledger.pending).toBe(0);
  });

  test("takes no more into one transaction than it may", async () => {
    const { ledger, succeed } = heldStore({ max_batch: 2 });
    const all = Promise.all(["a", "b", "c", "d", "e"].map((id) => admitted(ledger, id)));
    expect(await succeed()).toEqual(["admit a", "admit b"]);
    expect(await succeed()).toEqual(["admit c", "admit d"]);
    expect(await succeed()).toEqual(["admit e"]);
    expect(await all).toHaveLength(5);
  });
});

describe("a full queue", () => {
  test("refuses admissions with 503 and when to come back, but never what ends a hold", async () => {
    const { ledger, succeed } = heldStore({ max_queue: 2 });
    const first = admitted(ledger, "a");
    await Promise.resolve();
    await Promise.resolve();
    const waiting = [admitted(ledger, "b"), admitted(ledger, "c")];
    const refused = await errorOf(admitted(ledger, "d"));
    expect(refused).toMatchObject({ code: "model_unavailable", retry_after_ms: 1000 });
    waiting.push(...[booked(ledger, "x"), ledger.extend(extend("y"))].map((each) => each as Promise<never>));
    ledger.progress(progress("z"));
    ledger.countRefusal(REFUSAL);
    await succeed();
    expect(await succeed()).toEqual(["admit b", "admit c", "settle x", "extend y", "progress z"]);
    await Promise.all([first, ...waiting]);
    await ledger.drain();
  });
});

describe("a failed commit", () => {
  test("refuses its admissions, and voids them in case they took place after all", async () => {
    const { ledger, succeed, fail } = heldStore();
    const refused = errorOf(admitted(ledger, "a"));
    await fail();
    expect(await refused).toMatchObject({ code: "model_unavailable", retry_after_ms: 1000 });
    expect(await succeed()).toEqual(["void a"]);
    await ledger.drain();
  });

  test("keeps settlements until they are booked, and drops progress", async () => {
    const { ledger, committed, succeed, fail } = heldStore();
    const settled = booked(ledger, "a");
    ledger.progress(progress("b"));
    await fail();
    await fail();
    await succeed();
    expect(await settled).toMatchObject({ outcome: "settled", charge_micro: 1n });
    await ledger.drain();
    expect(committed).toEqual([["settle a"]]);
  });

  test("tells a caller after a while, and books the settlement all the same", async () => {
    let now_ms = 0;
    const clock = { now_ms: () => 0, monotonic_ms: () => now_ms };
    const { ledger, succeed, fail } = heldStore({ clock, give_up_ms: 30_000 });
    const settled = errorOf(booked(ledger, "a"));
    const extended = errorOf(ledger.extend(extend("b")));
    await fail();
    now_ms = 30_000;
    await fail();
    expect(await settled).toMatchObject({ code: "db_error" });
    expect(await extended).toMatchObject({ code: "db_error" });
    expect(ledger.pending).toBe(1);
    expect(await succeed()).toEqual(["settle a"]);
    await ledger.drain();
  });

  test("voids what was withheld whole: an answer that nobody got is not charged, and its cost is the operator's loss", async () => {
    let now_ms = 0;
    const clock = { now_ms: () => 0, monotonic_ms: () => now_ms };
    const { ledger, succeed, fail } = heldStore({ clock, give_up_ms: 30_000 });
    const withheld = errorOf(bookedResult(ledger.settle({ ...settle("a"), free_if_withheld: true })));
    await fail();
    now_ms = 30_000;
    await fail();
    expect(await withheld).toMatchObject({ code: "db_error" });
    now_ms = 70_000;
    await fail();
    expect(ledger.pending).toBe(1);
    expect(await succeed()).toEqual(["void a"]);
    await ledger.drain();
  });

  test("of one operation that can never succeed holds up no other", async () => {
    const committed: string[] = [];
    let broken = true;
    const store = {
      async commit(ops: readonly LedgerOp[]) {
        if (broken && ops.some((op) => nameOf(op) === "settle bad")) throw new Error("constraint failed");
        committed.push(...ops.map(nameOf));
        return ops.map(resultOf);
      },
    };
    const ledger = createLedger({ store, retry_min_ms: 1, retry_max_ms: 1 });
    const ids = ["a", "b", "bad", "c", "d"];
    const settled = ids.map((id) => booked(ledger, id));
    await Promise.all(settled.filter((_, index) => ids[index] !== "bad"));
    expect(committed.toSorted()).toEqual(["settle a", "settle b", "settle c", "settle d"]);
    broken = false;
    await ledger.drain();
    expect(committed).toContain("settle bad");
  });
});

describe("a store that refuses an operation", () => {
  /** A store that refuses every batch in which a bad operation is, and counts what it is asked. */
  function pickyStore(isBad: (op: LedgerOp) => boolean) {
    const asked = { commits: 0, booked: [] as string[] };
    const store = {
      async commit(ops: readonly LedgerOp[]) {
        asked.commits += 1;
        if (ops.some(isBad)) throw new StoreRefusal("unsupported Unicode escape sequence");
        asked.booked.push(...ops.map(nameOf));
        return ops.map(resultOf);
      },
    };
    return { asked, ledger: createLedger({ store, retry_min_ms: 1, retry_max_ms: 1 }) };
  }
  const bad = (op: LedgerOp): boolean => nameOf(op).endsWith("bad");

  test("finds it in halves: it alone fails, at once and without a void, and the others never notice", async () => {
    const { ledger, asked } = pickyStore(bad);
    const ids = Array.from({ length: 400 }, (_, at) => (at === 123 ? "bad" : `r${at}`));
    const results = await Promise.allSettled(ids.map((id) => admitted(ledger, id)));
    expect(ids.filter((_, at) => results[at]?.status === "rejected")).toEqual(["bad"]);
    expect(results[123]).toMatchObject({ reason: { code: "internal_error" } });
    await ledger.drain();
    expect(asked.booked).toEqual(ids.filter((id) => id !== "bad").map((id) => `admit ${id}`));
    expect(asked.commits).toBeLessThanOrEqual(20);
  });

  test("keeps an end of a hold, and tries it again alone while all others go on", async () => {
    let broken = true;
    const { ledger, asked } = pickyStore((op) => broken && bad(op));
    const ended = booked(ledger, "bad");
    await Promise.all(["a", "b", "c"].map((id) => booked(ledger, id)));
    expect([...ledger.unbookedRequests()]).toEqual(["bad"]);
    await booked(ledger, "d");
    broken = false;
    expect(await ended).toMatchObject({ outcome: "settled" });
    expect(asked.booked.toSorted()).toEqual(["a", "b", "bad", "c", "d"].map((id) => `settle ${id}`));
    await ledger.drain();
  });

  test("tells the caller of such an end after a while", async () => {
    let now_ms = 0;
    const clock = { now_ms: () => 0, monotonic_ms: () => (now_ms += 1000) };
    let broken = true;
    const commit = async (ops: readonly LedgerOp[]) => {
      if (broken) throw new StoreRefusal("never");
      return ops.map(resultOf);
    };
    const ledger = createLedger({ store: { commit }, clock, retry_max_ms: 1, give_up_ms: 5000 });
    expect(await errorOf(booked(ledger, "a"))).toMatchObject({ code: "db_error" });
    broken = false;
    await ledger.drain();
  });

  test("and every other one too is not asked for each of them alone", async () => {
    const { ledger, asked } = pickyStore((op) => op.op === "admit");
    const results = await Promise.allSettled(
      Array.from({ length: 500 }, (_, at) => bookedResult(ledger.admit(admit(`r${at}`)))),
    );
    expect(results.every(({ status }) => status === "rejected")).toBe(true);
    await ledger.drain();
    expect(asked.commits).toBeLessThanOrEqual(70);
    expect(asked.booked).toEqual([]);
  });
});

test("an admission is not undone where the database says that nothing took place", async () => {
  let away = true;
  const committed: string[] = [];
  const commit = async (ops: readonly LedgerOp[]) => {
    if (away) throw new StoreUnavailable("unreachable", "refused", { nothing_happened: true });
    committed.push(...ops.map(nameOf));
    return ops.map(resultOf);
  };
  const ledger = createLedger({ store: { commit }, retry_min_ms: 1, retry_max_ms: 1 });
  expect(await errorOf(admitted(ledger, "a"))).toMatchObject({ code: "model_unavailable" });
  away = false;
  await booked(ledger, "b");
  expect(committed).toEqual(["settle b"]);
});

test("an admission of unknown fate is remembered until a void has found it", async () => {
  let fails = true;
  const results: string[] = ["unknown_request"];
  const commit = async (ops: readonly LedgerOp[]) => {
    if (fails) throw new StoreUnavailable("silent", "no answer", { nothing_happened: false });
    return ops.map(
      (op) => (op.op === "void" ? { outcome: results.shift() ?? "voided" } : resultOf(op)) as LedgerResult,
    );
  };
  const ledger = createLedger({ store: { commit }, retry_min_ms: 1, retry_max_ms: 1 });
  await errorOf(admitted(ledger, "a"));
  fails = false;
  await ledger.drain();
  expect(ledger.wasRefused("a")).toBe(true);
  await ledger.void({ ...settle("a"), op: "void", operator_loss_micro: micro(0) });
  expect(ledger.wasRefused("a")).toBe(false);
});

test("whatever fails, each settlement is booked, and nothing of a request is booked before its admission", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { maxLength: 40 }),
      fc.integer({ min: 1, max: 12 }),
      async (fails, count) => {
        const committed: string[] = [];
        const failures = fails[Symbol.iterator]();
        const store = {
          async commit(ops: readonly LedgerOp[]) {
            if (failures.next().value === true) throw new Error("disk on fire");
            committed.push(...ops.map(nameOf));
            return ops.map(resultOf);
          },
        };
        const ledger = createLedger({ store, max_batch: 3, retry_min_ms: 0, retry_max_ms: 0 });
        const run = async (id: string): Promise<boolean> => {
          const admission = await admitted(ledger, id).catch(() => null);
          if (admission !== null) await booked(ledger, id);
          return admission !== null;
        };
        const ids = Array.from({ length: count }, (_, index) => `r${index}`);
        const let_in = await Promise.all(ids.map(run));
        await ledger.drain();
        for (const [index, id] of ids.entries()) {
          const own = committed.filter((name) => name.endsWith(` ${id}`));
          // An operation that was refused before it was sent needs no void.
          expect(let_in[index] ? [[`admit ${id}`, `settle ${id}`]] : [[`void ${id}`], []]).toContainEqual(own);
        }
      },
    ),
    { numRuns: 60 },
  );
});
