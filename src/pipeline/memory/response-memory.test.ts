import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { ResponseCipher } from "../../access/response-cipher.ts";
import { deriveSubKeys } from "../../access/sub-keys.ts";
import type { ClientRequest } from "../../core/answer/exchange.ts";
import type { ResponseStore } from "../../core/answer/stored-responses.ts";
import { systemClock } from "../../core/clock.ts";
import type { GatewayError } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import type { Store } from "../../core/store/ports.ts";
import type { Log } from "../../observe/log.ts";
import { Metrics } from "../../observe/metrics.ts";
import { responses } from "../../protocols/responses/client.ts";
import { openStore } from "../../store/open-store.ts";
import type { KeptAnswer } from "./kept-answer.ts";
import { recallRequest } from "./recall-request.ts";
import { ResponseMemory } from "./response-memory.ts";

const MOST_BYTES = 100_000;
const SILENT = { error: () => {}, warn: () => {} } as unknown as Log;
const NO_HEADERS = { get: () => null };
const cipher = new ResponseCipher(deriveSubKeys("a root secret for tests"));

let folder: string;
let store: Store;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-memory-"));
  store = await openStore({ url: `sqlite:${join(folder, "camino.db")}`, node_id: "node_1" });
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

function open(fields: { store?: ResponseStore; write_after_ms?: number; keep_ms?: number } = {}) {
  const deps = { store: store.responses, cipher, keep_ms: 3_600_000, write_after_ms: 0, ...fields };
  return new ResponseMemory({ ...deps, clock: systemClock, log: SILENT, metrics: new Metrics() });
}

function parsed(json: readonly Uint8Array[] | null): unknown {
  return json === null ? null : JSON.parse(Buffer.concat(json).toString());
}

function requestOf(body: object): ClientRequest {
  return responses.readRequest(JSON.stringify({ model: "m", ...body }), NO_HEADERS);
}

async function recall(memory: ResponseMemory, account_id: string, body: object): Promise<ClientRequest> {
  return await recallRequest({ memory, account_id, most_bytes: MOST_BYTES, log: SILENT }, requestOf(body));
}

/** Answers a request with one message, and stores both. */
function answer(memory: ResponseMemory, account_id: string, request: ClientRequest, id = newId("resp")): string {
  const kept = request.memory;
  if (kept === undefined) throw new Error("the request has nothing to do with the memory");
  const output = [
    { type: "message", id: `msg_${id}`, role: "assistant", content: [{ type: "output_text", text: id }] },
  ];
  const body = JSON.stringify({ id, object: "response", status: "completed", output });
  const { previous_response_id, sent, used_keys } = kept;
  memory.keep({ account_id, vendor: "acme", previous_response_id, sent, used_keys, body, is_stream: false });
  return id;
}

/** The texts of items, from both sides. */
function said(items: unknown): string[] {
  return (items as { content: string | { text: string }[] }[]).map(({ content }) =>
    typeof content === "string" ? content : content.map(({ text }) => text).join(""),
  );
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return "none";
  } catch (thrown) {
    return (thrown as GatewayError).code;
  }
}

