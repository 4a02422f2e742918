import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { freshDatabase } from "../../../proofs/support/postgres.ts";
import { seededRandom } from "../../../proofs/support/seeded-random.ts";
import { requestIdsFrom } from "../../core/ids.ts";
import { micro, ZERO } from "../../core/money/money.ts";
import type { RefusalSum, RefusedRequest } from "../../core/operations/refusals.ts";
import { pastTheLaws } from "../suite/audit.suite.ts";
import { Customer, newKey, OUTCOME, settleOp, type TestDatabase } from "../suite/books.ts";
import { openOnCells } from "../suite/cells-database.ts";
import { dayNamed, spendOn, TODAY } from "../suite/explore.suite.ts";
import { openOnPostgres } from "../suite/postgres-database.ts";
import { ATTEMPT, count, HOUR, MS_PER_HOUR } from "../suite/traffic-scene.ts";
import { everyReport, pagesOf, walkedLists } from "../suite/whole-reports.ts";

/** What the parts of three cells become is what one database says that has the same rows (docs/adr/0085). */

const ACCOUNTS = 9;
const REQUESTS = 90;
const DAYS = 12;
const NOW_MS = HOUR * MS_PER_HOUR;
const random = seededRandom(43);
const draw = (most: number): number => Math.floor(random() * most);
const emailOf = (at: number): string => `m${at}@example.com`;
const idOf = (at: number): string => `acct_part${7 * at}`;
const keyOf = (at: number): string => `key_merged${at}`;

interface DrawnRequest {
  readonly id: string;
  readonly account: number;
  readonly key: number;
  readonly model: string;
  readonly vendor: string;
  readonly end: "settled" | "failed" | "left" | "held";
  readonly charge: number;
  readonly created_ms: number;
}

