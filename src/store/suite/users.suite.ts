import { describe, expect, test } from "bun:test";
import { newId } from "../../core/ids.ts";
import type { UserStore } from "../../core/people/users.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { rejectionOf, type TestDatabase } from "./books.ts";
import { ANYBODY, NOTE, newLink, newSession, newUser, spending } from "./people.ts";

export function usersSuite(database: () => TestDatabase): void {
  const users = (): UserStore => database().store.users;
  describe("the first administrator", () => firstAdministratorTests(users));
  describe("users", () => userTests(users));
  describe("sessions", () => sessionTests(database));
  describe("links", () => takenTests(database));
}

/** Runs first: later tests make administrators who can sign in. */
function firstAdministratorTests(users: () => UserStore): void {
  const first = () => newLink({ purpose: "first-administrator", email: null, role: "administrator" });

  test("comes by a link, as often as nobody can sign in otherwise, and is always the same one", async () => {
    expect(await users().administratorCanSignIn()).toBe(false);
    const links = [first(), first(), first()];
    for (const link of links) await users().createLink(link, NOTE);
    const [one, two, three] = links.map(({ token_hash }) => token_hash) as [string, string, string];
    const opened = await users().spendLink(spending(one), ANYBODY);
    expect(opened).toMatchObject({ purpose: "first-administrator", user: { role: "administrator" } });
    const id = opened?.user.id ?? "";
    await users().updateUser(id, { email: "Boss@example.com" }, NOTE);
    const again = await users().spendLink(spending(two, { password_hash: "hash" }), ANYBODY);
    expect(again?.user.id).toBe(id);
    expect(await users().findPasswordHash("boss@example.com")).toBe("hash");
    expect(await users().administratorCanSignIn()).toBe(true);
    expect(await users().findLink(three)).toBeNull();
    expect(await users().spendLink(spending(three), ANYBODY)).toBeNull();
  });

  test("cannot be demoted or disabled while there is no other, not even by two at once", async () => {
    const boss = await users().findUser("boss@example.com");
    const id = boss?.id ?? "";
    for (const patch of [{ role: "member" }, { status: "disabled" }] as const)
      expect(await rejectionOf(users().updateUser(id, patch, NOTE))).toBeInstanceOf(StoreConflict);
    const other = await newUser(users(), { role: "administrator" });
    const demotions = [id, other.id].map((each) => rejectionOf(users().updateUser(each, { role: "member" }, NOTE)));
    const outcomes = await Promise.all(demotions);
    expect(outcomes.filter((outcome) => outcome instanceof StoreConflict)).toHaveLength(1);
    const left = (await users().listUsers()).filter(({ role }) => role === "administrator");
    expect(left).toHaveLength(1);
    await users().updateUser(id, { role: "administrator" }, NOTE);
  });
}

function userTests(users: () => UserStore): void {
  test("are found by id and by e-mail, whatever its case; their password's hash apart", async () => {
    const ann = await newUser(users(), { email: `Ann.${newId("user")}@Example.com` });
    expect(await users().findUser(ann.id)).toEqual(await users().findUser(ann.email.toUpperCase()));
    expect(ann).toMatchObject({ name: "Ann", has_password: true, email_verified: true, passkeys: 0, identities: [] });
    expect(JSON.stringify(ann)).not.toContain("hash");
    expect(await users().findPasswordHash(ann.email)).toBe("hash");
    expect(await users().findPasswordHash("nobody@example.com")).toBeNull();
  });

  test("do not share an e-mail, and one that they choose themselves is not verified", async () => {
    const ann = await newUser(users());
    const bob = await newUser(users());
    const taken = users().updateUser(bob.id, { email: ann.email.toUpperCase() }, NOTE);
    expect(await rejectionOf(taken)).toBeInstanceOf(StoreConflict);
    const moved = await users().updateUser(bob.id, { email: `new-${bob.email}` }, NOTE);
    expect(moved).toMatchObject({ email: `new-${bob.email}`, email_verified: false });
    expect(await rejectionOf(users().createLink(newLink({ email: ann.email }), NOTE))).toBeInstanceOf(StoreConflict);
  });

  test("that nobody knows cannot be changed", async () => {
    expect(await users().updateUser("user_none", { name: "x" }, NOTE)).toBeNull();
  });
}