describe("a conversation", () => {
  /** The kinds of steps: begin, continue from an earlier response, refer to its answer, or delete it. */
  const steps = fc.array(
    fc.record({
      kind: fc.constantFrom("begin", "follow", "follow", "refer", "delete", "write"),
      pick: fc.nat(1000),
      account: fc.constantFrom(0, 1),
    }),
    { minLength: 1, maxLength: 25 },
  );

  interface Known {
    readonly id: string;
    readonly account: string;
    readonly parent: Known | null;
    readonly sent: readonly (string | Known)[];
    gone: boolean;
  }

  /** The input of the model; null where a part of it was deleted. */
  function allOf(known: Known): string[] | null {
    if (known.gone) return null;
    const before = known.parent === null ? [] : allOf(known.parent);
    if (before === null || known.sent.some((each) => typeof each !== "string" && each.gone)) return null;
    return [...before, ...known.sent.map((each) => (typeof each === "string" ? each : each.id)), known.id];
  }

  test("is all that was sent and answered, written or not, and is not found once a part was deleted", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const accounts = [newId("acct"), newId("acct")];
        let memory = open({ write_after_ms: 20 });
        const known: Known[] = [];
        for (const [at, { kind, pick, account: which }] of history.entries()) {
          const account = accounts[which] as string;
          const other = known[pick % Math.max(1, known.length)];
          const text = `said ${at}`;
          if (kind === "write") {
            await memory.close(5000);
            memory = open({ write_after_ms: 20 });
          } else if (kind === "delete" && other !== undefined) {
            expect(await memory.remove(account, other.id)).toBe(other.account === account && !other.gone);
            if (other.account === account) other.gone = true;
          } else {
            const parent = kind === "follow" && other !== undefined ? other : null;
            const referred = kind === "refer" && other !== undefined ? other : null;
            const reference = referred === null ? [] : [{ type: "item_reference", id: `msg_${referred.id}` }];
            const body = {
              input: [...reference, { role: "user", content: text }],
              ...(parent !== null && { previous_response_id: parent.id }),
            };
            const before = parent === null ? [] : parent.account === account ? allOf(parent) : null;
            const found =
              referred === null ? [] : referred.account === account && !referred.gone ? [referred.id] : null;
            const recalled = recall(memory, account, body);
            if (before === null || found === null) {
              const code = before === null ? "previous_response_not_found" : "item_not_found";
              expect(await codeOf(recalled)).toBe(code);
              continue;
            }
            const request = await recalled;
            expect(said(request.body.input)).toEqual([...before, ...found, text]);
            expect(JSON.parse(request.text)).toMatchObject({ input: request.body.input });
            const sent = referred === null ? [text] : [referred, text];
            const id = answer(memory, account, request);
            known.push({ id, account, parent, sent, gone: false });
            expect(parsed(await memory.find(account, id))).toMatchObject({ id, output: [{ id: `msg_${id}` }] });
          }
        }
        await memory.close(5000);
      }),
      { numRuns: 40 },
    );
  }, 60_000);

  test("that exceeds a request's size limit is refused, also when its items are referred to one by one", async () => {
    const [memory, account] = [open(), newId("acct")];
    const large = { role: "user", content: "x".repeat(60_000) };
    const first = answer(memory, account, await recall(memory, account, { input: [large] }));
    const on = { previous_response_id: first, input: [large] };
    expect(await codeOf(recall(memory, account, on))).toBe("request_too_large");
    const item = memory.keyOf(account, first);
    const reference = { type: "item_reference", id: `msg_${item}00` };
    expect(said((await recall(memory, account, { input: [reference] })).body.input)).toEqual([large.content]);
    expect(await codeOf(recall(memory, account, { input: [reference, reference] }))).toBe("request_too_large");
    const many = Array.from({ length: 5000 }, (_, at) => ({ type: "item_reference", id: `msg_${at}` }));
    expect(await codeOf(recall(memory, account, { input: many }))).toBe("invalid_responses_input");
    await memory.close(5000);
  });

  test("counts in its request's token bound as if the client had sent all of it", async () => {
    const [memory, account] = [open(), newId("acct")];
    const first = answer(memory, account, await recall(memory, account, { input: "x".repeat(5000) }));
    const request = await recall(memory, account, { previous_response_id: first, input: "y" });
    expect(request.input_bound_tokens).toBeGreaterThan(5000);
    expect(request.input_bound_tokens).toBe(requestOf(JSON.parse(request.text) as object).input_bound_tokens);
    await memory.close(5000);
  });

  test("cannot become its own predecessor when a vendor repeats an id", async () => {
    const [memory, account] = [open(), newId("acct")];
    const first = answer(memory, account, await recall(memory, account, { input: "one" }), "resp_same");
    answer(memory, account, await recall(memory, account, { input: "two", previous_response_id: first }), "resp_same");
    const request = await recall(memory, account, { input: "three", previous_response_id: first });
    expect(said(request.body.input)).toEqual(["one", "resp_same", "three"]);
    await memory.close(5000);
  });
});

