import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { AuditPage } from "../../../contract/audit.ts";
import type { CreatedKey } from "../../../contract/keys.ts";
import type { Member, MemberList } from "../../../contract/members.ts";
import type { Project } from "../../../contract/projects.ts";
import type { LinkLook } from "../../../contract/session.ts";
import type { CreatedInvitation, InvitationList } from "../../../contract/users.ts";
import { runHere } from "../../support/camino.ts";
import { ConsoleBrowser, tokenOf } from "../../support/console-browser.ts";
import type { Gateway } from "../../support/gateway.ts";
import { invite, PASSWORD, type Person, startTeam } from "../../support/people.ts";

/** An invitation may name the project that the keys of whoever accepts it go into, and who manages members changes it. */

setDefaultTimeout(60_000);

let gateway: Gateway;
let owner: Person;
let account: string;
let north: Project;

beforeAll(async () => {
  ({ gateway, account, owner } = await startTeam({ owner: "owner@team.example" }));
  north = await makeProject("North");
}, 60_000);
afterAll(() => gateway?.[Symbol.asyncDispose]());

async function makeProject(name: string, of: Person = owner): Promise<Project> {
  const fields = { account: of.session.user.account_id, name };
  return (await of.browser.call<Project>("POST /projects", fields)).body;
}

const makeKey = async ({ browser }: Pick<Person, "browser">, fields: object = {}) =>
  (await browser.call<CreatedKey>("POST /keys", { account, ...fields })).body.project;

const change = async (user: string, body: object, by = owner) =>
  await by.browser.call<Member>(`PATCH /accounts/${account}/members/${user}`, body);

/** A member whose keys go into North. */
async function newMember(email: string): Promise<Person & { readonly id: string }> {
  const asked = { email, account, account_role: "member", project: "North" };
  const { body } = await owner.browser.call<CreatedInvitation>("POST /invitations", asked);
  const browser = new ConsoleBrowser(gateway.url);
  const session = await browser.signInByLink(body.link, { name: "New", password: PASSWORD });
  return { browser, email, session, id: session.user.id };
}

test("is seen before it is accepted, is where keys go without a choice, and nowhere else", async () => {
  const email = "first@team.example";
  const asked = { email, account, account_role: "member", project: "North" };
  const shown = { id: north.id, name: "North" };
  const { status, body } = await owner.browser.call<CreatedInvitation>("POST /invitations", asked);
  expect({ status, project: body.project }).toEqual({ status: 201, project: shown });
  const { data } = await gateway.admin<InvitationList>("GET", `/invitations?account=${account}&limit=10`);
  expect(data.find((each) => each.email === email)?.project).toEqual(shown);
  const browser = new ConsoleBrowser(gateway.url);
  const look = await browser.call<LinkLook>("POST /session/link/look", { token: tokenOf(body.link) });
  expect(look.body.account).toMatchObject({ role: "member", project: "North" });
  const { user } = await browser.signInByLink(body.link, { name: "First", password: PASSWORD });
  expect(user.accounts).toMatchObject([{ id: account, project: shown }]);

  expect(await makeKey({ browser })).toEqual(shown);
  expect(await makeKey({ browser }, { project: null })).toBeNull();
  const south = await makeProject("South");
  expect(await makeKey({ browser }, { project: "South" })).toEqual({ id: south.id, name: "South" });
  // Others of the account, and programs, have no such project.
  expect(await makeKey(owner)).toBeNull();
  const of_program = await gateway.admin<CreatedKey>("POST", "/keys", { account });
  expect(of_program.project).toBeNull();
});

test("is changed by who manages members, for keys from then on; the audit log says so", async () => {
  const { browser, id } = await newMember("second@team.example");
  const west = await makeProject("West");
  const refused = await browser.call(`PATCH /accounts/${account}/members/${id}`, { project: null });
  expect(refused.status).toBe(403);
  expect((await change(id, { project: west.id })).body).toMatchObject({ role: "member", project: { name: "West" } });
  expect(await makeKey({ browser })).toMatchObject({ name: "West" });
  expect((await change(id, { project: null })).body.project).toBeNull();
  expect(await makeKey({ browser })).toBeNull();
  const log = await gateway.admin<AuditPage>("GET", `/audit-log?account=${account}&action=member.update`);
  const told = log.data.filter(({ object }) => object.id === id).map(({ after }) => after?.project ?? null);
  expect(told).toEqual([null, "West"]);
});

