import { afterAll, beforeAll, expect } from "bun:test";
import { plainModel } from "../../../support/plain-model.ts";
import { type FaultyGateway, startFaultyGateway } from "./faulty-gateway.ts";
import { eventually } from "./scene.ts";

const PRICE = { input: "1.00", output: "4.00" };
const PROTOCOLS = ["chat-completions", "responses", "messages"];
/** More calls than any scenario makes: one whose count goes beyond it has a loop. */
const MOST_CALLS = 400;
/** After so long without an end of its answer a client has been forgotten, however busy the machine is. */
const UNANSWERED_MS = 60_000;
/** How long what ends a request may take. */
const ENDING_MS = 30_000;
/** A client that leaves at a certain moment leaves so long after a fault that may have come before it. */
const LEAVES_AFTER_MS = 300;

function configuration(base_url: string): object {
  const vendor = { base_url, api_key: "sk-acme-0123456789", protocol: PROTOCOLS };
  const decider = { kind: "decision", price: { input: "10" } };
  return {
    catalog: "none",
    vendors: {
      acme: vendor,
      chatty: { ...vendor, protocol: "chat-completions" },
      wordy: { ...vendor, protocol: "messages" },
      drains: { ...vendor, on_disconnect: "drain" },
      aborts: { ...vendor, on_disconnect: "abort" },
      native: { ...vendor, protocol: ["decisions", "systemone"] },
    },
    models: {
      "acme/unreported": plainModel({ price: PRICE, upstream_model: "echo@usage=none" }),
      "chatty/unreported": plainModel({ price: PRICE, upstream_model: "echo@usage=none" }),
      "wordy/echo": plainModel({ price: PRICE }),
      "acme/refusing": plainModel({ price: PRICE, upstream_model: "fail@status=400" }),
      "acme/breaks": plainModel({ price: PRICE, upstream_model: "long@tokens=8&fault=error-mid" }),
      "acme/stalls": plainModel({ price: PRICE, upstream_model: "long@tokens=8&fault=stall-mid&after=6" }),
      "aborts/stalls": plainModel({ price: PRICE, upstream_model: "long@tokens=8&fault=stall-mid&after=2" }),
      "drains/slow": plainModel({ price: PRICE, upstream_model: "long@tokens=6&ms=2" }),
      "acme/judge": plainModel({ price: PRICE, upstream_model: "judge" }),
      "acme/engine": { ...decider, decide_with: { engine: "logprobs", model: "acme/judge", debias: "none" } },
      "native/decider": { ...decider, upstream_model: "decider-no-usage" },
    },
    limits: { default_key: { rpm: 1_000_000, concurrent: 10_000 } },
  };
}

/** A request, and what its client does. */
export interface Scenario {
  readonly path: string;
  readonly body: object;
  /** When the client leaves; `never` reads the answer to its end. */
  readonly leaves: "never" | "after some bytes" | "once the vendor is asked";
}

/** What the client saw: the status, or null where the connection broke first, and the text as far as it came. */
interface Seen {
  readonly status: number | null;
  readonly text: string;
  /** Whether a client that never leaves had to: its answer was neither ended nor its connection cut. */
  readonly unanswered: boolean;
}

/** Repeats a request with an error in place of each call of the pipeline in turn, on one gateway for a test file. */
export class ThrowAtEachCall {
  /** The names of all calls that were replaced by an error. */
  readonly fired = new Set<string>();
  readonly #uncaught: unknown[] = [];
  #gateway: FaultyGateway | null = null;
  #requests = 0;

  /** Starts the gateway before the file's tests, and ends it after them. */
  constructor() {
    const note = (error: unknown): void => void this.#uncaught.push(error);
    beforeAll(async () => {
      this.#gateway = await startFaultyGateway(configuration);
      process.on("unhandledRejection", note);
      process.on("uncaughtException", note);
    });
    afterAll(async () => {
      process.off("unhandledRejection", note);
      process.off("uncaughtException", note);
      await this.#gateway?.[Symbol.asyncDispose]();
    });
  }

