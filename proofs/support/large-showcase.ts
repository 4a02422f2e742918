import type { Gateway, TestKey } from "./gateway.ts";
import { startSimulatedGateway } from "./simulated-gateway.ts";

/**
 * A gateway with long names, large numbers and many rows, for tests of what a page does with them: names as long as the API
 * takes them or as vendors give them, amounts of nine digits, more keys than a page shows.
 */
export interface LargeShowcase extends AsyncDisposable {
  readonly gateway: Gateway;
  /** The account with the long name, by id. */
  readonly account: string;
  readonly key: TestKey;
  /** A request that was answered, and one that failed, by id. */
  readonly request: string;
  readonly failed: string;
  /** What an invitation's link has behind its `#`. */
  readonly invitation: string;
}

const LONG = "research-and-development/quarterly-evaluation-of-language-models-for-customer-support";
export const LONG_MODEL = `acme/${"claude-opus-reasoning-preview".padEnd(60, "-2026-10-31")}`;
/** A tag whose name and value are as long as they may be. */
export const LONG_TAG = {
  name: "cost-centre.of.research-and-development".padEnd(40, "s"),
  value: LONG.padEnd(100, "-emea"),
};
const DEAR = { input: 123_456.789012, output: 987_654.321098, cache_read: 12_345.678901, cache_write: 154_320.98765 };
const ACCOUNTS = 30;
const KEYS = 55;
const CALLS = 25;
/** Names that lead to no model. */
const REFUSED = ["a-model-that-nobody-has-offered-in-this-company-so-far", "acme/retired-long-ago"];

export async function startLargeShowcase(): Promise<LargeShowcase> {
  const models = {
    [LONG_MODEL]: { upstream_model: "echo", price: DEAR, context_length: 10_000_000, display_name: LONG },
    "acme/swift-1": { upstream_model: "echo" },
    "away/unreachable": { upstream_model: "echo" },
    "acme/draw": { kind: "image", price: { input: 5, output: 10, input_image: 10, output_image: 40 } },
    "acme/speak": { kind: "speech", price: { input_characters: 15 } },
    "acme/embed": { kind: "embedding", price: { input: 2 } },
  };
  const sections = { alerts: { private_addresses: true } };
  const first = await startSimulatedGateway({ models, sections });
  const { gateway } = first;
  const email = `${"finance.and.operations".repeat(2)}@subsidiary.of.a.very.large.company.example.com`;
  const made = await gateway.admin<{ id: string }>("POST", "/accounts", {
    email,
    name: LONG,
    credit: "987654321.123456",
  });
  const key = await makeKey(gateway, made.id);
  await limitTags(gateway, made.id);
  for (const scope of [{ account: made.id }, {}]) await addTarget(gateway, scope);
  for (let each = 0; each < KEYS; each++)
    await gateway.admin("POST", "/keys", { account: made.id, name: `${LONG} ${each}` });
  for (let each = 0; each < ACCOUNTS; each++) {
    const credit = `${each}98765.123456`;
    await gateway.admin("POST", "/accounts", { email: `${each}.${email}`, name: `${LONG} ${each}`, credit });
  }
  let invitation = "";
  for (let each = 0; each < 5; each++) {
    const { link } = await gateway.admin<{ link: string }>("POST", "/invitations", {
      email: `invited.${each}.${email}`,
    });
    invitation = new URL(link).hash.slice(1);
  }
  let request = "";
  let failed = "";
  for (let each = 0; each < CALLS; each++) {
    const model = ["fast-model-of-the-research-department", LONG_MODEL, "away/unreachable"][each % 3] ?? "";
    const tags = `${LONG_TAG.name}=${LONG_TAG.value},run=${LONG_TAG.value.slice(0, 90)}${each}`;
    const { id, ok } = await call(gateway, key.key, model, tags);
    if (ok) request = id;
    else failed = id;
  }
  for (const model of REFUSED) await call(gateway, key.key, model, "run=refused");
  return {
    gateway,
    account: made.id,
    key,
    request,
    failed,
    invitation,
    [Symbol.asyncDispose]: () => first[Symbol.asyncDispose](),
  };
}

async function makeKey(gateway: Gateway, account: string): Promise<TestKey> {
  const aliases = ["fast-model-of-the-research-department", "deep-model-of-the-research-department"].map((name) => ({
    name,
    model: LONG_MODEL,
  }));
  const made = await gateway.admin<{ id: string; key: string }>("POST", "/keys", {
    account,
    name: LONG,
    aliases,
    rpm: 1_000_000_000,
    budget: { amount: "123456789.123456", window: "month" },
  });
  return { id: made.id, key: made.key, account };
}

/** A rule by tag that every call of the account meets, and which refuses none. */
async function limitTags(gateway: Gateway, account: string): Promise<void> {
  const budget = { amount: "123456789.123456", window: "month" };
  await gateway.admin("PATCH", `/accounts/${account}`, { tag_limits: [{ tag: "run", rpm: 1_000_000, budget }] });
}

/** A target of alerts at which nobody listens, and a test that it has not got. */
async function addTarget(gateway: Gateway, scope: object): Promise<void> {
  const to = `webhook:http://127.0.0.1:1/${LONG}`;
  const { id } = await gateway.admin<{ id: string }>("POST", "/alerts/targets", { ...scope, to });
  await gateway.admin("POST", `/alerts/targets/${id}/test`, {});
}

async function call(
  gateway: Gateway,
  key: string,
  model: string,
  tags: string,
): Promise<{ readonly id: string; readonly ok: boolean }> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "x-camino-tags": tags },
    body: JSON.stringify({ model, max_tokens: 50, messages: [{ role: "user", content: "pilgrim ".repeat(2000) }] }),
  });
  await response.text();
  return { id: response.headers.get("x-request-id") ?? "", ok: response.ok };
}
