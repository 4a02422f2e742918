import { describe, expect, test } from "bun:test";
import { newId } from "../../core/ids.ts";
import type { AccountRole } from "../../core/people/memberships.ts";
import type { UserRecord, UserStore } from "../../core/people/users.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { newCustomer, rejectionOf, type TestDatabase } from "./books.ts";
import { ANYBODY, identity, NOTE, newLink, newSession, newUser, signInAs, spending } from "./people.ts";

export function membershipsSuite(database: () => TestDatabase): void {
  describe("members", () => memberTests(database));
  describe("accounts with members", () => ownerTests(database));
  describe("invitations to a further account", () => invitationTests(database));
}

interface Team {
  readonly account_id: string;
  readonly owner: UserRecord;
  readonly other: UserRecord;
}

/** An account with an owner, and a user with an account of their own. */
async function newTeam(database: TestDatabase): Promise<Team> {
  const { users } = database.store;
  const owner = await newUser(users);
  return { account_id: owner.account_id, owner, other: await newUser(users) };
}

async function rolesOf(users: UserStore, account_id: string): Promise<Record<string, AccountRole>> {
  return Object.fromEntries((await users.listMembers(account_id)).map(({ user_id, role }) => [user_id, role]));
}

function memberTests(database: () => TestDatabase): void {
  const users = (): UserStore => database().store.users;

  test("begin with an owner: who comes first to an account; later ones are members", async () => {
    const { account_id, owner } = await newTeam(database());
    const second = await newUser(users(), { account_id });
    const billing = await newUser(users(), { account_id, account_role: "billing" });
    expect(await rolesOf(users(), account_id)).toEqual({
      [owner.id]: "owner",
      [second.id]: "member",
      [billing.id]: "billing",
    });
    expect(owner.memberships).toEqual([{ account_id, role: "owner" }]);
  });

  test("may belong to several accounts, in a role in each, and a session sees a change at once", async () => {
    const { account_id, other } = await newTeam(database());
    const session = newSession();
    await users().openSession(other.id, session, ANYBODY);
    const seen = async () => (await users().findSession(session.token_hash))?.user.memberships;
    await users().setMembership(other.id, { account_id, role: "viewer" }, NOTE);
    const both = [
      { account_id, role: "viewer" },
      { account_id: other.account_id, role: "owner" },
    ] as const;
    expect(await seen()).toEqual(both.toSorted((one, two) => (one.account_id < two.account_id ? -1 : 1)));
    await users().removeMembership(other.id, account_id, NOTE);
    expect(await seen()).toEqual([{ account_id: other.account_id, role: "owner" }]);
  });

  test("are in the audit log, each change with the role before and after", async () => {
    const { account_id, other } = await newTeam(database());
    const note = { ...NOTE, action: "member.update" };
    await users().setMembership(other.id, { account_id, role: "viewer" }, note);
    await users().setMembership(other.id, { account_id, role: "viewer" }, note);
    await users().setMembership(other.id, { account_id, role: "member" }, note);
    await users().removeMembership(other.id, account_id, note);
    const entries = await users().listAuditEntries({ limit: 10, object_id: other.id, account_id });
    const told = entries.map(({ before, after }) => [before?.role ?? null, after?.role ?? null]);
    expect(told).toEqual([
      ["member", null],
      ["viewer", "member"],
      [null, "viewer"],
    ]);
  });

  test("removed members leave the account's keys, and lose their playground key", async () => {
    const customer = await newCustomer(database(), 0);
    const account_id = customer.account.id;
    const { accounts } = database().store;
    await newUser(users(), { account_id });
    const leaving = await newUser(users(), { account_id });
    const playground = { id: newId("key"), hash: newId("key"), hint: "abcd", expires_ms: Date.now() + 60_000 };
    await accounts.renewPlaygroundKey({ ...playground, account_id, user_id: leaving.id });
    await users().removeMembership(leaving.id, account_id, NOTE);
    expect((await accounts.listKeys(account_id)).map(({ id }) => id)).toEqual([customer.key.id]);
    expect(await accounts.findKeyByHash(playground.hash)).toBeNull();
    expect(await accounts.changedKeys([{ id: playground.id, version: 1, as_of_ms: 0 }])).toEqual([playground.id]);
  });

  test("members who are removed from the account that they see first see another first; without another they belong to no account", async () => {
    const { account_id, other } = await newTeam(database());
    const home = other.account_id;
    const heir = await newUser(users(), { account_id: home, account_role: "owner" });
    await users().setMembership(other.id, { account_id, role: "member" }, NOTE);
    await users().removeMembership(other.id, home, NOTE);
    expect(await users().findUser(other.id)).toMatchObject({ account_id, memberships: [{ account_id }] });
    await users().removeMembership(other.id, account_id, NOTE);
    expect(await users().findUser(other.id)).toMatchObject({ memberships: [] });
    await users().setMembership(other.id, { account_id: heir.account_id, role: "viewer" }, NOTE);
    expect(await users().findUser(other.id)).toMatchObject({ account_id: home });
  });

  test("of what is not there cannot be made or removed", async () => {
    const { account_id, owner, other } = await newTeam(database());
    const role = "member";
    expect(await users().setMembership("user_none", { account_id, role }, NOTE)).toBeNull();
    expect(await users().setMembership(owner.id, { account_id: "acct_none", role }, NOTE)).toBeNull();
    expect(await users().removeMembership(other.id, account_id, NOTE)).toBe(false);
  });
}

