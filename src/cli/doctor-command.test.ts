import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { bundledVendor } from "../catalog/bundled/bundled-models.ts";
import { loadConfiguration } from "../catalog/configuration/load-configuration.ts";
import type { Configuration, CredentialHeader, Vendor } from "../core/catalog/catalog.ts";
import type { Protocol } from "../core/endpoints.ts";
import type { AuditReport } from "../core/ledger/books-audit.ts";
import { micro } from "../core/money/money.ts";
import type { Books, DatabaseFacts } from "../core/store/books.ts";
import { runCli } from "./run-cli.ts";
import type { CliDeps } from "./shared/deps.ts";
import type { Finding } from "./shared/finding.ts";

/** A vendor that serves only its list of models, and keeps the requests that it got. */
let vendor_server: ReturnType<typeof Bun.serve>;
let asked: { readonly line: string; readonly headers: Headers }[] = [];
let status = 200;

beforeAll(() => {
  vendor_server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      asked.push({ line: `${request.method} ${new URL(request.url).pathname}`, headers: new Headers(request.headers) });
      return Response.json({ data: [] }, { status, headers: status === 302 ? { location: "/elsewhere" } : {} });
    },
  });
});
afterAll(() => vendor_server.stop(true));
beforeEach(() => {
  asked = [];
  status = 200;
});

function vendorOf(protocol: Protocol, credential: CredentialHeader, more: Partial<Vendor> = {}): Vendor {
  return {
    id: "acme",
    name: "Acme",
    endpoints: [{ protocol, credential, base_url: `${vendor_server.url.origin}/v1` }],
    api_key: "a-vendor-credential",
    headers: { "x-team": "gateway" },
    timeouts: { connect_ms: 1, first_byte_ms: 1, idle_ms: 1, total_ms: 1 },
    on_disconnect: "abort",
    forwards_safety_identifier: false,
    quirks: {},
    ...more,
  };
}

function configurationOf(...vendors: Vendor[]): Configuration {
  return {
    currency: "USD",
    vendors: new Map(vendors.map((vendor) => [vendor.id, vendor])),
    models: new Map(),
    limits: { body_bytes: 1, decision_calls: 1000, default_key: { rpm: 1, concurrent: 1 } },
    responses: { keep_ms: 0 },
  };
}

const SOUND: AuditReport = {
  ...{ accounts: 3, entries: 3, requests: 0, days: 0, started_ms: 0, ended_ms: 0, kept_since_ms: 0 },
  ...{ findings: [], problems: [], more: 0 },
};
const FACTS: DatabaseFacts = {
  schema_version: 14,
  known_version: 14,
  needed_version: 14,
  engine: "SQLite 3.50.0",
  lacks: [],
  conditions: [],
  lost: null,
  secret_fingerprint: null,
};
let closed = 0;
/** Nobody listens on port 1: connections to it are refused. */
const NOBODY = "http://127.0.0.1:1";

function booksOf(report: AuditReport, facts: DatabaseFacts = FACTS, waiting = 0): Books {
  return {
    kind: "sqlite",
    description: "sqlite ./data/camino.db",
    facts: async () => facts,
    findAccountId: async () => null,
    audit: async () => report,
    waiting: async () => ({ operations: waiting, charged_micro: micro(waiting * 2) }),
    close: async () => void closed++,
  };
}

async function doctor(parts: { configuration?: Configuration; report?: AuditReport; deps?: Partial<CliDeps> }) {
  let stdout = "";
  const arguments_ = ["doctor", "--config", "camino.yaml", "--json"];
  const exit = await runCli(arguments_, {
    version: "1.2.3",
    command: "/opt/camino",
    env: { CAMINO_URL: NOBODY },
    stdout: (text) => (stdout += text),
    stderr: (text) => expect(text).toBe(""),
    fetch,
    clock: { now_ms: () => 0, monotonic_ms: () => 0 },
    serve: () => Promise.reject(new Error("not asked for here")),
    simulate: () => Promise.reject(new Error("not asked for here")),
    readConfiguration: async ({ config = null }) => ({
      configuration: parts.configuration ?? configurationOf(),
      env: {},
      file: config,
      first_run: parts.configuration === undefined,
      close: async () => void closed++,
    }),
    openBooks: async () => booksOf(parts.report ?? SOUND),
    databaseTools: () => Promise.reject(new Error("not asked for here")),
    cellTools: () => Promise.reject(new Error("not asked for here")),
    ...parts.deps,
  });
  const { healthy, checks } = JSON.parse(stdout) as { healthy: boolean; checks: Finding[] };
  expect(exit).toBe(healthy ? 0 : 1);
  return { healthy, found: (subject: string) => checks.find((check) => check.subject === subject) };
}

