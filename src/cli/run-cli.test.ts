import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCli } from "./run-cli.ts";
import type { CliDeps } from "./shared/deps.ts";

/** A console API that answers every call with a test's planned answer, and keeps the requests. */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly authorization: string | null;
  readonly body: unknown;
}

const TOKEN = "an-admin-token";
let asked: Asked[] = [];
let planned: Response | null = null;
let gateway: ReturnType<typeof Bun.serve>;
let data: string;

beforeAll(async () => {
  gateway = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const url = new URL(request.url);
      const text = await request.text();
      asked.push({
        method: request.method,
        path: url.pathname,
        query: url.search,
        authorization: request.headers.get("authorization"),
        body: text === "" ? null : JSON.parse(text),
      });
      if (url.pathname.endsWith("/budgets")) return Response.json(BUDGETS);
      return planned ?? Response.json({ object: "list", data: [] });
    },
  });
  data = await mkdtemp(join(tmpdir(), "camino-cli-"));
  await Bun.write(join(data, "admin-token"), `${TOKEN}\n`);
});

afterAll(async () => {
  await gateway.stop(true);
  await rm(data, { recursive: true });
});

beforeEach(() => {
  asked = [];
  planned = null;
});

interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly served: object[];
}

async function run(arguments_: readonly string[], env: CliDeps["env"] = {}): Promise<Ran> {
  const ran = { stdout: "", stderr: "", served: [] as object[] };
  const keep = async (options: object) => void ran.served.push(options);
  const status = await runCli(arguments_, {
    version: "1.2.3",
    command: "/opt/camino",
    env: { CAMINO_URL: gateway.url.href, CAMINO_ADMIN_TOKEN: TOKEN, ...env },
    stdout: (text) => (ran.stdout += text),
    stderr: (text) => (ran.stderr += text),
    fetch,
    clock: { now_ms: () => Date.UTC(2026, 9, 1), monotonic_ms: () => 0 },
    serve: keep,
    simulate: keep,
    readConfiguration: () => Promise.reject(new Error("not asked for here")),
    openBooks: () => Promise.reject(new Error("not asked for here")),
    databaseTools: () => Promise.reject(new Error("not asked for here")),
    cellTools: () => Promise.reject(new Error("not asked for here")),
  });
  return { status, ...ran };
}

const ACCOUNT = {
  id: "acct_1",
  email: "a@example.com",
  balance_micro: 25_000_000,
  uncollected_micro: 0,
  currency: "USD",
  name: "",
  status: "active",
  created_at: "2026-10-01T00:00:00.000Z",
  limits: { models: null, rpm: null, tpm: null, concurrent: null, budget: null },
  time_zone: "UTC",
};

const BUDGETS = {
  object: "list",
  currency: "USD",
  data: [
    {
      ...{
        key: "key_1",
        window: "week",
        since: "2026-09-28",
        renews: { at: "2026-10-05T00:00:00+02:00", time_zone: "Europe/Berlin" },
        amount_micro: 2_500_000,
      },
      raise: { amount_micro: 1_000_000, until: "2026-10-02T00:00:00.000Z", by: "user_1" },
      ...{ spent_micro: 250_000, held_micro: 50_000, remaining_micro: 3_200_000 },
    },
  ],
};

const KEY = {
  id: "key_1",
  account: "acct_1",
  project: null,
  tags: {},
  name: "",
  status: "active",
  hint: "abcd",
  aliases: [],
  prefix_aliases: [],
  models: null,
  rpm: null,
  tpm: null,
  concurrent: null,
  budget: null,
  expires_at: null,
  old_secret_until: null,
  created_at: "2026-10-01T00:00:00.000Z",
  last_used_at: null,
  playground: false,
  barred: false,
  ceilings: { models: null, rpm: null, tpm: null, concurrent: null, budget: null, expires_at: null },
};

