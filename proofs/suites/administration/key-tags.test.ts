import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { Errors } from "typebox/value";
import { ADMINISTRATION } from "../../../contract/administration.ts";
import { administrationClient } from "../../../contract/administration-client.ts";
import type { AuditPage } from "../../../contract/audit.ts";
import type { ErrorBody } from "../../../contract/common.ts";
import type { CreatedKey, Key, KeyList } from "../../../contract/keys.ts";
import type { CreatedManagementKey } from "../../../contract/management-keys.ts";
import type { TagNames } from "../../../contract/tags.ts";
import type { UsageExploration, UsageReport } from "../../../contract/usage.ts";
import { runHere } from "../../support/camino.ts";
import type { Gateway } from "../../support/gateway.ts";
import { type Person, startTeam } from "../../support/people.ts";

/** Tags of keys as an account's people, programs and the command line see them. */

setDefaultTimeout(60_000);

let gateway: Gateway;
let member: Person;
let viewer: Person;
let account: string;

beforeAll(async () => {
  const team = await startTeam({ owner: "member@tags.example", credit: "25", others: ["viewer"] });
  ({ gateway, account, owner: member, viewer } = team);
});
afterAll(() => gateway?.[Symbol.asyncDispose]());

const makeKey = async (fields: object) =>
  (await member.browser.call<CreatedKey>("POST /keys", { account, ...fields })).body;

async function ask({ key }: Pick<CreatedKey, "key">): Promise<void> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "sim/echo", messages: [{ role: "user", content: "Hello!" }] }),
  });
  await answer.text();
  expect(answer.status).toBe(200);
}

const REFUSED: readonly [tags: unknown, param: string, says: string][] = [
  [{ Team: "x" }, "tags", `'tags' has "Team", but the name of a tag has 1 to 40 characters`],
  [{ team: "" }, "tags.team", "the value of a tag is a text of 1 to 100 characters without control characters"],
  [{ team: "x".repeat(101) }, "tags.team", "1 to 100 characters"],
  [{ team: "two\nlines" }, "tags.team", String.raw`'tags.team' is "two\nlines", but`],
  [{ team: 5 }, "tags.team", "'tags.team' is"],
  [["team"], "tags", "'tags' is an array"],
  [
    Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`t${at}`, "x"])),
    "tags",
    "17 tags, with 't16'; allowed: at most 16",
  ],
];

test.each([...REFUSED])("the tags %j are refused with the tag and the bound", async (tags, param, says) => {
  const made = await member.browser.call<ErrorBody>("POST /keys", { account, tags });
  expect([made.status, made.body.error.param]).toEqual([400, param]);
  expect(made.body.error.message).toContain(says);
});

test("a key with sixteen tags takes no more, and viewers tag nothing", async () => {
  const sixteen = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`t${at}`, "x"]));
  const key = await makeKey({ name: "full", tags: sixteen });
  const more = await member.browser.call<ErrorBody>(`PATCH /keys/${key.id}`, { tags: { one: "more" } });
  expect(more.status).toBe(409);
  expect(more.body.error.message).toContain("17 tags with 'one'; allowed: at most 16");
  expect((await viewer.browser.call(`PATCH /keys/${key.id}`, { tags: { t0: "y" } })).status).toBe(403);
  expect((await member.browser.call<Key>(`PATCH /keys/${key.id}`, { tags: null })).body.tags).toEqual({});
});