/** What doctor says of a company's provider. */
async function providerFinding(issuer: string): Promise<Partial<Finding>> {
  const corp = { id: "corp", name: "Corp", issuer, client_id: "c", client_secret: "the client's secret" };
  const oidc = [{ ...corp, allowed_domains: [], default_role: "member" as const }];
  const settings = { public_url: "https://gw.example", behind_proxy: true, oidc };
  const { found, healthy } = await doctor({ configuration: { ...configurationOf(), console: settings } });
  const finding = found("sign-in corp");
  expect(JSON.stringify(finding)).not.toContain("the client's secret");
  expect(healthy).toBe(finding?.outcome === "ok");
  return finding ?? {};
}

describe("camino doctor", () => {
  test.each([
    [120, "ok", "The bundled prices are of 2"],
    [121, "note", "121 days old"],
  ] as const)("says of bundled prices that are %i days old: %s", async (days, outcome, detail) => {
    const { as_of_ms } = bundledVendor("openai")?.origin ?? expect.unreachable();
    const env = { OPENAI_API_KEY: "k" };
    const { models } = loadConfiguration({ file_text: null, file_name: "camino.yaml", env });
    const clock = { now_ms: () => as_of_ms + days * 86_400_000, monotonic_ms: () => 0 };
    const { healthy, found } = await doctor({ configuration: { ...configurationOf(), models }, deps: { clock } });
    expect(found("catalog")).toEqual({ subject: "catalog", outcome, detail: expect.stringContaining(detail) });
    expect(healthy).toBe(true);
  });

  test("reports nothing about bundled prices where none are charged", async () => {
    const { found } = await doctor({ configuration: configurationOf(vendorOf("chat-completions", "bearer")) });
    expect(found("catalog")).toBeUndefined();
  });

  test("reports a sound gateway as healthy", async () => {
    const { healthy, found } = await doctor({ configuration: configurationOf(vendorOf("chat-completions", "bearer")) });
    expect(healthy).toBe(true);
    expect(found("database")).toEqual({
      subject: "database",
      outcome: "ok",
      detail: "sqlite ./data/camino.db (SQLite 3.50.0, tables of version 14): the books of 3 accounts are right.",
    });
    expect(found("vendor acme")).toMatchObject({
      outcome: "ok",
      detail: expect.stringContaining("takes the credential"),
    });
  });

  const HEADERS: [protocol: Protocol, credential: CredentialHeader, headers: Record<string, string | null>][] = [
    [
      "chat-completions",
      "bearer",
      { authorization: "Bearer a-vendor-credential", "x-api-key": null, "anthropic-version": null },
    ],
    [
      "messages",
      "x-api-key",
      { authorization: null, "x-api-key": "a-vendor-credential", "anthropic-version": "2023-06-01" },
    ],
    ["responses", "api-key", { authorization: null, "api-key": "a-vendor-credential" }],
    ["chat-completions", "none", { authorization: null, "x-api-key": null, "api-key": null }],
  ];
  for (const [protocol, credential, headers] of HEADERS) {
    test(`asks a ${protocol} vendor for its models with the credential as ${credential}, and for nothing else`, async () => {
      await doctor({ configuration: configurationOf(vendorOf(protocol, credential)) });
      expect(asked.map(({ line }) => line)).toEqual(["GET /v1/models"]);
      for (const [name, value] of Object.entries({ ...headers, "x-team": "gateway" })) {
        expect(asked[0]?.headers.get(name) ?? null).toBe(value);
      }
    });
  }

  const ANSWERS: [status: number, outcome: Finding["outcome"], detail: string][] = [
    [200, "ok", "answers"],
    [302, "note", "status 302"],
    [401, "failed", "refuses the credential (status 401)"],
    [403, "failed", "refuses the credential (status 403)"],
    [404, "note", "the credential was not tried. Is base_url right?"],
    [429, "note", "status 429"],
    [500, "failed", "The vendor has a problem"],
  ];
  for (const [answer, outcome, detail] of ANSWERS) {
    test(`a vendor that answers with ${answer}: ${outcome}`, async () => {
      status = answer;
      const { found } = await doctor({ configuration: configurationOf(vendorOf("chat-completions", "bearer")) });
      expect(found("vendor acme")).toMatchObject({ outcome, detail: expect.stringContaining(detail) });
      expect(asked).toHaveLength(1);
      expect(JSON.stringify(found("vendor acme"))).not.toContain("a-vendor-credential");
    });
  }

  test("a vendor that cannot be reached fails its own check only", async () => {
    const gone = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    const base_url = `${gone.url.origin}/v1`;
    await gone.stop(true);
    const endpoints = [{ protocol: "chat-completions", credential: "bearer", base_url }] as const;
    const away = vendorOf("chat-completions", "bearer", { id: "away", endpoints });
    const { healthy, found } = await doctor({
      configuration: configurationOf(vendorOf("chat-completions", "bearer"), away),
    });
    expect(healthy).toBe(false);
    expect(found("vendor away")).toMatchObject({
      outcome: "failed",
      detail: expect.stringContaining("cannot be reached"),
    });
    expect(found("vendor acme")?.outcome).toBe("ok");
  });

  test.each([
    ["answers", "/tenant", 200, "/tenant", "ok https://gw.example/console/api/session/oidc/corp/callback"],
    ["has a slash at its end", "/tenant", 200, "/tenant/", "failed Set console.oidc.corp.issuer to that."],
    ["answers with something else", null, 200, "/tenant", "failed not with a provider's metadata"],
    ["is not there", "/tenant", 404, "/tenant", "failed status 404"],
  ])("a company's provider that %s", async (...row) => {
    const [, issuer, answered, path, said] = row;
    await using provider = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      routes: {
        "/tenant/.well-known/openid-configuration": ({ url }) =>
          Response.json(issuer === null ? {} : { issuer: `${new URL(url).origin}${issuer}` }, { status: answered }),
      },
    });
    const { outcome, detail } = await providerFinding(`${provider.url.origin}${path}`);
    const [wanted = "", ...words] = said.split(" ");
    expect([outcome, detail]).toEqual([wanted, expect.stringContaining(words.join(" "))]);
  });

  test("a company's provider that is away fails", async () => {
    const { outcome, detail } = await providerFinding(NOBODY);
    expect([outcome, detail]).toEqual(["failed", expect.stringContaining("cannot be reached")]);
  });

  test("a configuration with mistakes fails with all of them, and the database is checked nevertheless", async () => {
    const readConfiguration = () => Promise.reject(new Error("camino.yaml has 2 problems:\n  one\n  two"));
    const { healthy, found } = await doctor({ deps: { readConfiguration } });
    expect(healthy).toBe(false);
    expect(found("configuration")?.detail).toBe("camino.yaml has 2 problems:\n  one\n  two");
    expect(found("database")?.outcome).toBe("ok");
  });

  test("a missing configuration is a note, not a failure", async () => {
    const { healthy, found } = await doctor({});
    expect(healthy).toBe(true);
    expect(found("configuration")).toMatchObject({
      outcome: "note",
      detail: expect.stringContaining("OPENAI_API_KEY"),
    });
  });

  test("books that do not match fail, and everything that doctor opened is closed again", async () => {
    closed = 0;
    const { found } = await doctor({ report: { ...SOUND, problems: ["acct_1 holds 5 too much"] } });
    expect(found("database")).toMatchObject({
      outcome: "failed",
      detail: expect.stringContaining("acct_1 holds 5 too much"),
    });
    expect(closed).toBe(2);
  });

  test("a gateway that runs is asked whether it takes requests", async () => {
    const { healthy, found } = await doctor({ deps: { env: { CAMINO_URL: vendor_server.url.href } } });
    expect(healthy).toBe(true);
    expect(asked.map(({ line }) => line)).toEqual(["GET /readyz"]);
    expect(found("gateway")).toMatchObject({ outcome: "ok", detail: expect.stringContaining("takes requests") });
    expect((await doctor({})).found("gateway")?.outcome).toBe("note");
    status = 503;
    const draining = await doctor({ deps: { env: { CAMINO_URL: vendor_server.url.href } } });
    expect(draining.healthy).toBe(false);
    expect(draining.found("gateway")).toMatchObject({ outcome: "failed" });
  });

  const DATABASES: [what: string, facts: Partial<DatabaseFacts> | null, outcome: Finding["outcome"], says: string][] = [
    ["none", null, "note", "the first start creates it"],
    ["an empty one", { schema_version: 0 }, "note", "it is empty"],
    ["an empty one that lacks commits", { schema_version: 0, lost: "Its commits are missing." }, "failed", "missing"],
    ["an older one that lacks commits", { schema_version: 12, lost: "Its commits are missing." }, "failed", "missing"],
    ["an older one", { schema_version: 12 }, "note", "brings them to 14"],
    ["a newer one", { schema_version: 15, needed_version: 15 }, "failed", "a newer Camino"],
    ["a newer one that this version works on", { schema_version: 15 }, "note", "on which this one works"],
    ["one that may not be written", { lacks: ["This user may not write /x."] }, "failed", "may not write /x"],
    ["one of this version", {}, "ok", "SQLite 3.50.0, tables of version 14"],
  ];
  for (const [what, facts, outcome, says] of DATABASES) {
    test(`the database, ${what}: ${outcome}, with its version and rights`, async () => {
      const openBooks = async () => (facts === null ? null : booksOf(SOUND, { ...FACTS, ...facts }));
      const { found } = await doctor({ deps: { openBooks } });
      expect(found("database")).toMatchObject({ outcome, detail: expect.stringContaining(says) });
    });
  }

  test("operations that wait in the journal are named, and no fault", async () => {
    const { found, healthy } = await doctor({ deps: { openBooks: async () => booksOf(SOUND, FACTS, 3) } });
    expect(healthy).toBe(true);
    const detail = expect.stringContaining("3 acknowledged operations in the journal, 0.000006 charged by them");
    expect(found("database")).toMatchObject({ outcome: "note", detail });
  });

  test("a database that cannot be opened fails with the database's error", async () => {
    const openBooks = () => Promise.reject(new Error("postgres db.example:5432 refuses the connection"));
    const { found } = await doctor({ deps: { openBooks } });
    expect(found("database")?.detail).toBe("postgres db.example:5432 refuses the connection");
  });
});
