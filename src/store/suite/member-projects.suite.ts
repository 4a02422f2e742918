import { describe, expect, test } from "bun:test";
import { newId } from "../../core/ids.ts";
import type { Membership } from "../../core/people/memberships.ts";
import { NO_LIMITS } from "../../core/people/principal.ts";
import type { ProjectRecord } from "../../core/people/projects.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { newCustomer, rejectionOf, type TestDatabase } from "./books.ts";
import { ANYBODY, identity, NOTE, newLink, newUser, signInAs, spending } from "./people.ts";

/** The project that a member's new keys go into: given by an invitation, changed, and gone with the project. */
export function memberProjectsSuite(database: () => TestDatabase): void {
  describe("the project of a member", () => {
    givenTests(database);
    changeTests(database);
    deletedTests(database);
  });
}

function scene(database: () => TestDatabase) {
  const users = () => database().store.users;
  const accounts = () => database().store.accounts;

  async function newProject(): Promise<ProjectRecord> {
    const { account } = await newCustomer(database(), 0);
    const name = `Müller, "Nord" ${newId("proj")}`;
    return await accounts().createProject({ id: newId("proj"), account_id: account.id, name, limits: NO_LIMITS });
  }

  async function projectOf({ account_id }: ProjectRecord, user_id: string): Promise<string | null> {
    const member = await users().findMember(account_id, user_id);
    const listed = (await users().listMembers(account_id)).find((each) => each.user_id === user_id);
    const [searched] = await users().searchMembers(account_id, { limit: 10, search: user_id });
    expect([listed, searched]).toEqual([member ?? undefined, member ?? undefined]);
    return member?.project?.name ?? null;
  }

  async function membershipIn({ account_id }: ProjectRecord, user_id: string): Promise<Membership | undefined> {
    return (await users().findUser(user_id))?.memberships.find((each) => each.account_id === account_id);
  }

  return { users, accounts, newProject, projectOf, membershipIn };
}

function givenTests(database: () => TestDatabase): void {
  const { users, newProject, projectOf, membershipIn } = scene(database);

  test("comes with the invitation, to a new user and to one who joins", async () => {
    const project = await newProject();
    const { id: project_id, account_id } = project;
    const made = await newUser(users(), { account_id, project_id });
    expect(await projectOf(project, made.id)).toBe(project.name);
    expect(await membershipIn(project, made.id)).toEqual({ account_id, role: "owner", project_id });

    const joining = await newUser(users());
    const link = newLink({ email: joining.email, account_id, project_id });
    await users().createLink(link, NOTE);
    expect((await users().findLink(link.token_hash))?.project_id).toBe(project_id);
    await users().joinByLink(link.token_hash, joining.id, NOTE);
    expect(await projectOf(project, joining.id)).toBe(project.name);

    const who = identity();
    await users().createLink(newLink({ email: who.verified_email, account_id, project_id }), NOTE);
    const came = await users().signInByIdentity(signInAs(who), ANYBODY);
    expect(came.outcome === "signed-in" && (await projectOf(project, came.user.id))).toBe(project.name);
  });
}

function changeTests(database: () => TestDatabase): void {
  const { users, newProject, projectOf, membershipIn } = scene(database);

  test("is changed, stays with a change of the role, and is taken away; the audit log has it", async () => {
    const project = await newProject();
    const { id: project_id, account_id } = project;
    await newUser(users(), { account_id });
    const { id } = await newUser(users(), { account_id });
    const note = { ...NOTE, action: "member.update" };
    await users().setMembership(id, { account_id, role: "member", project_id }, note);
    await users().setMembership(id, { account_id, role: "owner" }, note);
    expect(await projectOf(project, id)).toBe(project.name);
    await users().setMembership(id, { account_id, role: "owner", project_id: null }, note);
    expect(await projectOf(project, id)).toBeNull();
    expect(await membershipIn(project, id)).toEqual({ account_id, role: "owner" });
    const log = await users().listAuditEntries({ limit: 10, object_id: id, account_id, action: "member.update" });
    const { name } = project;
    expect(log.map(({ before, after }) => [before?.project ?? null, after?.project ?? null])).toEqual([
      [name, null],
      [name, name],
      [null, name],
    ]);
  });

  test("of the last owner may be changed too", async () => {
    const project = await newProject();
    const { id: project_id, account_id } = project;
    const { id } = await newUser(users(), { account_id });
    await users().setMembership(id, { account_id, role: "owner", project_id }, NOTE);
    expect(await projectOf(project, id)).toBe(project.name);
  });
}

function deletedTests(database: () => TestDatabase): void {
  const { users, accounts, newProject, projectOf, membershipIn } = scene(database);

  test("is none of another account, and none that was deleted", async () => {
    const [project, other] = [await newProject(), await newProject()];
    const { account_id } = project;
    const { id } = await newUser(users(), { account_id });
    await accounts().deleteProject(project.id);
    for (const project_id of [project.id, other.id, "proj_none"]) {
      const set = users().setMembership(id, { account_id, role: "owner", project_id }, NOTE);
      expect(await rejectionOf(set)).toBeInstanceOf(StoreConflict);
    }
  });

  test("that is deleted is nobody's any more, and an invitation to it lets in without it", async () => {
    const project = await newProject();
    const { id: project_id, account_id } = project;
    const { id } = await newUser(users(), { account_id, project_id });
    const joining = await newUser(users());
    const [one, two] = [newLink({ account_id, project_id }), newLink({ email: joining.email, account_id, project_id })];
    for (const link of [one, two]) await users().createLink(link, NOTE);
    expect(await accounts().deleteProject(project_id)).toBe(true);
    expect(await projectOf(project, id)).toBeNull();
    expect(await membershipIn(project, id)).toEqual({ account_id, role: "owner" });
    const opened = await users().spendLink(spending(one.token_hash), ANYBODY);
    expect(await membershipIn(project, opened?.user.id ?? "")).toEqual({ account_id, role: "member" });
    await users().joinByLink(two.token_hash, joining.id, NOTE);
    expect(await membershipIn(project, joining.id)).toEqual({ account_id, role: "member" });
    // The project that they had does not stand in the way of another change.
    await users().setMembership(joining.id, { account_id, role: "viewer" }, NOTE);
    expect(await membershipIn(project, joining.id)).toEqual({ account_id, role: "viewer" });
  });
}
