import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { micro } from "../../core/money/money.ts";
import { OTHER_TAGS } from "../../core/people/keys.ts";
import type { UsageQuery } from "../../core/store/ports.ts";
import { MOST_TAG_NAMES_A_DAY, MOST_TAG_VALUES_A_DAY } from "../../ledger/books/request-tags.ts";
import { type Customer, newCustomer, newKey, problemsOf, type TestDatabase } from "./books.ts";

/** Tags that requests carry themselves (docs/design/tags-and-projects.md). */
export function requestTagsSuite(database: () => TestDatabase): void {
  describe("tags of requests", () => {
    sumTests(database);
    endTests(database);
    boundTests(database);
    listTests(database);
  });
}

type Tags = Readonly<Record<string, string>>;

const text = (tags: Tags | null) => (tags === null ? null : JSON.stringify(tags));

/** The groups of a tag in a report: requests and charges. */
async function groupsOf({ database, account }: Customer, tag: string, more: Partial<UsageQuery> = {}) {
  const asked = { account_id: account.id, since: null, until: null, by: "tag", tag, ...more } as const;
  const found = await database.store.accounts.usageReport(asked);
  return Object.fromEntries(
    found.map((row) => [row.group, [row.request_count, Number(row.cost_micro)] as [number, number]]),
  );
}

async function totalOf(customer: Customer, more: Partial<UsageQuery> = {}): Promise<[number, number]> {
  const groups = Object.values(await groupsOf(customer, "team", { by: "account", ...more }));
  return groups[0] ?? [0, 0];
}

const OWN = fc.option(
  fc.dictionary(fc.constantFrom("team", "feature"), fc.constantFrom("search", "ads", 'q"uo\\te', "ärger 🐫"), {
    minKeys: 1,
    maxKeys: 2,
  }),
);

/** Calls of a history: by which key, with which tags, and how they end. */
const CALLS = fc.array(
  fc.record({
    key: fc.nat(2),
    own: OWN,
    model: fc.constantFrom("acme/swift", "acme/other"),
    end: fc.constantFrom("settled", "voided", "refused", "replayed", "recovered", "late", "held"),
    charge: fc.integer({ min: 0, max: 100 }),
  }),
  { minLength: 1, maxLength: 9 },
);

type Call = typeof CALLS extends fc.Arbitrary<readonly (infer One)[]> ? One : never;

async function run(customer: Customer, key: { id: string; version: number }, call: Call, at: number): Promise<void> {
  const { database } = customer;
  const { model } = call;
  const of_key = { key_id: key.id, key_version: key.version, model, tags: text(call.own) };
  if (call.end === "refused") return void (await customer.admit({ ...of_key, hold_micro: micro(10n ** 12n) }));
  const repeated = { ...of_key, idempotency: { key: `${at}`, fingerprint: "f" } };
  const request_id = await customer.hold(call.end === "replayed" ? repeated : of_key);
  const charge_micro = micro(call.charge);
  const body = new Uint8Array([1]);
  const answer = call.end === "replayed" ? { status: 200, content_type: "text/plain", headers: {}, body } : null;
  switch (call.end) {
    case "held":
      return;
    case "voided":
      return void (await customer.void(request_id));
    case "settled":
    case "replayed":
      await customer.settle(request_id, { model, charge_micro, answer });
      if (answer !== null) await customer.admit(repeated);
      return;
    case "recovered":
    case "late":
      await customer.progress(request_id, call.charge, { input_tokens: 10 });
      await database.execute(`UPDATE requests SET deadline_ms = 1 WHERE id = '${request_id}'`);
      await database.store.ledger.sweep(database.node_id);
      if (call.end === "late") await customer.settle(request_id, { charge_micro: micro(7) });
  }
}

/** The counts of a call: requests and charges. */
function countOf({ end, charge }: Call): [requests: number, charge: number] {
  if (end === "held") return [0, 0];
  if (end === "replayed") return [2, charge];
  if (end === "late") return [1, 7];
  return [1, end === "settled" || end === "recovered" ? charge : 0];
}

