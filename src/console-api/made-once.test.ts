import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testDeps } from "../../proofs/support/console-deps.ts";
import { checkApiKey } from "../access/api-key.ts";
import { deriveSubKeys } from "../access/sub-keys.ts";
import type { Configuration } from "../core/catalog/catalog.ts";
import { newId } from "../core/ids.ts";
import type { Store } from "../core/store/ports.ts";
import { openStore } from "../store/open-store.ts";
import type { Actor } from "./answer/actor.ts";
import type { ConsoleDeps } from "./answer/route.ts";
import { NO_VISIT } from "./answer/visit.ts";
import { handleConsoleApi } from "./handle-console-api.ts";

/** A call with an `Idempotency-Key` makes its record once (docs/rulings.md 65). */

const ADMIN: Actor = { kind: "admin-token" };
const configuration: Configuration = {
  currency: "USD",
  models: new Map(),
  vendors: new Map(),
  limits: { default_key: { rpm: 60, concurrent: 4 } },
} as object as Configuration;
const keys = deriveSubKeys("a root secret for tests");
let folder: string;
let store: Store;
let deps: ConsoleDeps;
let account: string;
let tests = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "camino-made-once-"));
  store = await openStore({ url: `sqlite:${join(folder, "camino.db")}`, node_id: newId("node") });
});

afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const email = (name: string) => `${name}-${tests}@example.com`;

beforeEach(async () => {
  tests += 1;
  deps = testDeps(store, keys, configuration, Date.now());
  const made = await post("/accounts", { email: email("owner") });
  account = made.body.id ?? "";
});

interface Made {
  readonly status: number;
  readonly body: {
    readonly id?: string;
    readonly key?: string;
    readonly link?: string;
    readonly name?: string;
    readonly balance_micro?: number;
    readonly data?: readonly { readonly id: string }[];
    readonly error?: { readonly code: string; readonly message: string };
  };
}

/** Calls `METHOD /path`. */
async function send(call: string, body?: object, once: string | null = null, actor: Actor = ADMIN) {
  const [method = "", path = ""] = call.split(" ");
  const visit = { ...NO_VISIT, idempotency_key: once };
  const request = { method, path: `/console/api${path}`, query: new URLSearchParams(), body, visit };
  return (await handleConsoleApi(request, deps, actor)) as Made;
}

const post = (path: string, body: object, once: string | null = null, actor: Actor = ADMIN) =>
  send(`POST ${path}`, body, once, actor);

const onceMore = async (path: string, body: object, once = `once-${tests}`) => [
  await post(path, body, once),
  await post(path, body, once),
];

async function logOf(object: string): Promise<number> {
  const query = new URLSearchParams({ object });
  const answer = await handleConsoleApi(
    { method: "GET", path: "/console/api/audit-log", query, body: undefined },
    deps,
    ADMIN,
  );
  return (answer as Made).body.data?.length ?? 0;
}

