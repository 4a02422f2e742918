import { expect } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Simulator } from "../../../simulator/server.ts";
import type { Caller } from "../../support/calls.ts";
import type { Gateway } from "../../support/gateway.ts";
import { type ObjectStorage, startObjectStorage } from "../../support/object-storage.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../../support/webhook-receiver.ts";

/** What suites of usage events share: three targets of each kind, and the proof that what they were told is the ledger. */

export const VENDOR_KEY = "sk-vendor-0123456789";

export interface Event {
  readonly account: string;
  readonly cursor: number;
  readonly request_id: string;
  readonly charge_micro: number;
}

/** The three targets, and what each was told. */
export class Scene implements AsyncDisposable {
  readonly hook: WebhookReceiver;
  readonly storage: ObjectStorage = startObjectStorage();
  readonly folder = join(mkdtempSync(join(tmpdir(), "camino-usage-")), "usage");

  readonly #simulator: Simulator;

  constructor(hook: WebhookReceiver, simulator: Simulator) {
    this.hook = hook;
    this.#simulator = simulator;
  }

  get config(): string {
    const model = { price: { input: "1.00", output: "4.00" }, max_completion_tokens: 4096 };
    return JSON.stringify({
      catalog: "none",
      vendors: { acme: { protocol: "chat-completions", base_url: this.#simulator.base_url, api_key: VENDOR_KEY } },
      models: {
        "acme/echo": { ...model, capabilities: { thinking: false } },
        "acme/slow": { ...model, upstream_model: "long@tokens=200&ms=20", capabilities: { thinking: false } },
      },
      usage_events: { to: [`webhook:${this.hook.url}`, this.storage.target, `file:${this.folder}`] },
    });
  }

  readonly told = {
    webhook: (): Event[] => this.hook.taken.map(({ event }) => event.data as unknown as Event),
    s3: (): Event[] =>
      [...this.storage.objects].flatMap(([path, text]) => (path.includes("dlv_") ? linesOf(text) : [])),
    file: (): Event[] => filesOf(this.folder).flatMap(linesOf),
  } as const;

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.hook[Symbol.asyncDispose](), this.storage[Symbol.asyncDispose]()]);
    rmSync(join(this.folder, ".."), { recursive: true });
  }
}

/** `simulator` is the vendor. */
export async function startScene(simulator: Simulator): Promise<Scene> {
  return new Scene(await startWebhookReceiver(), simulator);
}

function linesOf(text: string): Event[] {
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Event]));
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  } catch {
    return [];
  }
}

/** The events of an account, each once, in the order in which each first came. */
export function once(told: readonly Event[], account: string): Event[] {
  const seen = new Set<number>();
  return told.filter((event) => event.account === account && !seen.has(event.cursor) && seen.add(event.cursor));
}

export async function say(caller: Caller, content = "Hello", model = "acme/echo"): Promise<string> {
  const body = { model, messages: [{ role: "user", content }] };
  const { headers } = await caller.post("/v1/chat/completions", body);
  return headers.get("x-camino-request-id") ?? "";
}

/** What the ledger has charged of an account's credit, once nothing is held. */
async function chargedOf(gateway: Gateway, account: string): Promise<number> {
  for (;;) {
    const { balance_micro, uncollected_micro } = await gateway.admin<
      Record<"balance_micro" | "uncollected_micro", number>
    >("GET", `/accounts/${account}`);
    if (Number(uncollected_micro) === 0) return 10_000_000 - Number(balance_micro);
    await Bun.sleep(100);
  }
}

const sumOf = (events: readonly Event[]): number => events.reduce((sum, { charge_micro }) => sum + charge_micro, 0);

/** Waits until a target has all of an account, and proves that it is the ledger, in its order. */
export async function provesWhole(gateway: Gateway, account: string, told: () => Event[]): Promise<Event[]> {
  const charged = await chargedOf(gateway, account);
  while (sumOf(once(told(), account)) < charged) await Bun.sleep(100);
  const events = once(told(), account);
  expect(sumOf(events)).toBe(charged);
  expect(events.map(({ cursor }) => cursor)).toEqual(events.map((_, at) => at + 1));
  expect(new Set(events.map(({ request_id }) => request_id)).size).toBe(events.length);
  return events;
}