function expectedGroups(calls: readonly Call[], name: string, key_values: readonly (string | null)[]) {
  const groups: Record<string, [number, number]> = {};
  for (const call of calls) {
    const [requests, charge] = countOf(call);
    if (requests === 0) continue;
    const value = call.own?.[name] ?? (name === "team" ? key_values[call.key] : null) ?? "";
    const [before, cost] = groups[value] ?? [0, 0];
    groups[value] = [before + requests, cost + charge];
  }
  return groups;
}

function sumTests(database: () => TestDatabase): void {
  test("each request counts under its own value, else under its key's, and all groups add up to the whole, also anew", async () => {
    await fc.assert(
      fc.asyncProperty(CALLS, async (calls) => {
        const customer = await newCustomer(database(), 100_000);
        const { accounts } = database().store;
        const key_values = [null, "search", "brand"];
        const keys = [customer.key];
        for (const team of key_values.slice(1))
          keys.push(await accounts.createKey(newKey(customer.account.id, { tags: { team: team ?? "" } })));
        for (const [at, call] of calls.entries()) await run(customer, keys[call.key] ?? customer.key, call, at);

        const check = async (): Promise<void> => {
          const whole = calls.map(countOf).reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
          expect(await totalOf(customer)).toEqual(whole);
          for (const name of ["team", "feature", "absent"]) {
            const expected = expectedGroups(calls, name, key_values);
            expect(await groupsOf(customer, name)).toEqual(expected);
            expect(await groupsOf(customer, name, { project_id: "" })).toEqual(expected);
            for (const [tag_value, sums] of Object.entries(expected))
              expect(await totalOf(customer, { tag: name, tag_value })).toEqual(sums);
          }
          expect(await totalOf(customer, { tag: "team", tag_value: "nobody" })).toEqual([0, 0]);
          expect(await problemsOf(customer)).toEqual([]);
        };
        await check();
        const account_id = customer.account.id;
        await database().execute(
          `UPDATE usage_tags SET cost_micro = cost_micro + 3 WHERE account_id = '${account_id}'`,
        );
        const tagged = calls.some((call) => call.own !== null && countOf(call)[0] > 0);
        expect((await problemsOf(customer)).length > 0).toBe(tagged);
        await database().store.rebuildUsage({ account_id, after: null, for_ms: 10_000 });
        await check();
      }),
      { numRuns: 8 },
    );
  });

  test("a report by day and tag, by key of a tag, and of a project's has the same sums", async () => {
    const customer = await newCustomer(database(), 1000);
    const { accounts } = database().store;
    await customer.settle(await customer.hold({ tags: text({ team: "ads" }) }), { charge_micro: micro(5) });
    await customer.settle(await customer.hold(), { charge_micro: micro(7) });
    const asked = { account_id: customer.account.id, since: "2020-01-01", until: "2100-01-01", limit: 100, top: null };
    const by_day = await accounts.exploreUsage({ ...asked, group: "tag", tag: "team", by_day: true });
    expect(by_day.rows.map(({ group, cost_micro }) => [group, cost_micro])).toEqual([
      ["", micro(7)],
      ["ads", micro(5)],
    ]);
    const of_tag = { ...asked, tag: "team", tag_value: "ads", by_day: false } as const;
    const by_key = await accounts.exploreUsage({ ...of_tag, group: "key" });
    expect(by_key.rows.map(({ group, cost_micro }) => [group, cost_micro])).toEqual([[customer.key.id, micro(5)]]);
    expect((await accounts.exploreUsage({ ...of_tag, group: "project" })).total.cost_micro).toBe(micro(5));
    expect((await accounts.exploreUsage({ ...of_tag, group: null, by_day: true })).total.cost_micro).toBe(micro(5));
  });
}