describe("the request that a command sends to the gateway", () => {
  const CASES: [command: string, method: string, path: string, body: unknown][] = [
    ["account create a@b.c", "POST", "/accounts", { email: "a@b.c" }],
    [
      "account create a@b.c --name Ann --credit 0.000001",
      "POST",
      "/accounts",
      { email: "a@b.c", name: "Ann", credit: "0.000001" },
    ],
    ["account list", "GET", "/accounts", null],
    ["account show a@b.c", "GET", "/accounts/a%40b.c", null],
    ["account disable acct_1", "POST", "/accounts/acct_1/disable", null],
    ["account enable acct_1", "POST", "/accounts/acct_1/enable", null],
    [
      "account edit acct_1 --name Globex --email boss@globex.example",
      "PATCH",
      "/accounts/acct_1",
      { name: "Globex", email: "boss@globex.example" },
    ],
    [
      "account edit acct_1 --rpm 5 --budget 10/month --clear models",
      "PATCH",
      "/accounts/acct_1",
      { rpm: 5, budget: { amount: "10.00", window: "month" }, models: null },
    ],
    ["credit add acct_1 25 --note gift", "POST", "/accounts/acct_1/credits", { amount: "25.00", note: "gift" }],
    ["credit add acct_1 1,5", "POST", "/accounts/acct_1/credits", { amount: "1.50" }],
    ["credit list acct_1", "GET", "/accounts/acct_1/credits?limit=100", null],
    ["key create --account a@b.c", "POST", "/keys", { account: "a@b.c" }],
    ["key list", "GET", "/keys", null],
    ["key list --tag team=search", "GET", "/keys?tag=team%3Dsearch", null],
    ["key list --account a@b.c", "GET", "/keys?account=a%40b.c", null],
    ["key show key_1", "GET", "/keys/key_1", null],
    ["key disable key_1", "POST", "/keys/key_1/disable", null],
    ["key enable key_1", "POST", "/keys/key_1/enable", null],
    ["key revoke key_1", "POST", "/keys/key_1/revoke", null],
    ["key delete key_1", "DELETE", "/keys/key_1", null],
    ["key show ../accounts", "GET", "/keys/..%2Faccounts", null],
    ["models", "GET", "/models?kind=all", null],
    ["models --kind decision", "GET", "/models?kind=decision", null],
    ["usage", "GET", "/usage?by=day", null],
    ["usage --tag team", "GET", "/usage?by=tag&tag=team", null],
    [
      "usage --account a@b.c --since 2026-09-01 --until 2026-09-30 --by model",
      "GET",
      "/usage?account=a%40b.c&since=2026-09-01&until=2026-09-30&by=model",
      null,
    ],
  ];
  for (const [command, method, path, body] of CASES) {
    test(command, async () => {
      await run(command.split(" "));
      expect(asked).toHaveLength(1);
      const [call] = asked;
      expect(`${call?.method} ${call?.path}${call?.query}`).toBe(`${method} /console/api${path}`);
      expect(call?.body).toEqual(body);
      expect(call?.authorization).toBe(`Bearer ${TOKEN}`);
    });
  }

  test("key create with every option", async () => {
    const command = [
      "key create --account a@b.c --name CI --alias fast=acme/swift --alias slow=acme/slow",
      "--prefix-alias claude-=acme/swift --models acme/*,other/one --rpm 60 --tpm 1000 --concurrent 4",
      "--budget 2.50/week --expires 2027-01-31",
    ].join(" ");
    await run(command.split(" "));
    expect(asked[0]?.body).toEqual({
      account: "a@b.c",
      name: "CI",
      aliases: [
        { name: "fast", model: "acme/swift" },
        { name: "slow", model: "acme/slow" },
      ],
      prefix_aliases: [{ prefix: "claude-", model: "acme/swift" }],
      models: ["acme/*", "other/one"],
      rpm: 60,
      tpm: 1000,
      concurrent: 4,
      budget: { amount: "2.50", window: "week" },
      expires_at: "2027-01-31",
    });
  });

  const FIELDS_OF_OPTIONS = [
    ["--name CI", { name: "CI" }],
    ["--alias fast=acme/swift", { aliases: [{ name: "fast", model: "acme/swift" }] }],
    ["--prefix-alias claude-=acme/swift", { prefix_aliases: [{ prefix: "claude-", model: "acme/swift" }] }],
    ["--models acme/*", { models: ["acme/*"] }],
    ["--rpm 60 --tpm 1000 --concurrent 4", { rpm: 60, tpm: 1000, concurrent: 4 }],
    ["--budget 2.50/week", { budget: { amount: "2.50", window: "week" } }],
    ["--expires 2027-01-31", { expires_at: "2027-01-31" }],
    ["--tag team=a=b --tag env=prod", { tags: { team: "a=b", env: "prod" } }],
    ["--tag team=x --untag env", { tags: { team: "x", env: null } }],
    ["--clear tag", { tags: null }],
    ["--clear name", { name: "" }],
    ["--clear alias,prefix-alias", { aliases: [], prefix_aliases: [] }],
    ["--clear models,rpm,tpm,concurrent", { models: null, rpm: null, tpm: null, concurrent: null }],
    ["--clear budget --clear expires --rpm 5", { budget: null, expires_at: null, rpm: 5 }],
  ] as const;
  test.each(FIELDS_OF_OPTIONS)("key edit %s changes that field and nothing else", async (options, body) => {
    await run(["key", "edit", "key_1", ...options.split(" ")]);
    expect(asked.map(({ method, path }) => [method, path])).toEqual([["PATCH", "/console/api/keys/key_1"]]);
    expect(asked[0]?.body).toEqual(body);
  });

  test("the gateway's address may have a path and a slash at its end", async () => {
    await run(["key", "list", "--url", `${gateway.url.origin}/camino/`]);
    expect(asked[0]?.path).toBe("/camino/console/api/keys");
  });
});

