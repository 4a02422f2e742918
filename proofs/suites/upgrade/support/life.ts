import { startSimulator } from "../../../../simulator/server.ts";
import { type Gateway, startGateway } from "../../../support/gateway.ts";

/** What a database of a version holds, as that version has told it: later versions must tell the same. */
export interface Told {
  readonly version: string;
  readonly accounts: readonly { readonly id: string; readonly email: string; readonly balance_micro: number }[];
  /** Keys with their secrets. They are of no use anywhere else. */
  readonly keys: readonly {
    readonly id: string;
    readonly key: string;
    readonly account: string;
    readonly works: boolean;
  }[];
  /** Ended requests, each as the key's own view of it. */
  readonly receipts: readonly { readonly key: string; readonly receipt: Record<string, unknown> }[];
  /** Entries of each account's ledger, newest first: what kind, and how much. */
  readonly entries: Readonly<Record<string, readonly (readonly [string, number])[]>>;
}

/**
 * The configuration of a database's whole life. Receipts are kept for ten years, so that an old database has them still. The simulator's
 * address is another one each time.
 */
export const CONFIGURATION = `catalog: none
retention: { requests: 3650d }
vendors:
  acme: { protocol: [chat-completions, responses, messages], base_url: "\${SIMULATOR_URL}", api_key: sk-of-the-file }
  wordy: { protocol: messages, base_url: "\${SIMULATOR_URL}", api_key: sk-of-the-file }
models:
  acme/echo: { price: { input: 1, output: 4, cache_read: 0.1, cache_write: 1.25 }, capabilities: { thinking: false } }
  acme/no-usage: { price: { input: 2, output: 8 }, capabilities: { thinking: false } }
  wordy/echo: { price: { input: 3, output: 15 }, capabilities: { thinking: false }, fallbacks: [acme/echo] }
`;

export interface LivingGateway extends AsyncDisposable {
  readonly gateway: Gateway;
}

/** A gateway of this build, with a simulated vendor, on a folder's data. */
export async function startLiving(config: string, data: string, database?: string): Promise<LivingGateway> {
  const simulator = await startSimulator();
  try {
    const place = { data, ...(database !== undefined && { database }) };
    const gateway = await startGateway({ config, env: { SIMULATOR_URL: simulator.base_url }, ...place });
    return {
      gateway,
      [Symbol.asyncDispose]: async () => {
        await gateway[Symbol.asyncDispose]();
        await simulator.stop();
      },
    };
  } catch (thrown) {
    await simulator.stop();
    throw thrown;
  }
}

const ACCOUNTS = { "ann@example.com": "25", "bo@example.com": "0.5", "cy@example.com": "3" } as const;
const ANN = "ann@example.com";

/**
 * Lets a gateway live for a moment: accounts, keys, calls of each kind, bookings, people, a sealed credential. Returns what the gateway tells of it
 * in the end, when nothing runs any more.
 */
export async function live(gateway: Gateway, version: string): Promise<Told> {
  const { admin } = gateway;
  const ids = new Map<string, string>();
  for (const [email, credit] of Object.entries(ACCOUNTS))
    ids.set(email, (await admin<{ id: string }>("POST", "/accounts", { email, credit })).id);
  await admin("PATCH", `/accounts/${ids.get(ANN)}`, { rpm: 5000, budget: { amount: "20", window: "month" } });
  await admin("POST", `/accounts/${ids.get(ANN)}/credits`, { amount: "1.50", note: "invoice 7" });
  await admin("POST", `/accounts/${ids.get("bo@example.com")}/credits`, {
    amount: "-0.05",
    note: "typo",
    kind: "correction",
  });
  await admin("POST", "/invitations", { email: "dee@example.com", account: ANN });
  await admin("PUT", "/vendors/wordy/credential", { api_key: "sk-sealed-in-the-database" });
  const newKey = (account: string, fields: object) =>
    admin<{ id: string; key: string }>("POST", "/keys", { account, ...fields });
  const aliases = [{ name: "fast", model: "acme/echo" }];
  const limited = { aliases, rpm: 600, tpm: 1_000_000, concurrent: 8, budget: { amount: "5", window: "day" } };
  const keys = [
    { account: ANN, works: true, ...(await newKey(ANN, { name: "limited", ...limited })) },
    { account: ANN, works: false, ...(await newKey(ANN, { name: "revoked", aliases })) },
    { account: "bo@example.com", works: true, ...(await newKey("bo@example.com", { name: "plain", aliases })) },
  ];
  const requests: { key: string; id: string }[] = [];
  for (const { key } of keys) for (const id of await callAll(gateway, key)) requests.push({ key, id });
  await admin("POST", `/keys/${keys[1]?.id}/revoke`);
  const told = await tell(gateway, { requests: requests.filter(({ key }) => key !== keys[1]?.key) });
  return { version, keys: keys.map(({ id, key, account, works }) => ({ id, key, account, works })), ...told };
}