function endTests(database: () => TestDatabase): void {
  test("a crash loses nothing of them: what was decided is counted once, and what ran is counted when it ends", async () => {
    const customer = await newCustomer(database(), 1000);
    const tags = text({ team: "ads", feature: "x" });
    const running = await customer.hold({ tags });
    await customer.settle(await customer.hold({ tags }), { charge_micro: micro(5) });
    await database().crash();
    await customer.settle(running, { charge_micro: micro(9) });
    expect(await groupsOf(customer, "team")).toEqual({ ads: [2, 14] });
    expect(await groupsOf(customer, "feature")).toEqual({ x: [2, 14] });
    expect(await problemsOf(customer)).toEqual([]);
  });
}

function boundTests(database: () => TestDatabase): void {
  test("values and names beyond a day's bounds are counted as others, and receipts keep what was sent", async () => {
    const customer = await newCustomer(database(), 1_000_000);
    const { accounts } = database().store;
    const spend = async (tags: Tags): Promise<string> => {
      const request_id = await customer.hold({ tags: text(tags), hold_micro: micro(1) });
      await customer.settle(request_id, { charge_micro: micro(1) });
      return request_id;
    };
    const id = customer.account.id;
    // One value less than there is room for.
    await spend({ run: "first" });
    const rows = Array.from({ length: MOST_TAG_VALUES_A_DAY - 2 }, (_, at) => `('${id}', {day}, 'run', 'v${at}')`);
    const day = Math.floor(Date.now() / 86_400_000);
    await database().execute(
      `INSERT INTO request_tag_values (account_id, day, name, value) VALUES ${rows.join(", ").replaceAll("{day}", `${day}`)}`,
    );
    await spend({ run: "last" });
    const folded = await spend({ run: "too many" });
    await spend({ run: "another" });
    await spend({ run: "first" });
    expect(await groupsOf(customer, "run")).toEqual({ first: [2, 2], last: [1, 1], [OTHER_TAGS]: [2, 2] });
    expect(await accounts.findRequest(id, folded)).toMatchObject({
      tags: { run: "too many" },
      tags_counted: { run: OTHER_TAGS },
    });
    for (let at = 1; at < MOST_TAG_NAMES_A_DAY; at += 1)
      await database().execute(
        `INSERT INTO request_tag_values (account_id, day, name, value) VALUES ('${id}', ${day}, 'n${at}', 'x')`,
      );
    await spend({ one: "a", two: "b", run: "last" });
    expect(await groupsOf(customer, "one")).toEqual({ "": [6, 6] });
    expect(await groupsOf(customer, OTHER_TAGS)).toEqual({ "": [5, 5], [OTHER_TAGS]: [1, 1] });
    expect(await groupsOf(customer, "run")).toMatchObject({ last: [2, 2] });
    expect(await problemsOf(customer)).toEqual([]);
  });
}

function listTests(database: () => TestDatabase): void {
  test("find the requests that carried a value, or lack the tag, and name the tags in use", async () => {
    const customer = await newCustomer(database(), 1000);
    const { accounts } = database().store;
    const found = async (name: string, value: string): Promise<string[]> => {
      const query = { account_id: customer.account.id, tag: { name, value }, limit: 10 };
      return (await accounts.listRequests(query)).requests.map(({ id }) => id);
    };
    const ads = await customer.hold({ tags: text({ team: "ads", note: 'x","team":"search' }) });
    const search = await customer.hold({ tags: text({ team: "search" }) });
    const plain = await customer.hold();
    await customer.settle(ads);
    expect(await found("team", "ads")).toEqual([ads]);
    expect(await found("team", "search")).toEqual([search]);
    expect(await found("note", 'x","team":"search')).toEqual([ads]);
    expect(await found("team", "ad")).toEqual([]);
    expect(await found("team", "")).toEqual([plain]);
    expect(await found("note", "")).toEqual([plain, search]);
    expect(await accounts.findRequest(null, plain)).not.toHaveProperty("tags");
    expect((await accounts.findRequest(null, ads))?.tags).toEqual({ team: "ads", note: 'x","team":"search' });
    expect(await accounts.listTagNames(customer.account.id, 9)).toEqual([
      { name: "note", key_count: 0 },
      { name: "team", key_count: 0 },
    ]);
  });
}
