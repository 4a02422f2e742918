import { describe, expect, test } from "bun:test";
import { newId } from "../../core/ids.ts";
import { micro } from "../../core/money/money.ts";
import { NO_USAGE } from "../../core/money/usage.ts";
import { type KeyRecord, type Limits, NO_LIMITS } from "../../core/people/principal.ts";
import type { ProjectRecord } from "../../core/people/projects.ts";
import { type Customer, newCustomer, newKey, problemsOf, rejectionOf, settleOp, type TestDatabase } from "./books.ts";

/** Projects: groups of keys with limits of their own (docs/design/tags-and-projects.md). */
export function projectsSuite(database: () => TestDatabase): void {
  describe("the limits of a project", () => {
    rateTests(database);
    budgetTests(database);
    lifeTests(database);
  });
  describe("the usage of a project", () => usageTests(database));
  describe("projects", () => changeTests(database));
}

interface Team {
  readonly customer: Customer;
  readonly project: ProjectRecord;
  /** The outcomes of an admission by another key of the project, and by a key of the account without a project. */
  readonly by_other: { readonly key_id: string; readonly key_version: number };
  readonly by_stranger: { readonly key_id: string; readonly key_version: number };
}

/** A customer with 1,000 whose key and another one belong to a project with these limits. */
async function newTeam(database: TestDatabase, limits: Partial<Limits>): Promise<Team> {
  const customer = await newCustomer(database, 1000);
  const project = await newProject(customer, limits);
  await customer.changeKey({ project_id: project.id });
  const other = await addKey(customer, project.id);
  const stranger = await addKey(customer, null);
  return { customer, project, by_other: named(other), by_stranger: named(stranger) };
}

function newProject({ database, account }: Customer, limits: Partial<Limits> = {}, name = newId("proj")) {
  const project = { id: newId("proj"), account_id: account.id, name, limits: { ...NO_LIMITS, ...limits } };
  return database.store.accounts.createProject(project);
}

function addKey({ database, account }: Customer, project_id: string | null): Promise<KeyRecord> {
  return database.store.accounts.createKey(newKey(account.id, { project_id }));
}

function named({ id, version }: KeyRecord) {
  return { key_id: id, key_version: version };
}

function rateTests(database: () => TestDatabase): void {
  test("requests of its keys count together, and a refusal says that the project refused", async () => {
    const { customer, by_other, by_stranger } = await newTeam(database(), { rpm: 2 });
    expect(await customer.admit({ rpm: 10 })).toMatchObject({
      outcome: "admitted",
      rate: { requests: { limit: 2, remaining: 1 } },
    });
    expect(await customer.admit(by_other)).toMatchObject({ outcome: "admitted" });
    expect(await customer.admit({ rpm: 10 })).toMatchObject({
      ...{ outcome: "rate_limited", limit: "requests", of: "project" },
    });
    expect(await customer.admit(by_stranger)).toMatchObject({ outcome: "admitted" });
    const refused = await customer.admit({ rpm: 1 });
    expect(refused).toMatchObject({ outcome: "rate_limited", limit: "requests" });
    expect(refused).not.toHaveProperty("of");
  });

  test("requests in flight and tokens of its keys count together, until they end", async () => {
    const { customer, by_other } = await newTeam(database(), { concurrent: 2, tpm: 100 });
    const first = await customer.hold({ bound_tokens: 40 });
    expect(await customer.admit({ ...by_other, bound_tokens: 70 })).toMatchObject({ limit: "tokens", of: "project" });
    const second = await customer.hold({ ...by_other, bound_tokens: 10 });
    expect(await customer.admit({ bound_tokens: 1 })).toMatchObject({ limit: "concurrency", of: "project" });
    await customer.settle(first);
    await customer.void(second);
    await customer.hold({ bound_tokens: 1 });
    expect(await problemsOf(customer)).toEqual([]);
  });

  test("the account's limits are judged beside it", async () => {
    const { customer } = await newTeam(database(), { rpm: 5 });
    const { accounts } = customer.database.store;
    await accounts.setAccountLimits(customer.account.id, { ...NO_LIMITS, rpm: 1 });
    customer.key = (await accounts.findKey(customer.key.id)) ?? customer.key;
    await customer.hold();
    expect(await customer.admit()).toMatchObject({ outcome: "rate_limited", of: "account" });
  });
}

