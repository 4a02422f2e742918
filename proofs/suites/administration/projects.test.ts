import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { Errors } from "typebox/value";
import { ADMINISTRATION } from "../../../contract/administration.ts";
import { administrationClient } from "../../../contract/administration-client.ts";
import type { AuditPage } from "../../../contract/audit.ts";
import type { RaisedBudget } from "../../../contract/budgets.ts";
import type { CreatedKey, Key, KeyList } from "../../../contract/keys.ts";
import type { CreatedManagementKey } from "../../../contract/management-keys.ts";
import type { Project, ProjectList } from "../../../contract/projects.ts";
import type { ReceiptList } from "../../../contract/requests.ts";
import type { UsageExploration, UsageReport } from "../../../contract/usage.ts";
import { runHere } from "../../support/camino.ts";
import type { Gateway } from "../../support/gateway.ts";
import { invite, type Person, startTeam } from "../../support/people.ts";

/** Projects as an account's people, a program at the gateway and the command line see them. */

setDefaultTimeout(60_000);

let gateway: Gateway;
let owner: Person;
let member: Person;
let account: string;

beforeAll(async () => {
  const team = await startTeam({ owner: "owner@projects.example", credit: "25", others: ["member"] });
  ({ gateway, account, owner, member } = team);
});
afterAll(() => gateway?.[Symbol.asyncDispose]());

const make = async (fields: object) =>
  (await owner.browser.call<Project>("POST /projects", { account, ...fields })).body;
const makeKey = async (fields: object) =>
  (await owner.browser.call<CreatedKey>("POST /keys", { account, ...fields })).body;

async function ask({ key }: Pick<CreatedKey, "key">, model = "sim/echo") {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello!" }] }),
  });
  const body = (await answer.json()) as { error?: { code: string; message: string } };
  return { status: answer.status, error: body.error, id: answer.headers.get("x-camino-request-id") ?? "" };
}

/** The id of each request in the account's file of requests, with the id and name of its project. */
async function projectsInFile(): Promise<(string | undefined)[][]> {
  const url = `${gateway.url}/console/api/requests?account=${account}&format=csv`;
  const token = (await Bun.file(join(gateway.data, "admin-token")).text()).trim();
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  const [heading = "", ...lines] = (await answer.text()).trim().split(/\r?\n/);
  const names = heading.split(",");
  return lines.map((line) => {
    const cells = line.split(",");
    return ["id", "project", "project_name"].map((name) => cells[names.indexOf(name)]);
  });
}