/** What a gateway tells now of the accounts of such a life, and of these requests by the keys that made them. */
export async function tell(
  gateway: Gateway,
  { requests }: { readonly requests: readonly { readonly key: string; readonly id: string }[] },
): Promise<Omit<Told, "version" | "keys">> {
  const { admin } = gateway;
  const { data: accounts } = await admin<{ data: Told["accounts"] }>("GET", "/accounts");
  const entries: Record<string, [string, number][]> = {};
  for (const { email } of accounts) {
    const page = await admin<{ data: Entry[] }>("GET", `/accounts/${encodeURIComponent(email)}/credits?limit=100`);
    entries[email] = page.data.map(({ kind, amount_micro }) => [kind, amount_micro]);
  }
  const receipts: Told["receipts"][number][] = [];
  for (const { key, id } of requests) {
    const answer = await fetch(`${gateway.url}/v1/requests/${id}`, { headers: { authorization: `Bearer ${key}` } });
    const receipt = (await answer.json()) as Record<string, unknown>;
    if (answer.status !== 200) throw new Error(`the receipt of ${id}: ${answer.status} ${JSON.stringify(receipt)}`);
    receipts.push({ key, receipt });
  }
  return {
    accounts: accounts
      .filter(({ email }) => email in ACCOUNTS)
      .map(({ id, email, balance_micro }) => ({ id, email, balance_micro }))
      .sort((a, b) => (a.email < b.email ? -1 : 1)),
    entries,
    receipts,
  };
}

interface Entry {
  readonly kind: string;
  readonly amount_micro: number;
}

/** Calls of every generation endpoint, whole and streamed, with a key. Returns the requests' ids. */
export async function callAll(gateway: Pick<Gateway, "url">, key: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${key}`, "anthropic-version": "2023-06-01" };
  const messages = [{ role: "user", content: "Hello!" }];
  const bodies: readonly (readonly [string, object])[] = [
    ["/v1/chat/completions", { model: "fast", messages }],
    ["/v1/chat/completions", { model: "acme/echo", messages, stream: true }],
    ["/v1/chat/completions", { model: "acme/no-usage", messages, stream: true }],
    ["/v1/responses", { model: "acme/echo", input: "Hello!" }],
    ["/v1/responses", { model: "wordy/echo", input: "Hello!", stream: true }],
    ["/v1/messages", { model: "wordy/echo", max_tokens: 50, messages }],
    ["/v1/messages", { model: "acme/echo", max_tokens: 50, messages, stream: true }],
  ];
  const ids: string[] = [];
  for (const [path, body] of bodies) {
    const once = { ...headers, "idempotency-key": crypto.randomUUID() };
    const answer = await fetch(gateway.url + path, { method: "POST", headers: once, body: JSON.stringify(body) });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${path} ${JSON.stringify(body)}: ${answer.status} ${text}`);
    ids.push(answer.headers.get("x-camino-request-id") ?? "");
  }
  return ids;
}