function budgetTests(database: () => TestDatabase): void {
  const budget = { amount_micro: micro(300), window: "month" } as const;

  test("a budget covers the charges and holds of its keys, and of no other", async () => {
    const { customer, project, by_other, by_stranger } = await newTeam(database(), { budget });
    await customer.settle(await customer.hold({ hold_micro: micro(200) }), { charge_micro: micro(140) });
    await customer.settle(await customer.hold({ ...by_stranger, hold_micro: micro(200) }));
    await customer.hold({ ...by_other, hold_micro: micro(100) });
    expect(await customer.admit({ hold_micro: micro(61) })).toMatchObject({
      ...{ outcome: "budget_exceeded", of: "project", window: "month", remaining_micro: 60n },
    });
    const running = await customer.hold({ hold_micro: micro(50) });
    expect(await customer.extend(running, 100)).toMatchObject({ outcome: "extended", added_micro: 10n });
    const found = await customer.database.store.accounts.findProject(project.id);
    expect(found).toMatchObject({ key_count: 2, use: { amount_micro: 300n, spent_micro: 140n, held_micro: 160n } });
    expect(await problemsOf(customer)).toEqual([]);
  });

  test("the budget that has less left refuses, and says whose it is", async () => {
    const { customer } = await newTeam(database(), { budget });
    const of_key = { amount_micro: micro(50), window: "day" } as const;
    const refused = await customer.admit({ budget: of_key, hold_micro: micro(51) });
    expect(refused).toMatchObject({ outcome: "budget_exceeded", window: "day" });
    expect(refused).not.toHaveProperty("of");
    const { accounts } = customer.database.store;
    const of_account = { amount_micro: micro(20), window: "week" } as const;
    await accounts.setAccountLimits(customer.account.id, { ...NO_LIMITS, budget: of_account });
    customer.key = (await accounts.findKey(customer.key.id)) ?? customer.key;
    expect(await customer.admit({ hold_micro: micro(21) })).toMatchObject({ of: "account", window: "week" });
  });

  test("a budget counts what was charged before it was set, in whatever window it has", async () => {
    const { customer, project } = await newTeam(database(), {});
    await customer.settle(await customer.hold({ hold_micro: micro(200) }), { charge_micro: micro(120) });
    const { accounts } = customer.database.store;
    for (const window of ["day", "week", "month"] as const) {
      await accounts.updateProject(project.id, { limits: { budget: { amount_micro: micro(200), window } } });
      customer.key = (await accounts.findKey(customer.key.id)) ?? customer.key;
      expect(await customer.admit({ hold_micro: micro(81) })).toMatchObject({ remaining_micro: 80n, window });
    }
  });

  test("a key that is moved takes neither its past nor its running requests along", async () => {
    const { customer, project } = await newTeam(database(), { budget });
    await customer.settle(await customer.hold({ hold_micro: micro(200) }), { charge_micro: micro(140) });
    const running = await customer.hold({ hold_micro: micro(100) });
    const next = await newProject(customer, { budget });
    await customer.changeKey({ project_id: next.id });
    expect(await customer.admit({ hold_micro: micro(301) })).toMatchObject({ of: "project", remaining_micro: 300n });
    await customer.settle(running, { charge_micro: micro(60) });
    const { accounts } = customer.database.store;
    expect(await accounts.findProject(project.id)).toMatchObject({ use: { spent_micro: 200n, held_micro: 0n } });
    expect(await accounts.findProject(next.id)).toMatchObject({ use: { spent_micro: 0n, held_micro: 0n } });
    expect(await accounts.findRequest(null, running)).toMatchObject({ project_id: project.id });
    expect(await problemsOf(customer)).toEqual([]);
  });
}