  get gateway(): FaultyGateway {
    if (this.#gateway === null) throw new Error("the gateway has not started");
    return this.#gateway;
  }

  /** Expects every run to end in order. Ends with the first run in which no fault was met. */
  async expectOrder(scenario: Scenario): Promise<void> {
    const { faults, open_requests } = this.gateway;
    const wrong: string[] = [];
    for (let at = 0; at < MOST_CALLS; at += 1) {
      this.#requests += 1;
      const id = `fault-${this.#requests}`;
      this.gateway.forgetCalls();
      faults.arm(at);
      const seen = await this.#ask(scenario, id);
      await open_requests.allEnded(ENDING_MS);
      const name = faults.fired;
      faults.disarm();
      const found = await this.#wrongAfter(id, seen);
      if (found !== null) wrong.push(`${name ?? "no fault"} (call ${at}): ${found}`);
      if (this.#uncaught.length > 0) wrong.push(`${name} (call ${at}): ${this.#uncaught.splice(0).join(", ")}`);
      // A request that is still open would spoil all later runs.
      if (name === null || wrong.length > 0) {
        expect(wrong).toEqual([]);
        expect(at).toBeGreaterThan(10);
        return;
      }
      this.fired.add(name);
    }
    throw new Error(`more than ${MOST_CALLS} calls: ${faults.calls.slice(-10).join(", ")}`);
  }

  async #ask({ path, body, leaves }: Scenario, id: string): Promise<Seen> {
    const { url, key, simulator } = this.gateway;
    const leaving = new AbortController();
    let status: number | null = null;
    let text = "";
    let unanswered = false;
    const headers = {
      authorization: `Bearer ${key}`,
      "anthropic-version": "2023-06-01",
      "x-request-id": id,
      "idempotency-key": id,
    };
    const leave = (): void => leaving.abort();
    if (leaves === "once the vendor is asked") simulator.log.onRequest = () => void setTimeout(leave, 2);
    // A fault may come before the moment at which the client leaves. On a busy machine a request may take a while to arrive.
    // Who never leaves waits for longer than anything here takes, and a wait in vain is found below.
    const { faults } = this.gateway;
    let arrived_ms: number | null = null;
    let fired_ms: number | null = null;
    const patience = setInterval(() => {
      if (faults.calls.length === 0) return;
      const now_ms = performance.now();
      arrived_ms ??= now_ms;
      if (faults.fired !== null) fired_ms ??= now_ms;
      unanswered = leaves === "never" && now_ms - arrived_ms > UNANSWERED_MS;
      const is_over = leaves !== "never" && fired_ms !== null && now_ms - fired_ms > LEAVES_AFTER_MS;
      if (unanswered || is_over) leave();
    }, 10);
    try {
      const response = await fetch(url + path, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
        signal: leaving.signal,
      });
      status = response.status;
      const decoder = new TextDecoder();
      for await (const piece of response.body ?? []) {
        text += decoder.decode(piece, { stream: true });
        if (leaves === "after some bytes" && text.length > 100) leave();
      }
    } catch {
      // The client or the gateway closed the connection.
    } finally {
      clearInterval(patience);
      simulator.log.onRequest = null;
    }
    return { status, text, unanswered };
  }

  /** What is wrong after a request; null where all is well. */
  async #wrongAfter(id: string, { status, text, unanswered }: Seen): Promise<string | null> {
    if (unanswered) return "the client was left without the end of its answer";
    const { open_requests, vendor_calls, store, account_id } = this.gateway;
    const left = await open_requests.allEnded(ENDING_MS);
    if (left > 0) return `${left} requests are still open`;
    const areOver = (): boolean => vendor_calls.every(({ isOver }) => isOver);
    const closed = await eventually("closed calls", async () => (areOver() ? true : null), ENDING_MS).catch(
      () => false,
    );
    if (!closed) return "a vendor's call is still open";
    if (open_requests.streams !== 0) return `${open_requests.streams} streams are counted`;
    const record = await store.accounts.findRequest(null, id);
    if (record === null) return status === 200 ? "an answer without a request" : null;
    if (record.status !== "settled" && record.status !== "voided") return `the hold is ${record.status}`;
    const is_charged = record.charge_micro > 0n;
    const entries = await store.accounts.listEntries(account_id, 10);
    const charges = entries.filter(({ request_id }) => request_id === record.id).length;
    if (charges !== (is_charged ? 1 : 0)) return `${charges} charges`;
    if (is_charged && (status === 500 || text.includes("internal_error"))) return "a 500 was charged";
    if (is_charged && record.status === "voided") return "a voided hold was charged";
    return null;
  }
}
