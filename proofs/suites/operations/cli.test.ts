import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { amountText } from "../../../contract/amounts.ts";
import { Caller, type Json } from "../../support/calls.ts";
import { type Ran, runCamino, runHere } from "../../support/camino.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";

/** The operator's commands against a running gateway: their output, their exit status and their effect. */

let gateway: Gateway;
const EMAIL = "ann@example.com";

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

const run_before = new Set<string>();

/**
 * The first run of each kind is a process of its own, as for a user; later runs of the kind are in this process. A kind
 * is the first word, unless the caller names another.
 */
function camino(words: readonly string[], kind = words[0] ?? ""): Promise<Ran> {
  const run = run_before.has(kind) ? runHere : runCamino;
  run_before.add(kind);
  return run(words, { cwd: gateway.data, env: { CAMINO_URL: gateway.url, CAMINO_DATA: gateway.data } });
}

/** Runs a command with `--json`: one document on stdout, and no other output. */
async function json(...words: string[]): Promise<Json> {
  const { status, stdout, stderr } = await camino([...words, "--json"]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toEndWith("\n");
  return JSON.parse(stdout) as Json;
}

/** Runs a command for people: a table or a sentence on stdout. */
async function words(...command: string[]): Promise<string> {
  const { status, stdout, stderr } = await camino(command, `${command[0]} in words`);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

/** A command that the gateway refuses: one sentence on stderr, and with `--json` the error's document on stdout. */
async function expectRefused(command: readonly string[], sentence: RegExp): Promise<void> {
  const { status, stdout, stderr } = await camino([...command, "--json"], "refused");
  expect(status).toBe(1);
  expect(stderr).toMatch(sentence);
  expect(stderr).toStartWith("camino: ");
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(JSON.parse(stdout)).toMatchObject({ error: { message: expect.any(String), code: expect.any(String) } });
}

let key: { id: string; secret: string };

/** How the gateway answers a key now. */
async function statusOf(secret: string): Promise<number> {
  return (await new Caller(gateway, secret).generate("chat", "sim/echo")).status;
}

describe("account", () => {
  test("create gives it an id and its first credit", async () => {
    const made = await json("account", "create", EMAIL, "--name", "Ann", "--credit", "25");
    expect(made).toMatchObject({
      id: expect.stringMatching(/^acct_/),
      email: EMAIL,
      name: "Ann",
      status: "active",
      balance_micro: 25_000_000,
      uncollected_micro: 0,
      currency: "USD",
    });
    expect(await words("account", "create", "bob@example.com")).toMatch(/Created account acct_\w+ for bob@example.com/);
  });

  test("create refuses an e-mail that is taken", async () => {
    await expectRefused(["account", "create", EMAIL], /ann@example\.com/);
  });

  test("create takes amounts digit by digit", async () => {
    const made = await json("account", "create", "tiny@example.com", "--credit", "0.000001");
    expect(made.balance_micro).toBe(1);
  });

  test("list and show have the account, by e-mail and by id", async () => {
    const list = await json("account", "list");
    const emails = (list.data as Json[]).map(({ email }) => email);
    expect(emails).toEqual(expect.arrayContaining([EMAIL, "bob@example.com"]));
    const shown = await json("account", "show", EMAIL);
    expect(await json("account", "show", String(shown.id))).toEqual(shown);
    expect(await words("account", "list")).toContain(EMAIL);
    expect(await words("account", "show", EMAIL)).toMatch(/balance +25\.00 USD/);
    await expectRefused(["account", "show", "nobody@example.com"], /There is no account 'nobody@example\.com'/);
  });
});

describe("account edit", () => {
  const given = ["--budget", "100/month", "--rpm", "600", "--models", "sim/*,acme/*"];

  test("limits an account over all of its keys; what is not given stays", async () => {
    expect((await json("account", "edit", "bob@example.com", ...given)).limits).toEqual({
      models: ["sim/*", "acme/*"],
      rpm: 600,
      tpm: null,
      concurrent: null,
      budget: { amount_micro: 100_000_000, window: "month" },
    });
    const edited = await json("account", "edit", "bob@example.com", "--concurrent", "4", "--clear", "rpm,models");
    expect(edited.limits).toMatchObject({ models: null, rpm: null, concurrent: 4, budget: { window: "month" } });
    const shown = await words("account", "show", "bob@example.com");
    expect(shown).toMatch(
      /budget +0\.00 of 100\.00 a month, 100\.00 left, renews at \d{4}-\d\d-01T00:00:00Z \(UTC\)\n/,
    );
    expect(shown).toMatch(/concurrent requests +4/);
  });

  test("show says what is used of a budget, and the raise that runs", async () => {
    await json("account", "create", "cem@example.com", "--credit", "5");
    expect(await json("account", "show", "cem@example.com")).toMatchObject({ limits: { budget: null }, use: null });
    await json("account", "edit", "cem@example.com", "--budget", "2/month");
    const made = await json("key", "create", "--account", "cem@example.com", "--budget", "3/once");
    expect(await statusOf(String(made.key))).toBe(200);
    const entries = (await json("credit", "list", "cem@example.com")).data as Json[];
    const [charge] = entries.filter(({ kind }) => kind === "charge");
    const spent_micro = -Number(charge?.amount_micro);
    expect(spent_micro).toBeGreaterThan(0);
    await json("account", "raise", "cem@example.com", "--by", "1.5", "--until", "2999-01-01");
    const { use } = await json("account", "show", "cem@example.com");
    expect(use).toMatchObject({
      ...{ window: "month", amount_micro: 2_000_000, spent_micro, held_micro: 0 },
      raise: { amount_micro: 1_500_000, until: "2999-01-01T00:00:00.000Z", by: "admin-token" },
      remaining_micro: 3_500_000 - spent_micro,
    });
    const spent = amountText(spent_micro);
    expect(await words("account", "show", "cem@example.com")).toContain(
      `${spent} of 3.50 a month, raised by 1.50 until 2999-01-01T00:00:00.000Z, ${amountText(3_500_000 - spent_micro)} left, renews at `,
    );
    expect((await json("key", "show", String(made.id))).use).toMatchObject({
      window: "once",
      spent_micro,
      raise: null,
    });
    expect(await words("key", "show", String(made.id))).toContain(
      `${spent} of 3.00 once, ${amountText(3_000_000 - spent_micro)} left\n`,
    );
  });

  test("refuses nothing to change, and a limit that is set and cleared", async () => {
    for (const more of [[], ["--rpm", "5", "--clear", "rpm"], ["--clear", "name"]]) {
      expect((await camino(["account", "edit", "bob@example.com", ...more], "refused")).status).toBe(2);
    }
  });
});

describe("credit", () => {
  test("add books a credit, list shows the ledger, newest first", async () => {
    const added = await json("credit", "add", EMAIL, "5.5", "--note", "a gift");
    expect(added).toMatchObject({ entry: { kind: "credit", amount_micro: 5_500_000, note: "a gift" } });
    expect(added.account).toMatchObject({ balance_micro: 30_500_000 });
    const list = await json("credit", "list", EMAIL);
    expect((list.data as Json[]).map(({ amount_micro }) => amount_micro)).toEqual([5_500_000, 25_000_000]);
    expect((list.data as Json[])[0]).toMatchObject({ posted_after_micro: 30_500_000, actor: "admin-token" });
    expect(await words("credit", "list", EMAIL)).toContain("a gift");
    expect(await words("credit", "add", EMAIL, "1")).toContain("the balance is 31.50 USD");
  });

  test("add refuses an account that does not exist", async () => {
    await expectRefused(["credit", "add", "nobody@example.com", "1"], /There is no account/);
  });
});

describe("key", () => {
  test("create shows the key once, with every given setting", async () => {
    const options = [
      ["--name", "main"],
      ["--alias", "fast=sim/echo"],
      ["--alias", "careful=sim/reason"],
      ["--prefix-alias", "gpt-=sim/echo"],
      ["--models", "sim/e*,sim/reason"],
      ["--rpm", "100"],
      ["--tpm", "100000"],
      ["--concurrent", "8"],
      ["--budget", "10/week"],
      ["--expires", "2099-01-01"],
    ].flat();
    const made = await json("key", "create", "--account", EMAIL, ...options);
    expect(made).toMatchObject({
      id: expect.stringMatching(/^key_/),
      key: expect.stringMatching(/^cm-/),
      account: expect.stringMatching(/^acct_/),
      name: "main",
      status: "active",
      aliases: [
        { name: "fast", model: "sim/echo" },
        { name: "careful", model: "sim/reason" },
      ],
      prefix_aliases: [{ prefix: "gpt-", model: "sim/echo" }],
      models: ["sim/e*", "sim/reason"],
      rpm: 100,
      tpm: 100_000,
      concurrent: 8,
      budget: { amount_micro: 10_000_000, window: "week" },
      expires_at: "2099-01-01T00:00:00.000Z",
    });
    const { id, key: secret } = JSON.parse((await camino(["key", "create", "--account", EMAIL, "--json"])).stdout) as {
      id: string;
      key: string;
    };
    key = { id, secret };
    expect(await statusOf(secret)).toBe(200);
    expect(await words("key", "create", "--account", EMAIL)).toMatch(/\ncm-\w{54}\n/);
  });

  test("list and show never show the key again", async () => {
    const list = await json("key", "list", "--account", EMAIL);
    expect((list.data as Json[]).map(({ id }) => id)).toContain(key.id);
    expect(JSON.stringify(list)).not.toContain(key.secret);
    expect((await json("key", "list")).data as Json[]).toContainEqual(expect.objectContaining({ id: key.id }));
    const shown = await json("key", "show", key.id);
    expect(shown).toMatchObject({ id: key.id, status: "active", hint: key.secret.slice(-4) });
    expect(shown).not.toHaveProperty("key");
    expect(await words("key", "show", key.id)).toMatch(/status +active/);
    expect(await words("key", "list", "--account", EMAIL)).toContain(`cm-…${key.secret.slice(-4)}`);
    await expectRefused(["key", "show", "key_none"], /There is no key 'key_none'/);
  });

  test("list and show say what members may set at most, and where an administrator has set it", async () => {
    const limited = await json("key", "create", "--account", EMAIL, "--rpm", "10", "--budget", "5/day");
    const id = String(limited.id);
    await json("account", "edit", EMAIL, "--tpm", "5000");
    const shown = await words("key", "show", id);
    expect(shown).toMatch(/requests per minute +10, set on the key; members: at most 10, set on the key\n/);
    expect(shown).toMatch(/tokens per minute +unlimited; members: at most 5000, set on the account\n/);
    expect(shown).toMatch(/concurrent requests +the default; members: at most \d+, the default\n/);
    expect(shown).toMatch(/budget +5.00 a day, set on the key; members: at most 5.00 a day, set on the key\n/);
    expect(shown).toMatch(/models +all\n/);
    expect(await words("key", "list", "--account", EMAIL)).toContain(
      "rpm 10 (key), tpm 5000 (account), budget 5.00 a day (key)",
    );
    expect((await json("key", "show", id)).ceilings).toMatchObject({
      rpm: { value: 10, set_on: "key" },
      tpm: { value: 5000, set_on: "account" },
      concurrent: { set_on: "configuration" },
    });
    await json("account", "edit", EMAIL, "--clear", "tpm");
    await json("key", "delete", id);
  });

  test("disable, enable, revoke and delete take effect on the next request", async () => {
    expect(await json("key", "disable", key.id)).toMatchObject({ status: "disabled" });
    expect(await statusOf(key.secret)).toBe(401);
    expect(await words("key", "enable", key.id)).toBe(`Enabled key ${key.id}.\n`);
    expect(await statusOf(key.secret)).toBe(200);
    expect(await json("key", "revoke", key.id)).toMatchObject({ status: "revoked" });
    expect(await statusOf(key.secret)).toBe(401);
    await expectRefused(["key", "enable", key.id], /revoked/);
    expect(await json("key", "delete", key.id)).toEqual({ id: key.id, deleted: true });
    expect(await statusOf(key.secret)).toBe(401);
    await expectRefused(["key", "delete", key.id], /There is no key/);
  });

  test("create refuses aliases that lead nowhere, with a sentence that says what is allowed", async () => {
    const create = (...options: string[]) => ["key", "create", "--account", EMAIL, ...options];
    await expectRefused(create("--alias", "fast=sim/nothing"), /"sim\/nothing", which is not in the catalog/);
    await expectRefused(create("--alias", "a b=sim/echo"), /1 to 128 characters/);
    await expectRefused(create("--expires", "2001-01-01"), /not in the future/);
    await expectRefused(["key", "create", "--account", "nobody@example.com"], /There is no account/);
  });
});

describe("account disable and enable", () => {
  test("take effect on the next request of its keys", async () => {
    const { key: secret } = (await json("key", "create", "--account", EMAIL)) as { key: string };
    expect(await statusOf(secret)).toBe(200);
    expect(await json("account", "disable", EMAIL)).toMatchObject({ status: "disabled" });
    expect(await statusOf(secret)).toBe(401);
    expect(await words("account", "enable", EMAIL)).toMatch(/^Enabled account acct_\w+ \(ann@example\.com\)\.\n$/);
    expect(await statusOf(secret)).toBe(200);
  });
});

describe("models", () => {
  test("lists the catalogue with its prices, for one kind or for all", async () => {
    const list = await json("models");
    expect(list).toMatchObject({ object: "list", currency: "USD" });
    const echo = (list.data as Json[]).find(({ id }) => id === "sim/echo");
    expect(echo).toMatchObject({ kind: "chat", price: { input_micro_per_mtok: 1_000_000 }, vendors: ["sim"] });
    expect(await words("models", "--kind", "chat")).toContain("sim/echo");
    expect(await words("models", "--kind", "decision")).toContain("sim/decider");
  });
});

describe("usage", () => {
  test("adds up by key, model and day", async () => {
    const by_model = await json("usage", "--account", EMAIL, "--by", "model");
    const [row] = by_model.data as Json[];
    expect(row).toMatchObject({ group: "sim/echo", success_count: 4, prompt_tokens: 8, completion_tokens: 24 });
    expect(by_model.total).toMatchObject({ cost_micro: 4 * (2 * 1 + 6 * 4) });
    const today = new Date().toISOString().slice(0, 10);
    const by_day = await json("usage", "--account", EMAIL, "--since", "2000-01-01", "--until", today);
    expect(by_day).toMatchObject({ by: "day", since: "2000-01-01", until: today, total: by_model.total });
    const by_key = await json("usage", "--by", "key");
    expect((by_key.data as Json[]).every(({ group }) => String(group).startsWith("key_"))).toBeTrue();
    expect((await json("usage", "--account", EMAIL, "--until", "2000-01-01")).data).toEqual([]);
    expect(await words("usage", "--account", EMAIL, "--by", "model")).toMatch(/sim\/echo +\d+ +4 /);
  });
});

describe("wrong usage ends with 2 and says what is allowed", () => {
  const WRONG: string[][] = [
    [],
    ["nonsense"],
    ["account"],
    ["account", "create"],
    ["account", "list", "--nonsense"],
    ["credit", "add", EMAIL, "0.0000001"],
    ["key", "create", "--account", EMAIL, "--budget", "10/year"],
    ["usage", "--since", "2026-02-30"],
    ["serve", "--port", "99999"],
  ];

  test.each(WRONG.map((command) => [command.join(" "), command] as const))("camino %s", async (_text, command) => {
    const { status, stdout, stderr } = await camino(command, "used wrongly");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr.length).toBeGreaterThan(10);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

test("help and version end with 0", async () => {
  const { version } = (await Bun.file(new URL("../../../package.json", import.meta.url)).json()) as { version: string };
  expect(await camino(["--version"])).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
  const help = await camino(["--help"]);
  expect(help).toMatchObject({ status: 0, stderr: "" });
  for (const command of [
    "serve",
    "account",
    "credit",
    "key",
    "models",
    "usage",
    "simulate",
    "doctor",
    "check",
    "catalog",
  ])
    expect(help.stdout).toContain(`  ${command} `);
});

test("simulate runs a vendor that answers until it is stopped", async () => {
  const child = Bun.spawn([new URL("../../../bin/camino", import.meta.url).pathname, "simulate", "--json"], {
    env: { PATH: process.env.PATH ?? "" },
    stdout: "pipe",
    stderr: "inherit",
  });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  const { base_url } = JSON.parse(Buffer.from(value ?? []).toString()) as { base_url: string };
  const response = await fetch(`${base_url}/models`);
  expect(response.headers.get("x-camino-simulated")).toBe("true");
  await response.body?.cancel();
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});