function lifeTests(database: () => TestDatabase): void {
  test("they survive a crash: open requests and charges are counted", async () => {
    const budget = { amount_micro: micro(200), window: "month" } as const;
    const { customer, project } = await newTeam(database(), { concurrent: 2, budget });
    await customer.settle(await customer.hold(), { charge_micro: micro(60) });
    await customer.hold();
    await customer.database.crash();
    // The start has ended the open requests.
    await customer.hold();
    expect(await customer.admit({ hold_micro: micro(41) })).toMatchObject({ of: "project", remaining_micro: 40n });
    const { accounts } = customer.database.store;
    expect(await accounts.findProject(project.id)).toMatchObject({ use: { spent_micro: 60n, held_micro: 100n } });
    expect(await problemsOf(customer)).toEqual([]);
  });

  test("a late end is counted for the project of the request", async () => {
    const budget = { amount_micro: micro(500), window: "month" } as const;
    const { customer, project } = await newTeam(database(), { budget });
    const { store, node_id } = customer.database;
    const request_id = await customer.hold({ hold_micro: micro(100) });
    await customer.database.execute(`UPDATE requests SET deadline_ms = 1 WHERE id = '${request_id}'`);
    await store.ledger.sweep(node_id);
    await customer.settle(request_id, { charge_micro: micro(70) });
    const found = await store.accounts.findProject(project.id);
    expect(found).toMatchObject({ use: { spent_micro: 70n, held_micro: 0n } });
    expect(await customer.admit({ hold_micro: micro(431) })).toMatchObject({ remaining_micro: 430n });
    expect(await problemsOf(customer)).toEqual([]);
  });

  test("a key's record has its project, and is stale once that changes", async () => {
    const { customer, project } = await newTeam(database(), { models: ["acme/*"] });
    const { accounts } = customer.database.store;
    expect(customer.key.project).toEqual({ id: project.id, name: project.name, models: ["acme/*"], rpm: null });
    await accounts.updateProject(project.id, { name: "renamed", limits: { models: null } });
    expect(await customer.admit()).toMatchObject({ outcome: "stale_key" });
    await customer.changeKey({ project_id: null });
    expect(customer.key).not.toHaveProperty("project");
  });

  test("the audit finds counts that are not those of the requests, and a rebuild mends them", async () => {
    const budget = { amount_micro: micro(500), window: "day" } as const;
    const { customer, project } = await newTeam(database(), { budget });
    await customer.settle(await customer.hold());
    const open = await customer.hold();
    await customer.wallet();
    const { store } = customer.database;
    await customer.database.execute(
      `UPDATE projects SET open_count = 3, held_micro = 9, spent_micro = 7 WHERE id = '${project.id}'`,
    );
    expect((await problemsOf(customer)).length).toBe(2);
    await store.rebuildUsage({ account_id: customer.account.id, after: null, for_ms: 10_000 });
    expect(await problemsOf(customer)).toEqual([]);
    expect(await customer.admit({ hold_micro: micro(361) })).toMatchObject({ of: "project", remaining_micro: 360n });
    await customer.settle(open);
    expect(await problemsOf(customer)).toEqual([]);
  });
}

function usageTests(database: () => TestDatabase): void {
  test("is told apart from what belongs to no project, by every grouping", async () => {
    const { customer, project, by_stranger } = await newTeam(database(), {});
    const { store } = customer.database;
    await customer.settle(await customer.hold(), { charge_micro: micro(40) });
    await customer.settle(await customer.hold(by_stranger), { charge_micro: micro(30) });
    await customer.void(await customer.hold());
    await customer.admit({ rpm: 0 });
    const asked = { account_id: customer.account.id, since: "2020-01-01", until: "2999-12-31" } as const;
    const report = await store.accounts.usageReport({ ...asked, by: "project" });
    expect(report.map(({ group, cost_micro, request_count }) => [group, Number(cost_micro), request_count])).toEqual([
      ["", 30, 1],
      [project.id, 40, 3],
    ]);
    const explored = { ...asked, top: 5, limit: 100, by_day: true } as const;
    const by_project = await store.accounts.exploreUsage({ ...explored, group: "project" });
    expect(by_project.groups.map(({ id, cost_micro }) => [id, Number(cost_micro)])).toEqual([
      [project.id, 40],
      ["", 30],
    ]);
    expect(Number(by_project.total.cost_micro)).toBe(70);
    for (const [project_id, cost] of [
      [project.id, 40],
      ["", 30],
    ] as const) {
      for (const group of ["key", "model", null] as const) {
        const found = await store.accounts.exploreUsage({ ...explored, group, project_id });
        expect(Number(found.total.cost_micro)).toBe(cost);
      }
    }
  });

  test("a rebuilt day has the usage of the project and of tags as it was, units included", async () => {
    const { customer } = await newTeam(database(), {});
    const { store } = customer.database;
    await customer.hold();
    const usage = { ...NO_USAGE, input_tokens: 1, extra: { units: { images: 3, searches: 2 } } };
    const tagged = await customer.hold({ tags: JSON.stringify({ team: "art" }) });
    await customer.settle(tagged, { charge_micro: micro(40), usage });
    const asked = { account_id: customer.account.id, since: null, until: null } as const;
    const reports = () =>
      Promise.all([
        store.accounts.usageReport({ ...asked, by: "model" }),
        store.accounts.usageReport({ ...asked, by: "project" }),
        store.accounts.usageReport({ ...asked, by: "tag", tag: "team" }),
      ]);
    const before = await reports();
    for (const report of before) expect(report).toContainEqual(expect.objectContaining({ images: 3, searches: 2 }));
    for (const damage of ["cost_micro = 1", "images = 4", "searches = 0"]) {
      for (const table of ["usage_days", "usage_projects", "usage_tags"])
        await customer.database.execute(`UPDATE ${table} SET ${damage} WHERE account_id = '${customer.account.id}'`);
      expect(await problemsOf(customer)).toHaveLength(2);
      await store.rebuildUsage({ account_id: customer.account.id, after: null, for_ms: 10_000 });
      expect(await problemsOf(customer)).toEqual([]);
      expect(await reports()).toEqual(before);
    }
  });

  test("requests are found by their project", async () => {
    const { customer, project, by_stranger } = await newTeam(database(), {});
    const own = await customer.hold();
    const other = await customer.hold(by_stranger);
    const { accounts } = customer.database.store;
    const found = async (project_id: string) => {
      const page = await accounts.listRequests({ account_id: customer.account.id, project_id, limit: 10 });
      return page.requests.map(({ id }) => id);
    };
    expect(await found(project.id)).toEqual([own]);
    expect(await found("")).toEqual([other]);
    await customer.commit(settleOp(own), settleOp(other));
    expect(await found(project.id)).toEqual([own]);
    expect(await found("")).toEqual([other]);
  });
}