describe("a database that fails", () => {
  function failing(): { store: ResponseStore; works: boolean; puts: number } {
    const broken = { works: false, puts: 0, store: store.responses };
    const put: ResponseStore["put"] = (...args) => {
      broken.puts += 1;
      return broken.works ? store.responses.put(...args) : Promise.reject(new Error("the disk is full"));
    };
    broken.store = { ...store.responses, put };
    return broken;
  }

  test("is written to once it works again, and until then everything is found", async () => {
    const broken = failing();
    const [memory, account] = [open({ store: broken.store }), newId("acct")];
    const first = answer(memory, account, await recall(memory, account, { input: "one" }));
    const second = answer(
      memory,
      account,
      await recall(memory, account, { input: "two", previous_response_id: first }),
    );
    while (broken.puts === 0) await Bun.sleep(5);
    expect(memory.waiting).toBe(2);
    expect(said((await recall(memory, account, { input: "three", previous_response_id: second })).body.input)).toEqual([
      ...["one", first, "two", second, "three"],
    ]);
    broken.works = true;
    for (let tries = 0; memory.waiting > 0 && tries < 100; tries += 1) await Bun.sleep(100);
    expect(memory.waiting).toBe(0);
    await memory.close(5000);
    const anew = open();
    expect(parsed(await anew.find(account, second))).toMatchObject({ id: second });
    await anew.close(5000);
  }, 20_000);

  test("does not prevent the gateway from ending", async () => {
    const [memory, account] = [open({ store: failing().store }), newId("acct")];
    answer(memory, account, await recall(memory, account, { input: "one" }));
    // More patience than this test's own time limit.
    await memory.close(600_000);
  });

  test("makes no more responses wait than there is room for", async () => {
    const [memory, account] = [open({ store: failing().store }), newId("acct")];
    const text = "x".repeat(20 * 2 ** 20);
    const kept: Omit<KeptAnswer, "body"> = {
      account_id: account,
      vendor: "acme",
      previous_response_id: null,
      sent: { items: [], text },
      used_keys: [],
      is_stream: false,
    };
    const ids = ["a", "b", "c", "d"].map((id) => {
      memory.keep({ ...kept, body: JSON.stringify({ id, output: [] }) });
      return id;
    });
    const found = await Promise.all(ids.map(async (id) => (await memory.find(account, id)) !== null));
    expect(found).toEqual([true, true, true, false]);
    await memory.close(0);
  });
});

test("a response that is deleted while it is being written stays deleted", async () => {
  const account = newId("acct");
  for (let delay_ms = 0; delay_ms < 6; delay_ms += 1) {
    const memory = open();
    const id = answer(memory, account, await recall(memory, account, { input: "one" }));
    await Bun.sleep(delay_ms);
    expect(await memory.remove(account, id)).toBe(true);
    await memory.close(5000);
    expect(await memory.find(account, id)).toBeNull();
  }
});

test.each([
  ["a failed response", JSON.stringify({ id: "resp_1", status: "failed", output: [] })],
  ["a response without an id", JSON.stringify({ output: [] })],
  ["a response without items", JSON.stringify({ id: "resp_1" })],
  ["invalid JSON", "{"],
])("of answers nothing is kept of %s", async (_, body) => {
  const [memory, account] = [open(), newId("acct")];
  const sent = { items: [], text: "[]" };
  const kept = { account_id: account, vendor: "acme", previous_response_id: null, sent, used_keys: [] };
  memory.keep({ ...kept, body, is_stream: false });
  expect(await memory.find(account, "resp_1")).toBeNull();
  expect(memory.waiting).toBe(0);
  await memory.close(5000);
});
