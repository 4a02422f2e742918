import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { newId } from "../../../src/core/ids.ts";
import type { LedgerOp } from "../../../src/core/ledger/ledger.ts";
import { micro } from "../../../src/core/money/money.ts";
import { auditSlices } from "../../../src/store/audit/audit-slices.ts";
import { AUDIT_WORKS } from "../../../src/store/audit/audit-works.ts";
import { rebuildMethods } from "../../../src/store/audit/rebuild-calls.ts";
import { REBUILD_WORKS } from "../../../src/store/audit/rebuild-usage.ts";
import { commitAlone } from "../../../src/store/batch/commit-batch.ts";
import { SharedTexts } from "../../../src/store/batch/shared-texts.ts";
import { accountStore, isReport, isSnapshot } from "../../../src/store/calls/account-calls.ts";
import { ACCOUNT_WORKS } from "../../../src/store/calls/account-works.ts";
import { deliveryStore } from "../../../src/store/deliveries/delivery-calls.ts";
import { DELIVERY_WORKS } from "../../../src/store/deliveries/delivery-works.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { encodeSet } from "../../../src/store/postgres/encode-values.ts";
import { BY_KEY, PLANNED_ONCE, REPORTING } from "../../../src/store/postgres/postgres-database.ts";
import { responseStore } from "../../../src/store/responses/response-calls.ts";
import { RESPONSE_WORKS } from "../../../src/store/responses/response-works.ts";
import { methodsOf, workOf } from "../../../src/store/sql/port.ts";
import { isSet, runAwaited, type Work } from "../../../src/store/sql/work.ts";
import { type Customer, newCustomer, OUTCOME, settleOp } from "../../../src/store/suite/books.ts";
import { callEverything, type EveryPort } from "../../../src/store/suite/every-call.ts";
import { upkeepStore } from "../../../src/store/upkeep/upkeep-calls.ts";
import { UPKEEP_WORKS } from "../../../src/store/upkeep/upkeep-works.ts";
import { userStore } from "../../../src/store/users/user-calls.ts";
import { USER_WORKS } from "../../../src/store/users/user-works.ts";
import { administration } from "../../../src/store/vendors/administration-calls.ts";
import { ADMINISTRATION_WORKS } from "../../../src/store/vendors/administration-works.ts";
import { fill } from "../../fill/fill.ts";
import { freshDatabase } from "../../support/postgres.ts";

/** Tables whose rows grow with the calls, the customers or the time, as patterns. */
const GROWING = [
  ...["requests_early", "requests_other", "requests_\\d{4}_\\d{2}"],
  ...["entries", "usage_days", "idempotency", "late_settlements", "gone_charges", "entry_ids"],
  ...["accounts", "keys", "key_state", "key_tags", "users", "sessions", "identities", "audit_log"],
  ...["stored_responses", "stored_items"],
  ...["traffic_hours", "traffic_days", "traffic_account_hours", "traffic_account_days", "traffic_key_days"],
  ...["vendor_slots", "refusals", "usage_tags", "request_tag_names", "request_tag_values"],
];
const SCANS_GROWING = new RegExp(`Seq Scan on (${GROWING.join("|")})\\b`);
const IS_GROWING = new RegExp(`^(${GROWING.join("|")})$`);

/** Methods that give or sum up all rows of a table: there is nothing to look up. */
const WHOLE: Readonly<Record<string, readonly string[]>> = {
  listAccounts: ["accounts"],
  listKeys: ["keys", "key_state"],
  // Of all accounts.
  listTagNames: ["keys", "key_tags", "request_tag_names"],
  listUsers: ["users"],
  // Words that a person types are looked for in every user's name and e-mail.
  searchUsers: ["users"],
  // The newest administrators among all users, at a sign-in page.
  administratorCanSignIn: ["users"],
  state: ["accounts"],
  // How many have limits of their own, for a line above the lists of them.
  countLimits: ["keys", "accounts"],
  // All wallets together, for a line above the list of accounts.
  sumAccounts: ["accounts"],
  dropAnswers: ["idempotency"],
  recountTraffic: [
    "vendor_slots",
    ...["traffic_hours", "traffic_days", "traffic_account_hours", "traffic_account_days", "traffic_key_days"],
  ],
  // Whoever signs in takes away all sessions that are over: those that are left are few.
  openSession: ["sessions"],
  spendLink: ["sessions"],
  signInByIdentity: ["sessions"],
};

const STATES = [
  { what: "was made this minute", requests: 0, analysed: false },
  { what: "has ten thousand requests and was never analysed", requests: 10_000, analysed: false },
  { what: "has ten thousand requests and was analysed", requests: 10_000, analysed: true },
] as const;