test("goes with a role that makes no keys, and is refused for one", async () => {
  const { id } = await newMember("third@team.example");
  expect((await change(id, { role: "owner" })).body.project).toMatchObject({ name: "North" });
  expect((await change(id, { role: "viewer" })).body).toMatchObject({ role: "viewer", project: null });
  const said = expect.stringContaining("'project' is 'North', which is for the keys that the member creates");
  const refusal = { status: 400, body: { error: { param: "project", message: said } } };
  expect(await change(id, { project: "North" })).toMatchObject(refusal);
  expect(await change(id, { role: "billing", project: "North" })).toMatchObject(refusal);
  const invited = { email: "eyes@team.example", account, account_role: "viewer", project: "North" };
  expect(await owner.browser.call("POST /invitations", invited)).toMatchObject(refusal);
  expect((await change(id, { role: "member", project: "North" })).body).toMatchObject({ project: { name: "North" } });
  const empty = await change(id, {});
  expect(empty).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining("'role', 'project'") } },
  });
});

test("is a project of the account", async () => {
  const stranger = await invite(gateway, { email: "stranger@elsewhere.example" });
  const elsewhere = await makeProject("Elsewhere", stranger);
  const { id } = await newMember("fourth@team.example");
  const said = (name: string) => ({
    status: 400,
    body: {
      error: {
        param: "project",
        message: `'project' is '${name}', and the account has no project of this id or name.`,
      },
    },
  });
  for (const project of [elsewhere.id, "Elsewhere", "proj_none"]) {
    expect(await change(id, { project })).toMatchObject(said(project));
    const asked = { email: "odd@team.example", account, project };
    expect(await owner.browser.call("POST /invitations", asked)).toMatchObject(said(project));
  }
  const boss = await invite(gateway, { role: "administrator", email: "boss@example.com" });
  const to_nowhere = await boss.browser.call("POST /invitations", { email: "odd@team.example", project: "North" });
  expect(to_nowhere).toMatchObject({
    status: 400,
    body: { error: { param: "project", message: expect.stringContaining("'account' is missing") } },
  });
});

test("that is deleted lets in without it, and is shown nowhere", async () => {
  const brief = await makeProject("Brief");
  const asked = { email: "late@team.example", account, project: "Brief" };
  const { link } = (await owner.browser.call<CreatedInvitation>("POST /invitations", asked)).body;
  const { id } = await newMember("fifth@team.example");
  await change(id, { project: "Brief" });
  expect((await owner.browser.call(`DELETE /projects/${brief.id}`)).status).toBe(200);
  const { data } = await gateway.admin<InvitationList>("GET", `/invitations?account=${account}`);
  expect(data.find(({ email }) => email === "late@team.example")?.project).toBeNull();
  const browser = new ConsoleBrowser(gateway.url);
  const look = await browser.call<LinkLook>("POST /session/link/look", { token: tokenOf(link) });
  expect(look.body.account).toMatchObject({ project: null });
  const { user } = await browser.signInByLink(link, { name: "Late", password: PASSWORD });
  expect(user.accounts).toMatchObject([{ id: account, project: null }]);
  expect(await makeKey({ browser })).toBeNull();
  const members = await gateway.admin<MemberList>("GET", `/accounts/${account}/members`);
  expect(members.data.find(({ user }) => user === id)?.project).toBeNull();
});

test("is a choice of the commands", async () => {
  const camino = async (...words: string[]) => {
    const env = { CAMINO_URL: gateway.url, CAMINO_DATA: gateway.data };
    const { status, stdout, stderr } = await runHere(words, { cwd: gateway.data, env });
    return status === 0 ? stdout : `${status} ${stderr}`;
  };
  const email = "typed@team.example";
  const made = await camino("user", "invite", email, "--account", account, "--project", "North", "--json");
  expect(JSON.parse(made)).toMatchObject({ project: { name: "North" } });
  await invite(gateway, { email: "added@elsewhere.example" });
  await camino("member", "add", account, "added@elsewhere.example", "--project", "North");
  expect(await camino("member", "list", account)).toMatch(/added@elsewhere\.example .*member +North +active/);
  const project = (...words: string[]) => camino("member", "project", account, "added@elsewhere.example", ...words);
  expect(await project()).toBe("New keys of added@elsewhere.example go into no project.\n");
  expect(await project("North")).toBe("New keys of added@elsewhere.example go into North.\n");
  expect(await project("Nowhere")).toContain("has no project of this id or name");
});