describe("a key", () => {
  test("that is made twice is one, with the same secret both times and one entry in the audit log", async () => {
    const [first, second] = await onceMore("/keys", { account, name: "CI" });
    expect(first).toMatchObject({ status: 201, body: { name: "CI" } });
    expect(second).toEqual(first as Made);
    expect(checkApiKey(keys, first?.body.key ?? "")).toBe(true);
    expect(await store.accounts.listKeys(account)).toHaveLength(1);
    expect(await logOf(first?.body.id ?? "")).toBe(1);
  });

  test("that is asked for by many at once is one", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => post("/keys", { account }, "at-once")));
    expect(new Set(answers.map(({ body }) => body.key)).size).toBe(1);
    expect(await store.accounts.listKeys(account)).toHaveLength(1);
  });

  test("without a key of the call is another each time", async () => {
    await post("/keys", { account });
    await post("/keys", { account });
    expect(await store.accounts.listKeys(account)).toHaveLength(2);
  });

  test("with another body is refused, and so is one that was deleted", async () => {
    const made = await post("/keys", { account, name: "CI" }, "used");
    expect(await post("/keys", { account, name: "Other" }, "used")).toMatchObject({ status: 409 });
    await send(`DELETE /keys/${made.body.id}`);
    expect(await post("/keys", { account, name: "CI" }, "used")).toMatchObject({ status: 409 });
  });

  test("of another caller with the same Idempotency-Key is another", async () => {
    const ann: Actor = { kind: "user", user_id: "user_ann", role: "administrator", account_id: account };
    const first = await post("/keys", { account }, "shared");
    const second = await post("/keys", { account }, "shared", ann);
    expect(second.status).toBe(201);
    expect(second.body.key).not.toBe(first.body.key);
    expect(second.body.id).not.toBe(first.body.id);
  });

  test("shows its secret to a repeat for a day", async () => {
    const made = await post("/keys", { account }, "late");
    const at = (hours: number) => ({
      ...deps,
      clock: { now_ms: () => Date.now() + hours * 3_600_000, monotonic_ms: () => 0 },
    });
    const fresh = deps;
    deps = at(23);
    expect((await post("/keys", { account }, "late")).body.key).toBe(made.body.key ?? "");
    deps = at(25);
    expect(await post("/keys", { account }, "late")).toMatchObject({
      status: 409,
      body: { error: { code: "conflict" } },
    });
    deps = fresh;
  });
});

describe("an account", () => {
  test("that is made twice is one, with its first credit once", async () => {
    const body = { email: email("twice"), credit: "25" };
    const [first, second] = await onceMore("/accounts", body);
    expect(first).toMatchObject({ status: 201, body: { balance_micro: 25_000_000 } });
    expect(second).toEqual(first as Made);
    expect((await send(`GET /accounts/${first?.body.id}/credits`)).body.data).toHaveLength(1);
  });

  test("that a killed gateway made without its credit gets the credit by a repeat", async () => {
    const { accounts } = store;
    const body = { email: email("killed"), credit: "25" };
    const audited = store.audited.bind(store);
    const broken = { ...accounts, addEntry: () => Promise.reject(new Error("killed")) };
    deps = { ...deps, audited: (note) => (note.action === "credit.add" ? broken : audited(note)) };
    await expect(post("/accounts", body, "killed")).rejects.toThrow("killed");
    deps = testDeps(store, keys, configuration, Date.now());
    expect(await post("/accounts", body, "killed")).toMatchObject({ status: 201, body: { balance_micro: 25_000_000 } });
  });

  test("with another e-mail or credit is refused", async () => {
    const body = { email: email("same"), credit: "25" };
    await post("/accounts", body, "same");
    expect(await post("/accounts", { ...body, email: email("else") }, "same")).toMatchObject({ status: 409 });
    expect(await post("/accounts", { ...body, credit: "26" }, "same")).toMatchObject({ status: 409 });
  });

  test("with a known e-mail is refused as ever", async () => {
    const refused = await post("/accounts", { email: email("owner") }, "taken");
    expect(refused.body.error?.message).toBe(`There is an account with the e-mail ${email("owner")} already.`);
  });
});

describe("a sign-in link", () => {
  test("of an invitation that is made twice is one, and stays valid", async () => {
    const [first, second] = await onceMore("/invitations", { email: email("ann") });
    expect(first?.status).toBe(201);
    expect(second).toEqual(first as Made);
    expect(await logOf(first?.body.id ?? "")).toBe(1);
  });

  test("that is asked for by many at once is one", async () => {
    const body = { email: email("many") };
    const answers = await Promise.all(Array.from({ length: 8 }, () => post("/invitations", body, "many")));
    expect(new Set(answers.map(({ body: { link } }) => link)).size).toBe(1);
  });
});

test.each([["two words"], ["ä"], [""], ["x".repeat(256)]])("%p is no Idempotency-Key", async (once) => {
  for (const path of ["/keys", "/accounts", "/invitations"]) {
    const body = path === "/keys" ? { account } : { email: email("x") };
    expect(await post(path, body, once)).toMatchObject({ status: 400, body: { error: { code: "invalid_request" } } });
  }
});