for (const { what, requests, analysed } of STATES) {
  describe(`on a database that ${what}`, () => {
    let scene: Scene;

    beforeAll(async () => {
      scene = await openScene(requests, analysed);
    }, 180_000);
    afterAll(() => scene?.close());

    test("every statement of a batch finds its rows by indices, and running requests among the running ones", async () => {
      const { explain, customer } = scene;
      const texts = new SharedTexts();
      const { account, key } = customer;
      const known = { account_id: account.id, key_id: key.id };
      for (const ownerOf of [() => known, () => undefined]) {
        for (const ops of batchesOf(customer)) {
          await explain.run("books", "commit", commitAlone(ops, { texts, ownerOf }));
        }
      }
      const plans = explain.plansOf("commit");
      expect(plans.length).toBeGreaterThan(18);
      const astray = plans.filter(({ plan }) =>
        /Seq Scan on (?!requests_held)|Bitmap Heap Scan|Hash Join|Merge Join/.test(plan),
      );
      expect(astray).toEqual([]);
      for (const { statement, plan } of plans) {
        if (/^UPDATE requests/.test(statement)) expect(plan).not.toMatch(/requests_(?!held)\w+ /);
      }
      // What the triggers ask for has no plan to be seen from outside; the server counts what they scan.
      expect(await explain.scanned()).toEqual([]);
    }, 60_000);

    test("every other call finds its rows by indices, but for those that ask for whole tables", async () => {
      const { explain, asked, ports } = scene;
      await callEverything(ports, asked);
      const works = [
        ACCOUNT_WORKS,
        USER_WORKS,
        ADMINISTRATION_WORKS,
        RESPONSE_WORKS,
        UPKEEP_WORKS,
        REBUILD_WORKS,
        AUDIT_WORKS,
      ];
      const methods = works.flatMap((each) => methodsOf(each).map(String));
      expect(methods.filter((method) => explain.plansOf(method).length === 0)).toEqual([]);
      const astray = methods.flatMap((method) =>
        explain.plansOf(method).flatMap(({ statement, plan }) => {
          const table = SCANS_GROWING.exec(plan)?.[1];
          return table === undefined || WHOLE[method]?.includes(table) ? [] : [`${method}: ${statement}\n${plan}`];
        }),
      );
      expect(astray).toEqual([]);
    }, 60_000);
  });
}

interface Scene {
  readonly explain: Explainer;
  readonly customer: Customer;
  readonly asked: { readonly account_id: string; readonly key_id: string; readonly request_id: string };
  readonly ports: EveryPort;
  close(): Promise<void>;
}

const MONTHS = 13;

/** The database with requests: it is young first, and then analysed. */
let with_requests: string | null = null;

async function openScene(requests: number, analysed: boolean): Promise<Scene> {
  const filled = requests > 0 ? with_requests : null;
  const url = filled ?? (await freshDatabase());
  const node_id = newId("node");
  const store = await openStore({ url, node_id });
  // As many as a year makes, most of them without a row.
  await store.upkeep.makeMonths(Date.now() - MONTHS * 31 * 86_400_000);
  const raw = new SQL(url, { max: 1 });
  // The server must not analyse the tables by itself.
  await raw.unsafe("ALTER SYSTEM SET autovacuum = off");
  await raw.unsafe("SELECT pg_reload_conf()");
  if (requests > 0 && filled === null) {
    with_requests = url;
    const options = {
      accounts: 20,
      days: 30,
      seed: 7,
      at_once: 1000,
      in_two_steps: false,
      with_tags: true,
      young: true,
    };
    await fill({ ...options, requests, database: url }, () => {});
  }
  if (analysed) await raw.unsafe("VACUUM ANALYZE");
  const [found] = await raw.unsafe<{ account_id: string; key_id: string; request_id: string }[]>(
    "SELECT account_id, key_id, id AS request_id FROM requests LIMIT 1",
  );
  const asked = found ?? { account_id: "acct_none", key_id: "key_none", request_id: "req_none" };
  const database = { store, node_id, execute: (text: string) => raw.unsafe(text), crash: never, close: never };
  const customer = await newCustomer(database, 1_000_000);
  const explain = new Explainer(url);
  const close = async (): Promise<void> => {
    await Promise.all([explain.close(), store.close(), raw.close()]);
  };
  return { explain, customer, asked, ports: portsOf(explain), close };
}

