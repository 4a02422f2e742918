import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Entry } from "../../../../contract/credits.ts";
import type { ReceiptList } from "../../../../contract/requests.ts";
import { type Simulator, startSimulator } from "../../../../simulator/server.ts";
import { newId } from "../../../../src/core/ids.ts";
import type { AuditReport } from "../../../../src/core/ledger/books-audit.ts";
import { openStore } from "../../../../src/store/open-store.ts";
import { type Gateway, type NewKeyOptions, startGateway, type TestKey } from "../../../support/gateway.ts";
import { plainModel } from "../../../support/plain-model.ts";
import { ClientStream } from "./client-stream.ts";
import type { Ask, Style } from "./styles.ts";

/** A gateway with one vendor: a simulator in the test's own process, whose log has the vendor's requests. */
export interface Scene extends AsyncDisposable {
  readonly simulator: Simulator;
  gateway: Gateway;
  /** Calls an endpoint. */
  call(style: Style, key: TestKey, model: string, options?: CallOptions): Promise<Response>;
  /** Calls an endpoint with `stream: true` and returns the stream once the head has come. */
  stream(style: Style, key: TestKey, model: string, options?: CallOptions): Promise<ClientStream>;
  newKey(options?: NewKeyOptions): Promise<TestKey>;
  wallet(key: TestKey): Promise<Wallet>;
  /** The receipt once the request has ended, by the gateway's id or the client's. */
  ended(request_id: string): Promise<Receipt>;
  /** All entries of the account's ledger, newest first. */
  entries(key: TestKey): Promise<Entry[]>;
  /** All receipts of the account, newest first. */
  receipts(key: TestKey): Promise<Receipt[]>;
  /** Recomputes the gateway's books. The gateway must be stopped, because its database has one owner. */
  audit(): Promise<AuditReport>;
}

export interface CallOptions extends Ask {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export type Receipt = ReceiptList["data"][number];

export interface Wallet {
  readonly balance_micro: number;
  readonly uncollected_micro: number;
}

export interface SceneOptions {
  /** Model id → its entry in the file. Defaults: PRICE, and every protocol of the vendor. */
  readonly models: Readonly<Record<string, ModelOptions>>;
  /** Vendor id → its entry in the file, without protocol and address. Vendor `acme` always exists. */
  readonly vendors?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly limits?: Readonly<Record<string, unknown>>;
  readonly responses?: Readonly<Record<string, unknown>>;
  readonly env?: Record<string, string>;
  readonly database?: string;
  /** A program in place of the command, such as a gateway with impatient timers. */
  readonly program?: string;
}

export type ModelOptions = Readonly<Record<string, unknown>>;

/** One micro unit per input token and four per output token. */
export const PRICE = { input: "1.00", output: "4.00", cache_read: "0.10", cache_write: "1.25" } as const;
const PROTOCOLS = ["chat-completions", "responses", "messages", "gemini"];
/** Limits that no test meets, unless it sets its own. */
const LIMITS = { default_key: { rpm: 1_000_000, concurrent: 10_000 } };

export async function startScene(options: SceneOptions): Promise<Scene> {
  const simulator = await startSimulator();
  const gateway = await startGateway({
    config: configurationFor(simulator.base_url, options),
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.database === undefined ? {} : { database: options.database }),
    ...(options.program === undefined ? {} : { program: options.program }),
  });
  return sceneOf(simulator, gateway, options.database);
}

/** JSON is YAML: a configuration file needs no writer of its own. */
export function configurationFor(base_url: string, options: SceneOptions): string {
  const { models, vendors = {}, limits = {}, responses } = options;
  const vendor = { protocol: PROTOCOLS, base_url, api_key: "sk-acme-0123456789" };
  const all = { acme: {}, ...vendors };
  return JSON.stringify({
    catalog: "none",
    vendors: Object.fromEntries(Object.entries(all).map(([id, said]) => [id, { ...vendor, ...said }])),
    models: Object.fromEntries(Object.entries(models).map(([id, said]) => [id, plainModel({ price: PRICE, ...said })])),
    limits: { ...LIMITS, ...limits },
    ...(responses === undefined ? {} : { responses }),
  });
}

function sceneOf(simulator: Simulator, gateway: Gateway, database: string | undefined): Scene {
  const scene: Scene = {
    simulator,
    gateway,
    call: (style, key, model, options = {}) => post(scene.gateway, key, style, { model, ...options }),
    stream: async (style, key, model, options = {}) => {
      const leaving = new AbortController();
      const asked = { model, ...options, stream: true, signal: leaving.signal };
      return new ClientStream(style, await post(scene.gateway, key, style, asked), leaving);
    },
    newKey: (fields) => scene.gateway.newKey(fields),
    wallet: ({ account }) => scene.gateway.admin<Wallet>("GET", `/accounts/${account}`),
    ended: (request_id) =>
      eventually(`the end of ${request_id}`, async () => {
        const receipt = await scene.gateway.admin<Receipt>("GET", `/requests/${request_id}`);
        return receipt.status === "held" ? null : receipt;
      }),
    entries: ({ account }) => pages<Entry>(scene.gateway, `/accounts/${account}/credits?`),
    receipts: ({ account }) => pages<Receipt>(scene.gateway, `/requests?account=${account}&`),
    audit: () => auditOf(database ?? `sqlite:${join(scene.gateway.data, "camino.db")}`),
    [Symbol.asyncDispose]: async () => {
      await scene.gateway[Symbol.asyncDispose]();
      await simulator.stop();
      // A restarted gateway does not remove the data, so the scene does.
      await rm(scene.gateway.data, { recursive: true, force: true });
    },
  };
  return scene;
}

function post(
  { url }: Gateway,
  { key }: TestKey,
  style: Style,
  { model, headers = {}, signal, ...ask }: CallOptions & { readonly model: string },
): Promise<Response> {
  return fetch(url + style.path(model, ask), {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      ...headers,
    },
    body: JSON.stringify(style.body(model, ask)),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Recomputes the books of a database. An embedded database must have no other owner. */
export async function auditOf(url: string): Promise<AuditReport> {
  const store = await openStore({ url, node_id: newId("node") });
  const report = await store.audit();
  await store.close();
  return report;
}

/** All items of a list that comes in pages. */
export async function pages<Item>(gateway: Gateway, path: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let before = ""; ; ) {
    const page = await gateway.admin<{ data: Item[]; next_before: string | null }>("GET", `${path}limit=500${before}`);
    items.push(...page.data);
    if (page.next_before === null) return items;
    before = `&before=${page.next_before}`;
  }
}

const PATIENCE_MS = 15_000;

/** Calls `ask` until it has an answer, for events that a program does not announce. Rejects when it takes too long. */
export async function eventually<Found>(
  what: string,
  probe: () => Promise<Found | null>,
  patience_ms = PATIENCE_MS,
  pause_ms = 5,
): Promise<Found> {
  const end_ms = performance.now() + patience_ms;
  for (;;) {
    const found = await probe().catch((thrown: unknown) => {
      if (performance.now() > end_ms) throw thrown;
      return null;
    });
    if (found !== null) return found;
    if (performance.now() > end_ms) throw new Error(`${what} did not come within ${patience_ms / 1000} s`);
    await Bun.sleep(pause_ms);
  }
}