describe("a request of a key in a project", () => {
  test("is refused by the project's rate over all of its keys, also before its body is read", async () => {
    await make({ name: "rate", rpm: 1 });
    const one = await makeKey({ project: "rate" });
    const other = await makeKey({ project: "rate" });
    expect((await ask(one)).status).toBe(200);
    for (let count = 0; count < 2; count += 1) {
      const { status, error } = await ask(other);
      expect([status, error?.code]).toEqual([429, "rate_limit_exceeded"]);
      expect(error?.message).toMatch(/^This project's limit of 1 request per minute is reached\. Retry in \d+ s\.$/);
    }
    const outside = await makeKey({});
    expect((await ask(outside)).status).toBe(200);
  });

  test("is refused by the project's budget, and the refusal says that it is the project's", async () => {
    await make({ name: "poor", budget: { amount: "0.000001", window: "month" } });
    const key = await makeKey({ project: "poor" });
    const { status, error } = await ask(key);
    expect([status, error?.code]).toEqual([402, "insufficient_balance"]);
    expect(error?.message).toStartWith("This project's budget for the month has 0.000001 USD left; this call needs ");
    expect(error?.message).toMatch(/It renews at \d{4}-\d{2}-01T00:00:00Z \(UTC\), in \d+ h\.$/);
  });

  test("reaches the project's models only, from the next call after a change on", async () => {
    const project = await make({ name: "models", models: ["none/*"] });
    const key = await makeKey({ project: "models" });
    expect((await ask(key)).error?.code).toBe("model_not_found");
    await owner.browser.call(`PATCH /projects/${project.id}`, { models: ["sim/*"] });
    expect((await ask(key)).status).toBe(200);
  });

  test("is found by its project, in lists, receipts, reports and files; a moved key takes nothing along", async () => {
    const project = await make({ name: "found" });
    const next = await make({ name: "next" });
    const key = await makeKey({ project: project.id });
    const { id } = await ask(key);
    expect((await owner.browser.call<Key>(`PATCH /keys/${key.id}`, { project: next.id })).body.project).toEqual({
      id: next.id,
      name: "next",
    });
    const listed = async (asked: string) =>
      (await owner.browser.call<ReceiptList>(`GET /requests?account=${account}&project=${asked}`)).body;
    const found = await listed(project.id);
    expect(found.data.map((receipt) => [receipt.id, receipt.project_id])).toEqual([[id, project.id]]);
    expect(found.names.projects).toEqual({ [project.id]: "found" });
    expect((await listed(next.id)).data).toEqual([]);
    expect((await listed("none")).data.map((receipt) => receipt.id)).not.toContain(id);
    const plain = await ask(await makeKey({}));
    const columns = await projectsInFile();
    expect(columns).toContainEqual([id, project.id, "found"]);
    expect(columns).toContainEqual([plain.id, "", ""]);
    const own = await fetch(`${gateway.url}/v1/requests/${id}`, { headers: { authorization: `Bearer ${key.key}` } });
    expect(await own.json()).toMatchObject({ project_id: project.id });

    const report = await owner.browser.call<UsageReport>(`GET /usage?account=${account}&by=project`);
    expect(report.body.data.find(({ group }) => group === project.id)?.request_count).toBe(1);
    const explore = `GET /usage/explore?account=${account}&by=day,project`;
    const explored = (await owner.browser.call<UsageExploration>(explore)).body;
    expect(explored.groups.find((group) => group.id === project.id)).toMatchObject({ name: "found", request_count: 1 });
    expect(explored.groups.find((group) => group.id === "")).toMatchObject({ name: null });
    const of_project = `GET /usage/explore?account=${account}&by=model&project=${project.id}`;
    expect((await owner.browser.call<UsageExploration>(of_project)).body.total.request_count).toBe(1);
    const keys = await owner.browser.call<KeyList>(`GET /keys?account=${account}&project=${next.id}`);
    expect(keys.body.data.map((each) => each.id)).toEqual([key.id]);
    const page = await owner.browser.call<KeyList>(`GET /keys?account=${account}&project=${next.id}&limit=5`);
    expect(page.body.data.map((each) => each.id)).toEqual([key.id]);
  });
});

describe("a project", () => {
  test("is made once with an Idempotency-Key, and its changes are in the audit log", async () => {
    const made = { name: "ci", scopes: ["keys:read", "projects:write", "audit:read"] };
    const { key } = await gateway.admin<CreatedManagementKey>("POST", "/management-keys", made);
    const client = administrationClient({ url: gateway.url, key });
    const once = { body: { account, name: "once", rpm: 3 }, idempotency_key: "once-and-for-all" };
    const one = await client.call("POST /projects", once);
    expect((await client.call("POST /projects", once)).id).toBe(one.id);
    const path = { project: one.id };
    expect(
      (await client.call("PATCH /projects/{project}", { path, body: { rpm: null, tpm: 7 } })).limits,
    ).toMatchObject({
      ...{ rpm: null, tpm: 7 },
    });
    expect([...Errors(ADMINISTRATION["GET /projects/{project}"].answer, one)]).toEqual([]);
    await client.call("DELETE /projects/{project}", { path });
    const log = await client.call("GET /audit-log", { query: { account, limit: "20" } });
    const actions = log.data.filter(({ object }) => object.id === one.id).map(({ action }) => action);
    expect(actions).toEqual(["project.delete", "project.update", "project.create"]);
  });

  test("is the owner's to change; members put new keys into it and move none", async () => {
    const project = await make({ name: "of the owner" });
    const asked = async (request: string, body?: object) => {
      const reply = await member.browser.call<{ error?: { code: string } }>(request, body);
      return [reply.status, reply.body.error?.code];
    };
    expect(await asked("POST /projects", { account, name: "mine" })).toEqual([403, "not_permitted"]);
    expect(await asked(`PATCH /projects/${project.id}`, { rpm: 1000 })).toEqual([403, "not_permitted"]);
    expect(await asked(`DELETE /projects/${project.id}`)).toEqual([403, "not_permitted"]);
    const made = await member.browser.call<CreatedKey>("POST /keys", { account, project: "of the owner" });
    expect([made.status, made.body.project?.id]).toEqual([201, project.id]);
    expect(await asked(`PATCH /keys/${made.body.id}`, { project: null })).toEqual([403, "not_permitted"]);
    expect(await asked(`PATCH /keys/${made.body.id}`, { name: "renamed" })).toEqual([200, undefined]);
    expect((await owner.browser.call(`DELETE /projects/${project.id}`)).status).toBe(409);
  });

  test("refuses names that are taken or empty, and projects of others", async () => {
    await make({ name: "taken" });
    const status = async (request: string, body: object) => (await owner.browser.call(request, body)).status;
    expect(await status("POST /projects", { account, name: "taken" })).toBe(409);
    expect(await status("POST /projects", { account, name: "  " })).toBe(400);
    expect(await status("POST /projects", { account, name: "x".repeat(101) })).toBe(400);
    expect(await status("POST /keys", { account, project: "nobody's" })).toBe(400);
    const stranger = await invite(gateway, { email: "stranger@projects.example" });
    const own = stranger.session.user.account_id;
    const theirs = (await stranger.browser.call<Project>("POST /projects", { account: own, name: "theirs" })).body;
    expect(await status("POST /keys", { account, project: theirs.id })).toBe(400);
    expect((await owner.browser.call(`GET /projects/${theirs.id}`)).status).toBe(404);
    expect((await owner.browser.call(`GET /projects?account=${own}`)).status).toBe(404);
    const list = await stranger.browser.call<ProjectList>("GET /projects");
    expect(list.body.data.map(({ name }) => name)).toEqual(["theirs"]);
  });
});

test("the command line makes, changes, lists and deletes projects, and puts keys into them", async () => {
  const camino = async (...words: string[]) => {
    const env = { CAMINO_URL: gateway.url, CAMINO_DATA: gateway.data };
    const { status, stdout, stderr } = await runHere(words, { cwd: gateway.data, env });
    expect({ words, stderr, status }).toEqual({ words, stderr: "", status: 0 });
    return stdout;
  };
  const made = await camino("project", "create", "shell", "--account", account, "--budget", "5/week", "--rpm", "9");
  const [id = ""] = /proj_\w+/.exec(made) ?? [];
  expect(await camino("project", "list", "--account", account)).toContain("shell");
  const created = await camino("key", "create", "--account", account, "--project", "shell");
  const [key = ""] = /key_\w+/.exec(created) ?? [];
  expect(await camino("key", "show", key)).toContain(`shell (${id})`);
  const shown = await camino("project", "edit", id, "--name", "renamed", "--clear", "rpm");
  expect(shown).toContain("renamed");
  expect(shown).toContain("5.00 a week, 5.00 left");
  await camino("key", "edit", key, "--clear", "project");
  expect(await camino("project", "delete", id)).toContain("Deleted");
  const usage = await camino("usage", "--account", account, "--by", "project");
  expect(usage).toContain("total");
  expect(usage).toContain("(no project)");
});

describe("a budget", () => {
  test("that never renews and is used up is raised for a while, by whoever may, and the raise is in the audit log", async () => {
    const project = await make({ name: "raised", budget: { amount: "0.000001", window: "once" } });
    const key = await makeKey({ project: project.id });
    expect((await ask(key)).error?.message).toStartWith("This project's budget has 0.000001 USD left");
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const raise = async (person: Person, path: string, body: object) => {
      const reply = await person.browser.call<RaisedBudget & { error?: { param: string } }>(`PUT ${path}/raise`, body);
      return { status: reply.status, use: reply.body.use, param: reply.body.error?.param };
    };
    const path = `/projects/${project.id}`;
    expect((await raise(member, path, { raise: { amount: "1", until } })).status).toBe(403);
    const raised = await raise(owner, path, { raise: { amount: "1", until } });
    expect(raised.use).toMatchObject({ amount_micro: 1, remaining_micro: 1_000_001, since: null });
    expect(raised.use.raise).toMatchObject({ amount_micro: 1_000_000, until, by: owner.session.user.id });
    expect((await ask(key)).status).toBe(200);
    const env = { CAMINO_URL: gateway.url, CAMINO_DATA: gateway.data };
    const shown = await runHere(["project", "show", project.id], { cwd: gateway.data, env });
    expect(shown.stdout).toMatch(new RegExp(` of 1\\.000001 once, raised by 1\\.00 until ${until}, [\\d.]+ left`));
    expect((await raise(owner, path, { raise: null })).use.raise).toBeNull();
    expect((await ask(key)).status).toBe(402);
    expect(await raise(owner, path, { raise: { amount: "0", until } })).toMatchObject({ param: "raise.amount" });
    const past = { amount: "1", until: "2020-01-01" };
    expect(await raise(owner, path, { raise: past })).toMatchObject({ status: 400, param: "raise.until" });
    expect((await raise(owner, `/keys/${key.id}`, { raise: { amount: "1", until } })).status).toBe(409);
    const log = await gateway.admin<AuditPage>("GET", `/audit-log?account=${account}&limit=10`);
    expect(log.data.filter(({ object }) => object.id === project.id).map(({ action }) => action)).toEqual([
      ...["project.raise", "project.raise", "project.create"],
    ]);
  });

  test("of a key is raised by a member no further than an administrator has set it", async () => {
    const budget = { amount: "5", window: "month" };
    const key = await gateway.admin<CreatedKey>("POST", "/keys", { account, budget });
    await member.browser.call(`PATCH /keys/${key.id}`, { budget: { amount: "3", window: "month" } });
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const raise = async (amount: string) =>
      (await member.browser.call(`PUT /keys/${key.id}/raise`, { raise: { amount, until } })).status;
    expect([await raise("2.000001"), await raise("2")]).toEqual([403, 200]);
    const env = { CAMINO_URL: gateway.url, CAMINO_DATA: gateway.data };
    const words = ["key", "raise", key.id, "--by", "7", "--until", "2999-01-01"];
    const raised = await runHere(words, { cwd: gateway.data, env });
    expect(raised).toMatchObject({ status: 0, stdout: expect.stringContaining("7.00 more until 2999-01-01") });
    const ended = await runHere(["key", "raise", key.id, "--end"], { cwd: gateway.data, env });
    expect(ended.stdout).toContain("without a raise");
    expect((await runHere(["key", "raise", key.id], { cwd: gateway.data, env })).status).toBe(2);
  });
});