/** Every port, with each work explained as it runs, on a session that is set as the one it has in a gateway. */
function portsOf(explain: Explainer): EveryPort {
  const on =
    <Method extends string>(
      works: { readonly [M in Method]: (...args: never[]) => Work<unknown> },
      kind: (method: Method) => SessionKind,
    ) =>
    (method: Method, args: readonly unknown[]) =>
      explain.run(kind(method), method, workOf(works, method, args));
  const pool = (): SessionKind => "pool";
  const reports = (): SessionKind => "reports";
  return {
    accounts: accountStore(
      on(ACCOUNT_WORKS, (method) => (isSnapshot(method) || isReport(method) ? "reports" : "pool")),
    ),
    users: userStore(on(USER_WORKS, pool)),
    deliveries: deliveryStore(on(DELIVERY_WORKS, pool)),
    administration: administration(on(ADMINISTRATION_WORKS, pool)),
    responses: responseStore(on(RESPONSE_WORKS, pool)),
    upkeep: upkeepStore(on(UPKEEP_WORKS, reports)),
    rebuild: rebuildMethods(on(REBUILD_WORKS, reports)),
    audit: auditSlices(on(AUDIT_WORKS, reports)),
  };
}

/** Statements that no plan is made for. */
const CHANGES_TABLES = /^(LOCK|CREATE|ALTER|DROP) /;
const SESSIONS = { books: { ...BY_KEY, ...PLANNED_ONCE }, pool: BY_KEY, reports: REPORTING } as const;
type SessionKind = keyof typeof SESSIONS;

interface Planned {
  readonly statement: string;
  readonly plan: string;
}

/** Runs works, each in one transaction, and keeps the plan of each of their statements, as the server makes it for any parameters. */
class Explainer {
  readonly #sessions: Readonly<Record<SessionKind, SQL>>;
  readonly #plans = new Map<string, Map<string, string>>();

  constructor(url: string) {
    const session = (kind: SessionKind): SQL => new SQL(url, { max: 1, connection: SESSIONS[kind] });
    this.#sessions = { books: session("books"), pool: session("pool"), reports: session("reports") };
  }

  plansOf(name: string): Planned[] {
    return Array.from(this.#plans.get(name) ?? [], ([statement, plan]) => ({ statement, plan }));
  }

  async run<Result>(kind: SessionKind, name: string, work: Work<Result>): Promise<Result> {
    const plans = this.#plans.get(name) ?? new Map<string, string>();
    this.#plans.set(name, plans);
    return (await this.#sessions[kind].begin(async (connection) => {
      return await runAwaited(work, async (step) => {
        const text = step.statement.postgres;
        if (isSet(step) && step.params.length === 0) return [];
        if (!plans.has(text) && CHANGES_TABLES.test(text)) plans.set(text, "no plan");
        if (!plans.has(text)) {
          const lines: Record<"QUERY PLAN", string>[] = await connection.unsafe(`EXPLAIN (GENERIC_PLAN) ${text}`);
          plans.set(text, lines.map((line) => line["QUERY PLAN"]).join("\n"));
        }
        if (!isSet(step)) return await connection.unsafe(text, [...step.params]);
        return await connection.unsafe(text, [encodeSet(step)]);
      });
    })) as Result;
  }

  /** The growing tables that the books' session has scanned. */
  async scanned(): Promise<string[]> {
    const { books } = this.#sessions;
    await books.unsafe("SELECT pg_stat_force_next_flush()");
    const found = await books.unsafe<{ relname: string }[]>(
      "SELECT relname FROM pg_stat_user_tables WHERE seq_scan > 0 AND last_seq_scan > $1::timestamptz ORDER BY relname",
      [this.#since],
    );
    return found.map(({ relname }) => relname).filter((name) => IS_GROWING.test(name));
  }

  readonly #since = new Date().toISOString();

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#sessions).map((each) => each.close()));
  }
}

/** Batches that need every statement of a commit. */
function batchesOf(customer: Customer): LedgerOp[][] {
  const admits = Array.from({ length: 8 }, (_, at) =>
    customer.admitOp({
      hold_micro: micro(50),
      idempotency: at === 0 ? { key: newId("req"), fingerprint: "f" } : null,
      budget: { amount_micro: micro(900_000), window: "day" },
      tags: at < 4 ? JSON.stringify({ team: "search", run: `${at}` }) : null,
    }),
  );
  const [first = "", second = "", third = "", fourth = ""] = admits.map(({ request_id }) => request_id);
  const progress = { ...settleOp(second), op: "progress" as const, ttl_ms: 60_000 };
  return [
    [...admits],
    [{ op: "extend", request_id: second, add_micro: micro(5) }, progress],
    [
      settleOp(first, { outcome: { ...OUTCOME, attempts: ATTEMPTS } }),
      { op: "void", request_id: second, outcome: OUTCOME, operator_loss_micro: micro(0) },
      settleOp(third, { outcome: { ...OUTCOME, upstream_cost_micro: micro(3) } }),
      settleOp(fourth),
    ],
    // One that has ended already.
    [settleOp(first)],
  ];
}

const ATTEMPTS = [
  { vendor: "acme", upstream_model: "swift-1", status: 200, error: null, first_byte_ms: 1, duration_ms: 2 },
] as const;

async function never(): Promise<void> {
  throw new Error("not asked for");
}