test("tags are set, changed one by one, found, grouped by, exported, and their changes are in the audit log", async () => {
  const search = await makeKey({ name: "one", tags: { team: "search", env: "prod" } });
  const ads = await makeKey({ name: "two", tags: { team: "=ads" } });
  const other = await makeKey({ name: "three" });
  for (const key of [search, search, ads, other]) await ask(key);
  const changed = await member.browser.call<Key>(`PATCH /keys/${search.id}`, { tags: { env: null, tier: "gold" } });
  expect(changed.body.tags).toEqual({ team: "search", tier: "gold" });

  const listed = async (query: string) => {
    const { body } = await member.browser.call<KeyList>(`GET /keys?account=${account}&${query}`);
    return body.data.map(({ name }) => name).filter((name) => name !== "full");
  };
  for (const page of ["", "&limit=5"]) {
    expect(await listed(`tag=team%3Dsearch${page}`)).toEqual(["one"]);
    expect(await listed(`tag=team%3D%3Dads${page}`)).toEqual(["two"]);
    expect(await listed(`tag=team%3D${page}`)).toEqual(["three"]);
  }
  expect((await member.browser.call(`GET /keys?account=${account}&tag=team`)).status).toBe(400);
  const names = (await member.browser.call<TagNames>(`GET /tags?account=${account}`)).body.data;
  expect(names).toContainEqual({ name: "team", key_count: 2 });

  const groups = [
    ["", 1],
    ["=ads", 1],
    ["search", 2],
  ];
  const { body: report } = await member.browser.call<UsageReport>(`GET /usage?account=${account}&by=tag&tag=team`);
  expect(report).toMatchObject({ by: "tag", tag: "team" });
  expect(report.data.map(({ group, request_count }) => [group, request_count])).toEqual(groups);
  const explored = `/usage/explore?account=${account}&by=day,tag&tag=team`;
  const { body: days } = await member.browser.call<UsageExploration>(`GET ${explored}`);
  expect(days.groups.map(({ id, request_count }) => [id, request_count]).toSorted()).toEqual(groups);
  expect(days.total).toEqual(report.total);
  const token = (await Bun.file(join(gateway.data, "admin-token")).text()).trim();
  const headers = { authorization: `Bearer ${token}` };
  const file = async (path: string) => await (await fetch(`${gateway.url}/console/api${path}`, { headers })).text();
  expect(await file(`${explored}&format=csv`)).toContain("day,tag:team,requests");
  expect(await file(`/keys?account=${account}&format=csv`)).toContain("team=search; tier=gold");

  for (const wrong of ["by=tag", "by=model&tag=team", "tag=team", "by=tag&tag=Team"]) {
    const { status, body } = await member.browser.call<ErrorBody>(`GET /usage?account=${account}&${wrong}`);
    expect([wrong, status, body.error.param]).toEqual([wrong, 400, "tag"]);
  }
  const log = await gateway.admin<AuditPage>("GET", `/audit-log?account=${account}&limit=50`);
  const entry = log.data.find(({ action, object }) => action === "key.update" && object?.id === search.id);
  expect(entry).toMatchObject({
    before: { tags: { env: "prod", team: "search" } },
    after: { tags: { team: "search", tier: "gold" } },
  });
});

test("a management key with the scope of keys edits tags, in the shapes of the documented API", async () => {
  const { id } = await makeKey({ name: "ci" });
  const made = { name: "ci", scopes: ["keys:read", "keys:write", "usage:read"] };
  const { key } = await gateway.admin<CreatedManagementKey>("POST", "/management-keys", made);
  const client = administrationClient({ url: gateway.url, key });
  const changed = await client.call("PATCH /keys/{key}", { path: { key: id }, body: { tags: { team: "ci" } } });
  expect([...Errors(ADMINISTRATION["PATCH /keys/{key}"].answer, changed)]).toEqual([]);
  expect(changed.tags).toEqual({ team: "ci" });
  expect((await client.call("GET /tags", { query: { account } })).data).not.toEqual([]);
  const report = await client.call("GET /usage", { query: { account, by: "tag", tag: "team" } });
  expect([...Errors(ADMINISTRATION["GET /usage"].answer, report)]).toEqual([]);
});

test("the command line sets, takes away, lists and groups by tags", async () => {
  const camino = (...args: string[]) =>
    runHere(args, { cwd: gateway.data, env: { CAMINO_URL: gateway.url, CAMINO_DATA: gateway.data } });
  const made = await camino("key", "create", "--account", account, "--tag", "cli=yes", "--tag", "team=a b", "--json");
  const { id } = JSON.parse(made.stdout) as Key;
  expect((await camino("key", "edit", id, "--tag", "cli=no", "--untag", "team")).stdout).toContain("cli=no");
  const list = await camino("key", "list", "--account", account, "--tag", "cli=no");
  expect(list.stdout).toContain(id);
  expect(list.stdout).toContain("cli=no");
  expect((await camino("key", "list", "--account", account, "--tag", "cli=yes")).stdout).not.toContain(id);
  const usage = await camino("usage", "--account", account, "--tag", "team");
  expect(usage.stdout).toContain("search");
  expect(usage.stdout).toContain("(no team)");
  expect((await camino("key", "edit", id, "--clear", "tag", "--json")).stdout).toContain('"tags":{}');
});