function takenTests(database: () => TestDatabase): void {
  test("a link whose token is taken is refused, also when many come at once", async () => {
    const { users } = database().store;
    const link = newLink({ purpose: "first-administrator", role: "administrator", email: null });
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => users.createLink(link, NOTE)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await rejectionOf(users.createLink(link, NOTE))).toBeInstanceOf(StoreConflict);
  });
}

function sessionTests(database: () => TestDatabase): void {
  const users = (): UserStore => database().store.users;

  test("open, are seen, are listed and end", async () => {
    const ann = await newUser(users());
    const made = newSession();
    const opened = await users().openSession(ann.id, made, ANYBODY);
    expect(opened?.session).toMatchObject({ id: made.id, method: "password", address: "203.0.113.7" });
    expect(await users().findSession(made.token_hash)).toMatchObject({ user: { id: ann.id }, stale: false });
    expect((await users().listSessions(ann.id)).map(({ id }) => id)).toContain(made.id);
    expect(await users().endSession("user_other", made.id, NOTE)).toBe(false);
    expect(await users().endSession(ann.id, made.id, NOTE)).toBe(true);
    expect(await users().endSession(ann.id, made.id, NOTE)).toBe(false);
    expect(await users().findSession(made.token_hash)).toBeNull();
  });

  test("end when they were not used for a while, and however much they are used", async () => {
    const ann = await newUser(users());
    const made = newSession();
    await users().openSession(ann.id, made, ANYBODY);
    const age = (ms: number) =>
      database().execute(`UPDATE sessions SET last_seen_ms = last_seen_ms - ${ms}, ends_ms = ends_ms - ${ms},
        created_ms = created_ms - ${ms} WHERE id = '${made.id}'`);
    await age(400_000);
    expect(await users().findSession(made.token_hash)).toMatchObject({ stale: true });
    await users().touchSession(made.id);
    await age(400_000);
    expect(await users().findSession(made.token_hash)).not.toBeNull();
    await users().touchSession(made.id);
    await age(400_000);
    expect(await users().findSession(made.token_hash)).toBeNull();
    expect((await users().listSessions(ann.id)).map(({ id }) => id)).not.toContain(made.id);
    const idle = newSession();
    await users().openSession(ann.id, idle, ANYBODY);
    await database().execute(`UPDATE sessions SET last_seen_ms = last_seen_ms - 500000 WHERE id = '${idle.id}'`);
    expect(await users().findSession(idle.token_hash)).toBeNull();
  });

  test("of a disabled user are dead, also after the user is enabled again", async () => {
    const ann = await newUser(users());
    const made = newSession();
    await users().openSession(ann.id, made, ANYBODY);
    await users().updateUser(ann.id, { status: "disabled" }, NOTE);
    expect(await users().findSession(made.token_hash)).toBeNull();
    expect(await users().openSession(ann.id, newSession(), ANYBODY)).toBeNull();
    await users().updateUser(ann.id, { status: "active" }, NOTE);
    expect(await users().findSession(made.token_hash)).toBeNull();
  });

  test("end with a new password, but for the one that set it", async () => {
    const ann = await newUser(users());
    const [kept, other] = [newSession(), newSession()];
    for (const each of [kept, other]) await users().openSession(ann.id, each, ANYBODY);
    await users().updateUser(ann.id, { password_hash: "another", keep_session_id: kept.id }, NOTE);
    expect(await users().findSession(kept.token_hash)).not.toBeNull();
    expect(await users().findSession(other.token_hash)).toBeNull();
    expect(await users().findPasswordHash(ann.id)).toBe("another");
  });
}