/** In the order of their admission, within the last five days and in the same hours, some in one millisecond, of one client's id in several accounts. */
function drawRequests(): DrawnRequest[] {
  const drawn = Array.from({ length: REQUESTS }, (_, at) => {
    const created_ms = NOW_MS - (1 + draw(110)) * MS_PER_HOUR + draw(4) * 1000;
    const account = draw(ACCOUNTS);
    return {
      id: `${requestIdsFrom(created_ms)}merged${String(at).padStart(9, "0")}`,
      ...{ account, created_ms, key: 2 * account + draw(2), charge: 1 + draw(40) },
      model: `acme/m${draw(4)}`,
      vendor: `vendor-${draw(3)}`,
      end: (["settled", "settled", "settled", "failed", "left", "held"] as const)[draw(6)] ?? "settled",
    };
  });
  return drawn.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

const REQUESTS_DRAWN = drawRequests();
const USAGE = Array.from({ length: 80 }, () => ({
  key: draw(2 * ACCOUNTS),
  day: TODAY - 1 - draw(DAYS),
  model: `acme/m${draw(5)}`,
  // Of few values, so that groups are equally dear.
  cost: draw(4),
  count: draw(3),
}));
const REFUSALS = Array.from({ length: 60 }, (_, at) => ({
  key: draw(2 * ACCOUNTS),
  minute: draw(6),
  second: draw(3),
  at,
}));

async function fill(database: TestDatabase): Promise<void> {
  const { accounts, upkeep } = database.store;
  const customers: Customer[] = [];
  for (let at = 0; at < ACCOUNTS; at += 1) {
    const account = await accounts.createAccount({ id: idOf(at), email: emailOf(at), name: `Merged ${at % 3}` });
    await accounts.addEntry({
      account_id: account.id,
      kind: "credit",
      amount_micro: micro(9000),
      note: "",
      actor: "test",
    });
    for (const no of [2 * at, 2 * at + 1]) {
      const key = await accounts.createKey({
        ...newKey(account.id),
        id: keyOf(no),
        hash: `hash-${no}`,
        name: `k${no % 4}`,
      });
      await accounts.updateKey(key.id, { tags: { team: ["red", "blue", "green"][no % 3] ?? "" } });
      customers.push(new Customer(database, account, (await accounts.findKey(key.id)) ?? key));
    }
  }
  await admitAll(customers);
  await atTheirTimes(database);
  for (const { key, cost, count: calls, ...each } of USAGE) {
    if (calls > 0) await spendOnce(customers[key] as Customer, { ...each, cost, calls });
  }
  await upkeep.writeRefusals(REFUSALS.map((each) => refusalOf(each)));
  await upkeep.writeRefusedRequests(REFUSALS.map((each) => refusedOf(each)));
  await count(database);
}

async function admitAll(customers: readonly Customer[]): Promise<void> {
  for (const { id, key, model, vendor, end, charge } of REQUESTS_DRAWN) {
    const customer = customers[key] as Customer;
    const asked = { request_id: id, client_request_id: `job-${charge % 8}`, model, requested_model: model };
    const [admitted] = await customer.commit(customer.admitOp(asked));
    expect(admitted?.outcome).toBe("admitted");
    const outcome = { ...OUTCOME, attempts: [{ vendor, ...ATTEMPT }] };
    if (end === "settled") await customer.commit(settleOp(id, { model, outcome, charge_micro: micro(charge) }));
    if (end === "left") await customer.commit(settleOp(id, { model, outcome: { ...outcome, error: "client_left" } }));
    const failed = { ...outcome, error: "provider_error" } as const;
    if (end === "failed")
      await customer.commit({ op: "void", request_id: id, outcome: failed, operator_loss_micro: ZERO });
  }
}

/** Rows get the times that they would have, the same in both. */
async function atTheirTimes(database: TestDatabase): Promise<void> {
  const times = REQUESTS_DRAWN.map(({ id, created_ms }) => `('${id}', ${created_ms}::bigint)`).join(", ");
  await pastTheLaws(database, [
    `UPDATE requests SET created_ms = at.ms, ended_ms = CASE WHEN ended_ms IS NULL THEN NULL ELSE at.ms + 400 END
      FROM (VALUES ${times}) AS at(id, ms) WHERE requests.id = at.id`,
  ]);
  // Usage is that of the day on which the test runs, or of two.
  await database.execute(`UPDATE usage_days SET day = ${TODAY} WHERE day > ${TODAY}`);
  for (let at = 0; at < ACCOUNTS; at += 1) {
    // Three rows share each time.
    const ms = NOW_MS - Math.floor(at / 3) * 1000;
    await database.execute(`UPDATE accounts SET created_ms = ${ms} WHERE email = '${emailOf(at)}'`);
    for (const no of [2 * at, 2 * at + 1])
      await database.execute(`UPDATE keys SET created_ms = ${ms} WHERE id = '${keyOf(no)}'`);
    const object = `'settings', 'object-${at}', '${idOf(at)}'`;
    for (const no of [0, 1])
      await database.execute(
        `INSERT INTO audit_log (id, created_ms, actor_kind, actor_name, action, noun, object_kind, object_id, account_id)
          VALUES ('audit_${at}_${no}', ${NOW_MS + Math.floor(at / 3) * 1000}, 'gateway', 'gateway', 'account.update', 'account', ${object})`,
      );
  }
}

interface Spent {
  readonly day: number;
  readonly model: string;
  readonly cost: number;
  readonly calls: number;
}

/** Of a place that was drawn before nothing more is added. */
async function spendOnce(customer: Customer, { day, model, cost, calls }: Spent): Promise<void> {
  await spendOn(customer, day, [{ model, cost, count: calls }]).catch(() => {});
}

type DrawnRefusal = (typeof REFUSALS)[number];

function refusalOf({ key, minute, second, at }: DrawnRefusal): RefusalSum {
  const place = {
    account_id: idOf(key >> 1),
    key_id: keyOf(key),
    endpoint: "messages",
    minute: NOW_MS / 60_000 - minute,
  };
  const newest = {
    request_id: `${requestIdsFrom((place.minute * 60 + second) * 1000)}refused${String(at).padStart(8, "0")}`,
    client_request_id: null,
    last_ms: (place.minute * 60 + second) * 1000,
  };
  return { ...place, ...newest, code: "invalid_json", status: 400, count: 1 + (at % 3), model: "acme/m1", param: null };
}

function refusedOf(drawn: DrawnRefusal): RefusedRequest {
  const { minute: _, last_ms, count: __, ...sum } = refusalOf(drawn);
  return {
    ...sum,
    client_request_id: `client-${drawn.at % 5}`,
    asked_model: sum.model,
    message: "No.",
    at_ms: last_ms,
  };
}

describe("three cells and one database with the same rows", () => {
  let one: TestDatabase;
  let three: TestDatabase;

  beforeAll(async () => {
    one = await openOnPostgres(await freshDatabase(), "read committed");
    three = await openOnCells([await freshDatabase(), await freshDatabase(), await freshDatabase()]);
    await Promise.all([fill(one), fill(three)]);
  }, 120_000);
  afterAll(() => Promise.all([one.close(), three.close()]));

  test("have accounts in each cell", async () => {
    const homes = await three.execute("SELECT DISTINCT cell FROM accounts");
    expect(new Set((homes as { cell: string | null }[]).map(({ cell }) => cell))).toEqual(
      new Set([null, "cell1", "cell2"]),
    );
  });

  for (const [name, report] of everyReport({ first: dayNamed(TODAY - DAYS), last: dayNamed(TODAY), hour: HOUR })) {
    test(`report the same: ${name}`, async () => {
      expect(await report(three.store.accounts)).toEqual(await report(one.store.accounts));
    });
  }

  for (const [name, walk] of walkedLists()) {
    test(`list the same, however long their pages are: ${name}`, async () => {
      const whole = await walk(one.store, 1000);
      expect(whole.length).toBeGreaterThan(2);
      for (const limit of [1, 2, 3, 7, 1000]) expect(await walk(three.store, limit)).toEqual(whole);
    });
  }

  test("list each entry of the audit log once, newest first, in one order however long the pages are", async () => {
    const walk = ({ store }: TestDatabase, limit: number) =>
      pagesOf(async (before_id) =>
        store.users.listAuditEntries({ limit, action: "account.update", ...(before_id && { before_id }) }),
      );
    const whole = await walk(one, 1000);
    const parts = await walk(three, 1000);
    expect(parts.map(({ created_ms }) => created_ms)).toEqual(whole.map(({ created_ms }) => created_ms));
    expect(new Set(parts.map(({ id }) => id))).toEqual(new Set(whole.map(({ id }) => id)));
    for (const limit of [1, 2, 3, 7]) expect(await walk(three, limit)).toEqual(parts);
  });
});