describe("the output of a command", () => {
  test("with --json: the gateway's document on one line, and nothing else anywhere", async () => {
    planned = Response.json({ ...KEY, key: "cm-secret" }, { status: 201 });
    const { status, stdout, stderr } = await run(["key", "create", "--account", "a@example.com", "--json"]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(`${JSON.stringify({ ...KEY, key: "cm-secret" })}\n`);
  });

  test("for people: a sentence", async () => {
    planned = Response.json(ACCOUNT, { status: 201 });
    const { status, stdout, stderr } = await run(["account", "create", "a@example.com", "--credit", "25"]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(
      "Created account acct_1 for a@example.com with 25.00 USD.\n" +
        "Create a key for it: /opt/camino key create --account a@example.com\n",
    );
  });

  test("for people: a table, its numbers at the right", async () => {
    const rich = { ...ACCOUNT, id: "acct_22", email: "long@example.com", balance_micro: 1_234_000_001, name: "Ann" };
    planned = Response.json({ object: "list", data: [ACCOUNT, rich] });
    expect((await run(["account", "list"])).stdout).toMatchInlineSnapshot(`
      "id       e-mail            name  status          balance  held
      acct_1   a@example.com           active        25.00 USD  0.00
      acct_22  long@example.com  Ann   active  1234.000001 USD  0.00
      "
    `);
  });

  test("for people: the fields of a single object", async () => {
    planned = Response.json({
      ...KEY,
      aliases: [{ name: "fast", model: "acme/swift" }],
      prefix_aliases: [{ prefix: "claude-", model: "acme/swift" }],
      budget: { amount_micro: 2_500_000, window: "week" },
      expires_at: "2026-09-30T00:00:00.000Z",
    });
    expect((await run(["key", "show", "key_1"])).stdout).toMatchInlineSnapshot(`
      "id                   key_1
      account              acct_1
      project              none
      name
      tags                 none
      key                  cm-…abcd
      status               expired
      aliases              fast = acme/swift
      prefix aliases       claude-* = acme/swift
      models               all
      requests per minute  the default
      tokens per minute    unlimited
      concurrent requests  the default
      budget               2.50 a week, set on the key
      used                 0.25 of 3.50 a week, raised by 1.00 until 2026-10-02T00:00:00.000Z, 0.05 held, 3.20 left, renews at 2026-10-05T00:00:00+02:00 (Europe/Berlin)
      expires              2026-09-30T00:00:00.000Z, set on the key
      created              2026-10-01T00:00:00.000Z
      last used            never
      "
    `);
  });

  test("for people: usage with its total, models with their prices, the ledger", async () => {
    const totals = {
      cost_micro: 12,
      prompt_tokens: 3,
      completion_tokens: 4,
      total_tokens: 7,
      request_count: 2,
      success_count: 1,
    };
    const row = { group: "2026-09-30", ...totals };
    planned = Response.json({
      object: "list",
      by: "day",
      since: null,
      renews: null,
      tag: null,
      value: null,
      until: null,
      currency: "USD",
      data: [row],
      total: totals,
    });
    expect((await run(["usage"])).stdout).toMatchInlineSnapshot(`
      "day         requests  answered  input tokens  output tokens  cost USD
      2026-09-30         2         1             3              4  0.000012
      total              2         1             3              4  0.000012
      "
    `);
    planned = Response.json({ object: "list", currency: "USD", data: [MODEL] });
    expect((await run(["models"])).stdout).toMatchInlineSnapshot(`
      "model         kind  context  can           input USD/M  output USD/M
      acme/swift-1  chat   200000  tools vision         3.00         15.00
      "
    `);
    planned = Response.json({ object: "list", currency: "USD", data: [ENTRY], has_more: true, next_before: "1" });
    expect((await run(["credit", "list", "acct_1"])).stdout).toMatchInlineSnapshot(`
      "id     time                      kind    amount USD    sum USD  note
      ent_1  2026-10-01T00:00:00.000Z  charge   -1.500001  23.499999  req_1
      Older entries exist: list them with a larger --limit.
      "
    `);
  });

  test("for people: what to do when a list is empty", async () => {
    expect((await run(["account", "list"])).stdout).toContain(": /opt/camino account create EMAIL");
    expect((await run(["key", "list"])).stdout).toContain(": /opt/camino key create");
    expect((await run(["user", "list"])).stdout).toContain(": /opt/camino user invite");
    expect((await run(["management-key", "list"])).stdout).toContain(": /opt/camino management-key create");
    planned = Response.json({ object: "list", data: [], has_more: false });
    expect((await run(["project", "list"])).stdout).toContain(": /opt/camino project create");
  });

  test("control characters in a name do not reach the terminal", async () => {
    planned = Response.json({ object: "list", data: [{ ...ACCOUNT, name: "\u001b[2Jowned\n" }] });
    const { stdout } = await run(["account", "list"]);
    expect(stdout).toContain("\ufffd[2Jowned\ufffd");
    expect(stdout).not.toContain("\u001b");
  });
});

const PRICE = {
  version: "v1",
  input_micro_per_mtok: 3_000_000,
  output_micro_per_mtok: 15_000_000,
  cache_read_micro_per_mtok: 300_000,
  cache_write_micro_per_mtok: 3_750_000,
  tiers: [],
};

const MODEL = {
  id: "acme/swift-1",
  object: "model",
  display_name: "Swift 1",
  kind: "chat",
  owned_by: "acme",
  created: 1,
  context_length: 200_000,
  max_completion_tokens: null,
  input_modalities: ["text"],
  output_modalities: ["text"],
  capabilities: { streaming: true, tools: true, json: false, vision: true, thinking: false },
  price: PRICE,
  prices: [{ ...PRICE, from: null, until: null, effective: true }],
  vendor: { id: "acme", name: "Acme AI" },
  endpoints: ["chat.completions", "responses", "messages"],
  decided_with: null,
  vendors: ["acme"],
  fallbacks: [],
};

const ENTRY = {
  id: "ent_1",
  account: "acct_1",
  kind: "charge",
  amount_micro: -1_500_001,
  posted_after_micro: 23_499_999,
  request: "req_1",
  note: "",
  actor: "gateway",
  corrects: null,
  created_at: "2026-10-01T00:00:00.000Z",
};

describe("wrong usage ends with status 2, a sentence on stderr, and asks nothing of the gateway", () => {
  const CASES = [
    "",
    "account",
    "acount list",
    "account create",
    "account create a@b.c extra",
    "account create a@b.c --credit five",
    "account create a@b.c --credit -5",
    "account create a@b.c --credit 0.0000001",
    "account create a@b.c --colour red",
    "credit add acct_1",
    "credit add acct_1 0",
    "credit add acct_1 1e3",
    "credit add acct_1 1,000",
    "credit add acct_1 1,000.50",
    "key create --account acct_1 --budget 1,000/day",
    "credit add acct_1 -5",
    "credit list acct_1 --limit 501",
    "key create",
    "key create --account",
    "key create --account a@b.c --alias fast",
    "key create --account a@b.c --tag team",
    "key create --account a@b.c --tag Team=x",
    "key create --account a@b.c --tag team=",
    "key create --account a@b.c --tag team=x --tag team=y",
    "key edit key_1 --untag Team",
    "key edit key_1 --clear tag --tag team=x",
    "usage --tag Team",
    "key create --account a@b.c --alias =acme/swift",
    "key create --account a@b.c --prefix-alias claude-*=acme/swift",
    "key create --account a@b.c --models ,",
    "key create --account a@b.c --rpm 0",
    "key create --account a@b.c --rpm 1.5",
    "key create --account a@b.c --budget 10",
    "key create --account a@b.c --budget 10/year",
    "key create --account a@b.c --budget x/day",
    "key create --account a@b.c --expires 2026-02-30",
    "key create --account a@b.c --expires soon",
    "key edit",
    "key edit key_1",
    "key edit key_1 --rpm 0",
    "key edit key_1 --clear everything",
    "key edit key_1 --clear rpm --rpm 5",
    "key edit key_1 --account a@b.c",
    "models --kind picture",
    "usage --since yesterday",
    "usage --by vendor",
    "serve --port 70000",
    "serve --port x",
    "simulate --port -1",
  ];
  for (const command of CASES) {
    test(`camino ${command}`, async () => {
      const { status, stdout, stderr, served } = await run(command.split(" ").filter(Boolean));
      expect([status, stdout, asked, served]).toEqual([2, "", [], []]);
      expect(stderr).toMatch(/error: |Usage: camino/);
    });
  }

  test("the sentence says what is allowed", async () => {
    const { stderr } = await run(["key", "create", "--account", "a@b.c", "--budget", "10/year"]);
    expect(stderr).toContain("A budget is AMOUNT/day, AMOUNT/week, AMOUNT/month or AMOUNT/once, such as 10/day.");
  });
});

describe("help and version end with status 0, on stdout", () => {
  test("camino --help names every command", async () => {
    const { status, stdout, stderr } = await run(["--help"]);
    expect([status, stderr]).toEqual([0, ""]);
    for (const command of ["serve", "account", "credit", "key", "models", "usage", "simulate"]) {
      expect(stdout).toMatch(new RegExp(`^  ${command}\\b`, "m"));
    }
  });

  test("camino key create --help", async () => {
    expect((await run(["key", "create", "--help"])).stdout).toContain("--prefix-alias <prefix=model>");
  });

  test("camino --version", async () => {
    expect(await run(["--version"])).toMatchObject({ status: 0, stdout: "1.2.3\n" });
  });
});

describe("a refused or failed command ends with status 1 and one sentence that says what to do", () => {
  test("no gateway answers: how to start one", async () => {
    const closed = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    const { origin } = closed.url;
    await closed.stop(true);
    const { status, stdout, stderr } = await run(["account", "list"], { CAMINO_URL: origin });
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toBe(
      `camino: No gateway answers at ${origin}. Start it with \`npm start\`, or give its address with --url or CAMINO_URL.\n`,
    );
  });

  test("401: which token was used and where the right token is", async () => {
    planned = refusalOf(401, "invalid_api_key", "no");
    const { status, stderr } = await run(["account", "list"]);
    expect(status).toBe(1);
    expect(stderr).toContain("does not accept the admin token from CAMINO_ADMIN_TOKEN");
    expect(stderr).toContain("admin-token");
  });

  test("a refusal of the gateway is printed in the gateway's words", async () => {
    planned = refusalOf(409, "conflict", "There is an account for a@b.c already.");
    const { status, stdout, stderr } = await run(["account", "create", "a@b.c"]);
    expect([status, stdout, stderr]).toEqual([1, "", "camino: There is an account for a@b.c already.\n"]);
  });

  test("with --json stdout has the error document, stderr the sentence", async () => {
    planned = refusalOf(404, "not_found", "There is no key 'key_9'.");
    const { status, stdout, stderr } = await run(["key", "show", "key_9", "--json"]);
    expect([status, stderr]).toEqual([1, "camino: There is no key 'key_9'.\n"]);
    expect(JSON.parse(stdout)).toEqual({
      error: { message: "There is no key 'key_9'.", type: "invalid_request_error", param: null, code: "not_found" },
    });
  });

  test("another program answers at the address", async () => {
    planned = new Response("<html>It works!</html>");
    const { status, stderr } = await run(["account", "list"]);
    expect(status).toBe(1);
    expect(stderr).toContain("is not a Camino gateway");
  });

  test("a gateway of another version answers in another shape", async () => {
    planned = Response.json({ accounts: [] });
    expect((await run(["account", "list"])).stderr).toContain("in a shape that this command does not know");
  });

  test("an address that is not valid", async () => {
    expect((await run(["account", "list", "--url", "gateway"])).stderr).toContain("The gateway's address is 'gateway'");
  });
});

describe("the admin token", () => {
  async function tokenSent(arguments_: readonly string[], env: CliDeps["env"]): Promise<string | null> {
    await run(["account", "list", ...arguments_], { CAMINO_ADMIN_TOKEN: undefined, ...env });
    return asked[0]?.authorization ?? null;
  }

  test("is the option's, else the variable's, else the data directory's", async () => {
    const everywhere = { CAMINO_ADMIN_TOKEN: "variable", CAMINO_DATA: data };
    expect(await tokenSent(["--token", "option"], everywhere)).toBe("Bearer option");
    asked = [];
    expect(await tokenSent([], everywhere)).toBe("Bearer variable");
    asked = [];
    expect(await tokenSent([], { CAMINO_DATA: data })).toBe(`Bearer ${TOKEN}`);
    asked = [];
    expect(await tokenSent(["--data", data], {})).toBe(`Bearer ${TOKEN}`);
  });

  test("that is not found: where to look for it", async () => {
    const { status, stderr } = await run(["account", "list", "--data", join(data, "none")], {
      CAMINO_ADMIN_TOKEN: undefined,
    });
    expect(status).toBe(1);
    expect(stderr).toContain(`There is no admin token in ${join(data, "none", "admin-token")}`);
    expect(asked).toEqual([]);
  });

  test("in this machine's data directory is not sent to another machine unless --data names it", async () => {
    const remote = ["account", "list", "--url", "http://gateway.example"];
    const { status, stderr } = await run(remote, { CAMINO_ADMIN_TOKEN: undefined });
    expect([status, stderr]).toEqual([
      1,
      "camino: Give the admin token of http://gateway.example with --token or CAMINO_ADMIN_TOKEN.\n",
    ]);
  });
});

describe("the commands that run until they are stopped", () => {
  test("serve passes its options on", async () => {
    const command = "serve --config c.yaml --host 0.0.0.0 --port 0 --database sqlite:x.db --data d --json";
    const { status, served } = await run(command.split(" "));
    expect(status).toBe(0);
    expect(served).toEqual([
      { config: "c.yaml", host: "0.0.0.0", port: "0", database: "sqlite:x.db", data: "d", json: true },
    ]);
  });

  test("serve and simulate pass on no option that was not given", async () => {
    expect((await run(["serve"])).served).toEqual([{}]);
    expect((await run(["simulate"])).served).toEqual([{}]);
  });
});

function refusalOf(status: number, code: string, message: string): Response {
  return Response.json({ error: { message, type: "invalid_request_error", param: null, code } }, { status });
}
