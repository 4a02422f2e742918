import { type Simulator, startSimulator } from "../../simulator/server.ts";
import { type Gateway, startGateway, type TestKey } from "./gateway.ts";

/**
 * A gateway as administrators meet it: bundled models and prices beside some of the file's own, vendors that are enabled by
 * the environment, by the file and not at all, and a simulator that answers in their place over HTTP.
 */
export interface AdminScene extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly simulator: Simulator;
}

/** The key that the vendors accept. */
export const VENDOR_KEY = "sk-vendor-secret-0123456789";
/** A key that the vendors refuse. */
export const WRONG_KEY = "sk-vendor-wrong-9876543210";

const NEXT_YEAR = new Date().getUTCFullYear() + 1;

export async function startAdminScene(): Promise<AdminScene> {
  const simulator = await startSimulator({ api_key: VENDOR_KEY });
  const { base_url } = simulator;
  const config = {
    vendors: {
      openai: { protocol: ["responses", "chat-completions"], base_url },
      anthropic: { protocol: "messages", base_url, api_key: VENDOR_KEY },
      acme: { name: "Acme AI", protocol: ["chat-completions", "decisions"], base_url, api_key: WRONG_KEY },
    },
    models: {
      "acme/swift-1": {
        display_name: "Swift 1",
        price: [
          {
            input: 3,
            output: 15,
            cache_read: 0.3,
            cache_write: 3.75,
            tiers: [{ above_input_tokens: 200_000, input: 6, output: 22.5 }],
          },
          { from: `${NEXT_YEAR}-01-01`, input: 2.5, output: 12.5, cache_read: 0.25, cache_write: 3.125 },
        ],
        routes: [
          { vendor: "openai", upstream_model: "echo", weight: 3 },
          { vendor: "anthropic", upstream_model: "echo", weight: 1 },
        ],
        fallbacks: ["acme/swift-mini"],
      },
      "acme/swift-mini": { display_name: "Swift Mini", upstream_model: "echo", price: { input: 0.25, output: 1.255 } },
      "acme/thinker": {
        price: { input: 8, output: 32 },
        routes: [{ vendor: "anthropic", upstream_model: "reason" }],
      },
      "acme/quick": {
        price: { input: 0.1, output: 0.4 },
        routes: [{ vendor: "anthropic", upstream_model: "echo" }],
      },
      "acme/standing": {
        price: { input: 9, output: 40 },
        capabilities: { thinking: false },
        routes: [{ vendor: "anthropic", upstream_model: "long@tokens=50&fault=stall-mid&after=5" }],
      },
      "acme/shaky": {
        price: { input: 9, output: 40 },
        routes: [{ vendor: "anthropic", upstream_model: "fail-500" }],
        fallbacks: ["acme/thinker"],
      },
      "openai/gpt-5.4-mini": { price: { input: 1, output: 5, cache_read: 0.1 } },
      "anthropic/claude-haiku-4-5": { price: { input: 0.9, output: 5, cache_read: 0.1, cache_write: 1.25 } },
      "acme/decider": { kind: "decision", price: { input: 0.5 } },
    },
  };
  // JSON is YAML.
  const gateway = await startGateway({
    config: JSON.stringify(config, null, 2),
    env: { OPENAI_API_KEY: VENDOR_KEY },
  });
  return {
    gateway,
    simulator,
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await simulator.stop();
    },
  };
}

/** Calls a model once. Returns the status, also of a failure. */
export async function ask(gateway: Gateway, { key }: Pick<TestKey, "key">, model: string, words = 20): Promise<number> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, max_tokens: 400, messages: [{ role: "user", content: "word ".repeat(words) }] }),
  });
  await response.text();
  return response.status;
}

/** Gives a gateway the data of real use: accounts rich and poor, keys with limits, calls that succeed and fail. */
export async function populate(gateway: Gateway): Promise<{ readonly studio: string; readonly key: TestKey }> {
  const accounts = new Map<string, string>();
  for (const [name, email, credit] of ACCOUNTS) {
    const made = await gateway.admin<{ id: string }>("POST", "/accounts", { email, name, credit });
    accounts.set(email, made.id);
  }
  const keys: TestKey[] = [];
  for (const { email, ...fields } of KEYS) {
    const account = accounts.get(email) ?? "";
    const made = await gateway.admin<{ id: string; key: string }>("POST", "/keys", { account, ...fields });
    keys.push({ ...made, account });
  }
  const calls = Array.from({ length: 40 }, (_, call) => ({
    key: keys[call % keys.length] as TestKey,
    model: CALLED[call % CALLED.length] ?? "",
    words: 200 + ((call * 7919) % 61) * 150,
  }));
  await Promise.all(calls.map(({ key, model, words }) => ask(gateway, key, model, words)));
  const [key] = keys as [TestKey];
  for (let call = 0; call < 8; call += 1) await ask(gateway, key, "acme/shaky");
  for (const invited of INVITED) await gateway.admin("POST", "/invitations", invited);
  await gateway.admin("POST", `/accounts/${accounts.get("research@example.com")}/credits`, {
    amount: "-2.5",
    kind: "correction",
    note: "Refund of a failed job",
  });
  await gateway.admin("POST", `/accounts/${accounts.get("old@example.com")}/disable`);
  await gateway.admin("PATCH", `/keys/${keys[1]?.id}`, { name: "Notebooks EU", rpm: 60 });
  await gateway.admin("PUT", "/vendors/mistral/credential", { api_key: "sk-mistral-of-the-console-4321" });
  return { studio: accounts.get("studio@example.com") ?? "", key };
}

const ACCOUNTS = [
  ["Old customer", "old@example.com", "1.5"],
  ["Research", "research@example.com", "40"],
  ["", "intern@example.com", "5"],
  ["Payments team", "payments@example.com", "1200"],
  ["Example Studio", "studio@example.com", "250"],
] as const;

const KEYS: readonly { readonly email: string; readonly name: string; readonly [field: string]: unknown }[] = [
  {
    email: "studio@example.com",
    name: "Production",
    rpm: 1200,
    budget: { amount: "100", window: "month" },
    aliases: [{ name: "fast", model: "acme/swift-1" }],
  },
  {
    email: "studio@example.com",
    name: "Notebooks",
    models: ["anthropic/*", "openai/gpt-5.4-mini", "acme/*"],
  },
  { email: "research@example.com", name: "Experiments", tpm: 200_000, concurrent: 4, expires_at: `${NEXT_YEAR}-03-01` },
  { email: "payments@example.com", name: "Checkout" },
];

const CALLED = ["acme/swift-1", "acme/thinker", "acme/quick", "acme/swift-1", "acme/shaky"];

const INVITED = [
  { email: "ada@example.com", role: "member", account: "studio@example.com" },
  { email: "grace@example.com", role: "administrator" },
];