function changeTests(database: () => TestDatabase): void {
  test("are listed newest first, page by page, and found by words", async () => {
    const customer = await newCustomer(database(), 0);
    const { accounts } = customer.database.store;
    for (const name of ["alpha", "beta-of-ours", "gamma"]) await newProject(customer, {}, name);
    const list = (query: object) => accounts.listProjects(customer.account.id, { limit: 2, ...query });
    const first = await list({});
    const second = await list({ before_id: first[1]?.id });
    expect([...first, ...second].map(({ name }) => name).toSorted()).toEqual(["alpha", "beta-of-ours", "gamma"]);
    expect((await list({ search: "BETA-OF" })).map(({ name }) => name)).toEqual(["beta-of-ours"]);
  });

  test("have names of their own in their account, which a deleted one gives back", async () => {
    const customer = await newCustomer(database(), 0);
    const { accounts } = customer.database.store;
    const one = await newProject(customer, {}, "team");
    expect(String(await rejectionOf(newProject(customer, {}, "team")))).toContain("'team' already");
    const other = await newProject(customer, {}, "other");
    expect(String(await rejectionOf(accounts.updateProject(other.id, { name: "team" })))).toContain("already");
    expect(await accounts.deleteProject(one.id)).toBe(true);
    expect(await accounts.deleteProject(one.id)).toBe(false);
    expect(await accounts.findProject(one.id)).toBeNull();
    expect(await accounts.labelProjects([one.id])).toEqual([{ id: one.id, name: "team", deleted: true }]);
    expect(await accounts.updateProject(other.id, { name: "team" })).toMatchObject({ name: "team" });
  });

  test("stay while they have keys", async () => {
    const { customer, project, by_other } = await newTeam(database(), {});
    const { accounts } = customer.database.store;
    expect(String(await rejectionOf(accounts.deleteProject(project.id)))).toContain("has 2 keys");
    await customer.changeKey({ project_id: null });
    await accounts.deleteKey(by_other.key_id);
    expect(await accounts.deleteProject(project.id)).toBe(true);
  });

  test("take keys of their own account only, and none once they are deleted", async () => {
    const customer = await newCustomer(database(), 0);
    const other = await newCustomer(database(), 0);
    const { accounts } = customer.database.store;
    const { id } = await newProject(other);
    expect(String(await rejectionOf(accounts.updateKey(customer.key.id, { project_id: id })))).toContain("no project");
    expect(String(await rejectionOf(addKey(customer, id)))).toContain("no project");
    await accounts.deleteProject(id);
    expect(String(await rejectionOf(addKey(other, id)))).toContain("no project");
  });

  test("a change of another member of the key leaves its project", async () => {
    const { customer, project } = await newTeam(database(), {});
    await customer.changeKey({ rpm: 5 });
    expect(customer.key).toMatchObject({ rpm: 5, project: { id: project.id } });
  });
}