function ownerTests(database: () => TestDatabase): void {
  const users = (): UserStore => database().store.users;

  test("always have an owner: the last member who is one is neither removed nor given another role, also by two at once", async () => {
    const { account_id, owner, other } = await newTeam(database());
    const alone = [
      users().removeMembership(owner.id, account_id, NOTE),
      users().setMembership(owner.id, { account_id, role: "viewer" }, NOTE),
    ];
    const refusals = await Promise.all(alone.map(rejectionOf));
    for (const refusal of refusals) expect(refusal).toBeInstanceOf(StoreConflict);
    await users().setMembership(other.id, { account_id, role: "owner" }, NOTE);
    const both = await Promise.allSettled([
      users().removeMembership(owner.id, account_id, NOTE),
      users().setMembership(other.id, { account_id, role: "billing" }, NOTE),
    ]);
    expect(both.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(Object.values(await rolesOf(users(), account_id))).toContain("owner");
  });

  test("do not count a disabled owner", async () => {
    const { account_id, owner, other } = await newTeam(database());
    await users().setMembership(other.id, { account_id, role: "owner" }, NOTE);
    await users().updateUser(other.id, { status: "disabled" }, NOTE);
    const leaving = users().removeMembership(owner.id, account_id, NOTE);
    expect(await rejectionOf(leaving)).toBeInstanceOf(StoreConflict);
  });
}

function invitationTests(database: () => TestDatabase): void {
  const users = (): UserStore => database().store.users;

  test("make a user its member when the user, signed in, joins: once", async () => {
    const { account_id, other } = await newTeam(database());
    const link = newLink({ email: other.email.toUpperCase(), account_id, account_role: "billing" });
    await users().createLink(link, NOTE);
    const joined = await users().joinByLink(link.token_hash, other.id, NOTE);
    expect(joined).toEqual({ outcome: "joined", membership: { account_id, role: "billing", project_id: null } });
    expect(await rolesOf(users(), account_id)).toMatchObject({ [other.id]: "billing" });
    expect(await users().joinByLink(link.token_hash, other.id, NOTE)).toEqual({ outcome: "gone" });
  });

  test("are no way in: using the link of a user's invitation signs nobody in and does not spend it", async () => {
    const { account_id, other } = await newTeam(database());
    const link = newLink({ email: other.email, account_id });
    await users().createLink(link, NOTE);
    const taking = users().spendLink(spending(link.token_hash, { password_hash: "a stranger's" }), ANYBODY);
    expect(await rejectionOf(taking)).toBeInstanceOf(StoreConflict);
    expect(await users().findPasswordHash(other.id)).toBe("hash");
    expect(await users().findLink(link.token_hash)).not.toBeNull();
  });

  test("are of no use to another user, and not needed by a member", async () => {
    const { account_id, owner, other } = await newTeam(database());
    const link = newLink({ email: "somebody@else.example", account_id });
    await users().createLink(link, NOTE);
    const outcome = await users().joinByLink(link.token_hash, other.id, NOTE);
    expect(outcome).toEqual({ outcome: "other-email", email: "somebody@else.example" });
    const again = users().createLink(newLink({ email: owner.email, account_id }), NOTE);
    expect(await rejectionOf(again)).toBeInstanceOf(StoreConflict);
  });

  test("of two accounts stand beside each other; an owner's does not withdraw an administrator's", async () => {
    const { account_id, other } = await newTeam(database());
    const email = `${newId("user")}@example.com`;
    const first = newLink({ email, account_id });
    const elsewhere = newLink({ email, account_id: other.account_id, vouched: false });
    const of_owner = newLink({ email, account_id, vouched: false });
    for (const link of [first, elsewhere, of_owner]) await users().createLink(link, NOTE);
    for (const link of [first, elsewhere, of_owner]) expect(await users().findLink(link.token_hash)).not.toBeNull();
    await users().createLink(newLink({ email, account_id }), NOTE);
    expect(await users().findLink(first.token_hash)).toBeNull();
    expect(await users().findLink(of_owner.token_hash)).toBeNull();
    expect(await users().findLink(elsewhere.token_hash)).not.toBeNull();
  });

  test("by an owner leave the e-mail unverified, and a provider's sign-in does not accept them unasked", async () => {
    const { account_id } = await newTeam(database());
    const invited = await newUser(users(), { account_id, vouched: false });
    expect(invited.email_verified).toBe(false);
    const who = identity();
    await users().createLink(newLink({ email: who.verified_email, account_id, vouched: false }), NOTE);
    expect(await users().signInByIdentity(signInAs(who), ANYBODY)).toEqual({ outcome: "oidc_not_invited" });
    const own = await users().signInByIdentity(signInAs(who, "member"), ANYBODY);
    expect(own).toMatchObject({ outcome: "signed-in", user: { email_verified: true } });
    expect(await rolesOf(users(), account_id)).not.toHaveProperty("user" in own ? own.user.id : "");
  });
}
