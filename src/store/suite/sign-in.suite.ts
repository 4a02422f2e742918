import { describe, expect, test } from "bun:test";
import { newId } from "../../core/ids.ts";
import type { UserStore } from "../../core/people/users.ts";
import { StoreConflict } from "../../core/store/ports.ts";
import { newCustomer, rejectionOf, type TestDatabase } from "./books.ts";
import { ANYBODY, identity, NOTE, newLink, newSession, newUser, signInAs, spending } from "./people.ts";

export function signInSuite(database: () => TestDatabase): void {
  const users = (): UserStore => database().store.users;
  describe("links", () => linkTests(database));
  describe("passkeys", () => passkeyTests(users));
  describe("identities", () => identityTests(users));
  describe("records that end soon", () => passingTests(database));
}

function linkTests(database: () => TestDatabase): void {
  const users = (): UserStore => database().store.users;

  test("work once, though many click at once", async () => {
    const link = newLink();
    await users().createLink(link, NOTE);
    const clicks = Array.from({ length: 6 }, () => users().spendLink(spending(link.token_hash), ANYBODY));
    const opened = (await Promise.all(clicks)).filter((each) => each !== null);
    expect(opened).toHaveLength(1);
    expect(await users().findLink(link.token_hash)).toBeNull();
  });

  test("are not spent by looking, and tell what they are for", async () => {
    const link = newLink();
    const made = await users().createLink(link, NOTE);
    expect(await users().findLink(link.token_hash)).toEqual(made);
    expect(await users().findLink(link.token_hash)).toMatchObject({ purpose: "invitation", email: link.email });
    expect(await users().findLink("nothing")).toBeNull();
    expect(await users().spendLink(spending("nothing"), ANYBODY)).toBeNull();
  });

  test("expire, and can be withdrawn", async () => {
    const late = newLink({ ttl_ms: -1 });
    await users().createLink(late, NOTE);
    expect(await users().spendLink(spending(late.token_hash), ANYBODY)).toBeNull();
    const withdrawn = newLink();
    await users().createLink(withdrawn, NOTE);
    expect((await users().listInvitations()).map(({ id }) => id)).toContain(withdrawn.id);
    expect(await users().deleteInvitation(withdrawn.id, NOTE)).toBe(true);
    expect(await users().deleteInvitation(withdrawn.id, NOTE)).toBe(false);
    expect(await users().spendLink(spending(withdrawn.token_hash), ANYBODY)).toBeNull();
  });

  test("of an earlier invitation stop working when there is a later one", async () => {
    const earlier = newLink();
    await users().createLink(earlier, NOTE);
    await users().createLink(newLink({ email: earlier.email }), NOTE);
    expect(await users().findLink(earlier.token_hash)).toBeNull();
  });

  test("of invitations make a user, in the account that they name or in one of their own", async () => {
    const customer = await newCustomer(database(), 0);
    const there = await newUser(users(), { account_id: customer.account.id, role: "administrator" });
    expect(there).toMatchObject({ account_id: customer.account.id, role: "administrator" });
    const alone = await newUser(users());
    const own = await database().store.accounts.findAccount(alone.email);
    expect(alone.account_id).toBe(own?.id ?? "");
    const known = await newUser(users(), { email: customer.account.email });
    expect(known.account_id).toBe(customer.account.id);
  });

  test("to a user set a new password and end what was open; to a disabled one they do nothing and stay", async () => {
    const ann = await newUser(users());
    const open = newSession();
    await users().openSession(ann.id, open, ANYBODY);
    const reset = { purpose: "password-reset", user_id: ann.id, email: ann.email } as const;
    const link = newLink(reset);
    await users().createLink(link, NOTE);
    await users().updateUser(ann.id, { status: "disabled" }, NOTE);
    const refused = users().spendLink(spending(link.token_hash, { password_hash: "new" }), ANYBODY);
    expect(await rejectionOf(refused)).toBeInstanceOf(StoreConflict);
    expect(await users().findPasswordHash(ann.id)).toBe("hash");
    await users().updateUser(ann.id, { status: "active" }, NOTE);
    const opened = await users().spendLink(spending(link.token_hash, { password_hash: "new" }), ANYBODY);
    expect(opened).toMatchObject({ purpose: "password-reset", user: { id: ann.id } });
    expect(await users().findPasswordHash(ann.id)).toBe("new");
    expect((await users().listSessions(ann.id)).map(({ id }) => id)).toEqual([opened?.session.id ?? ""]);
  });
}

function passkeyTests(users: () => UserStore): void {
  const passkey = (user_id: string) => ({
    id: newId("pass"),
    user_id,
    name: "laptop",
    credential_id: newId("pass"),
    public_key: "cose",
    counter: 5,
    transports: ["internal"],
    backed_up: false,
  });

  test("are found by their credential, and their counter moves from where it was only", async () => {
    const ann = await newUser(users());
    const made = passkey(ann.id);
    const record = await users().addPasskey(made, NOTE);
    expect(record).toMatchObject({ ...made, last_used_ms: null });
    expect(await users().findPasskey(made.credential_id)).toEqual(record);
    expect(await users().listPasskeys(ann.id)).toEqual([record]);
    expect(await users().findUser(ann.id)).toMatchObject({ passkeys: 1 });
    const uses = Array.from({ length: 4 }, () => users().recordPasskeyUse(made.credential_id, 5, 6, true));
    expect((await Promise.all(uses)).filter(Boolean)).toHaveLength(1);
    const used = await users().findPasskey(made.credential_id);
    expect(used).toMatchObject({ counter: 6, backed_up: true });
    expect(used?.last_used_ms).not.toBeNull();
    expect(await rejectionOf(users().addPasskey({ ...made, id: newId("pass") }, NOTE))).toBeInstanceOf(StoreConflict);
  });

  test("can be removed, by their owner, and not the last way to sign in", async () => {
    const ann = await newUser(users(), { password_hash: null });
    const [one, two] = [passkey(ann.id), passkey(ann.id)];
    for (const each of [one, two]) await users().addPasskey(each, NOTE);
    expect(await users().deletePasskey("user_other", one.id, NOTE)).toBe(false);
    expect(await users().deletePasskey(ann.id, one.id, NOTE)).toBe(true);
    expect(await rejectionOf(users().deletePasskey(ann.id, two.id, NOTE))).toBeInstanceOf(StoreConflict);
    expect(await users().listPasskeys(ann.id)).toHaveLength(1);
    await users().updateUser(ann.id, { password_hash: "hash" }, NOTE);
    expect(await users().deletePasskey(ann.id, two.id, NOTE)).toBe(true);
  });
}

function identityTests(users: () => UserStore): void {
  test("unknown and uninvited do not come in; with an allowed domain they do, and are known from then on", async () => {
    const who = identity();
    expect(await users().signInByIdentity(signInAs(who), ANYBODY)).toEqual({ outcome: "oidc_not_invited" });
    const first = await users().signInByIdentity(signInAs(who, "member"), ANYBODY);
    expect(first).toMatchObject({ outcome: "signed-in", user: { email: who.verified_email, identities: ["corp"] } });
    // Known now: neither domain nor e-mail matter any more.
    const again = await users().signInByIdentity(signInAs({ ...who, verified_email: null }), ANYBODY);
    expect(again).toMatchObject({ outcome: "signed-in" });
  });

  test("that come in for the first time many times at once are one user", async () => {
    const who = identity();
    const tabs = Array.from({ length: 5 }, () => users().signInByIdentity(signInAs(who, "member"), ANYBODY));
    const signed_in = await Promise.all(tabs);
    const ids = signed_in.map((each) => (each.outcome === "signed-in" ? each.user.id : each.outcome));
    expect(new Set(ids).size).toBe(1);
    expect(signed_in[0]).toMatchObject({ outcome: "signed-in", user: { identities: ["corp"] } });
  });

  test("of a known user that are new many times at once are added once", async () => {
    const user = await newUser(users(), { email: identity().verified_email ?? "" });
    const who = identity({ verified_email: user.email });
    const tabs = Array.from({ length: 5 }, () => users().signInByIdentity(signInAs(who), ANYBODY));
    for (const each of await Promise.all(tabs))
      expect(each).toMatchObject({ outcome: "signed-in", user: { id: user.id } });
    const added = await Promise.all(
      [1, 2, 3].map(() => users().addIdentity(user.id, identity({ subject: `s-${user.id}` }), NOTE)),
    );
    expect(added).toEqual([true, true, true]);
  });

  test("without a verified e-mail do not come in", async () => {
    const who = identity({ verified_email: null });
    expect(await users().signInByIdentity(signInAs(who, "member"), ANYBODY)).toEqual({
      outcome: "oidc_no_verified_email",
    });
  });

  test("accept the invitation of their e-mail", async () => {
    const who = identity();
    await users().createLink(newLink({ email: who.verified_email, role: "administrator" }), NOTE);
    const result = await users().signInByIdentity(signInAs(who), ANYBODY);
    expect(result).toMatchObject({ outcome: "signed-in", user: { role: "administrator" } });
    expect((await users().listInvitations()).map(({ email }) => email)).not.toContain(who.verified_email);
  });

  test("take over no user whose e-mail nobody vouched for", async () => {
    const who = identity();
    const squatter = await newUser(users());
    await users().updateUser(squatter.id, { email: who.verified_email ?? "" }, NOTE);
    expect(await users().signInByIdentity(signInAs(who, "member"), ANYBODY)).toEqual({ outcome: "oidc_email_in_use" });
    const invited = await newUser(users(), { email: `i-${who.verified_email}` });
    const same = identity({ verified_email: invited.email });
    expect(await users().signInByIdentity(signInAs(same), ANYBODY)).toMatchObject({ user: { id: invited.id } });
  });

  test("take over no user of a recycled e-mail, who has another identity of the issuer", async () => {
    const former = identity();
    await users().signInByIdentity(signInAs(former, "member"), ANYBODY);
    const next = identity({ verified_email: former.verified_email });
    const refused = await users().signInByIdentity(signInAs(next, "member"), ANYBODY);
    expect(refused).toEqual({ outcome: "oidc_other_identity" });
    const moved = identity({ issuer: "https://another.example", verified_email: former.verified_email });
    expect(await users().signInByIdentity(signInAs(moved, "member"), ANYBODY)).toMatchObject({ outcome: "signed-in" });
  });

  test("of a disabled user do not come in", async () => {
    const who = identity();
    const ann = await newUser(users(), { email: who.verified_email });
    await users().updateUser(ann.id, { status: "disabled" }, NOTE);
    expect(await users().signInByIdentity(signInAs(who, "member"), ANYBODY)).toEqual({ outcome: "oidc_user_disabled" });
  });

  test("are added by their owner, once, and removed unless they are the last way in", async () => {
    const who = identity();
    const [ann, bob] = [await newUser(users()), await newUser(users(), { password_hash: null })];
    expect(await users().addIdentity(ann.id, who, NOTE)).toBe(true);
    expect(await users().addIdentity(ann.id, who, NOTE)).toBe(true);
    expect(await users().addIdentity(bob.id, who, NOTE)).toBe(false);
    expect(await users().deleteIdentity(ann.id, "corp", NOTE)).toBe(true);
    expect(await users().deleteIdentity(ann.id, "corp", NOTE)).toBe(false);
    await users().addIdentity(bob.id, who, NOTE);
    expect(await rejectionOf(users().deleteIdentity(bob.id, "corp", NOTE))).toBeInstanceOf(StoreConflict);
  });
}

function passingTests(database: () => TestDatabase): void {
  const users = (): UserStore => database().store.users;

  test("challenges are taken once, for what they were made, before they expire", async () => {
    const id = newId("chal");
    await users().putChallenge({ id, kind: "a", data: "x", ttl_ms: 60_000 });
    expect(await users().takeChallenge(id, "b")).toBeNull();
    const takes = Array.from({ length: 4 }, () => users().takeChallenge(id, "a"));
    expect((await Promise.all(takes)).filter((data) => data === "x")).toHaveLength(1);
    const late = newId("chal");
    await users().putChallenge({ id: late, kind: "a", data: "x", ttl_ms: -1 });
    expect(await users().takeChallenge(late, "a")).toBeNull();
  });

  test("tries are counted each, also at once, until their window is over", async () => {
    const bucket = newId("chal");
    const counts = await Promise.all(Array.from({ length: 10 }, () => users().countTry(bucket, 60_000)));
    expect(counts.map(({ count }) => count).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (const { resets_in_ms } of counts) expect(resets_in_ms).toBeWithin(1, 60_001);
    await database().execute(`UPDATE tries SET resets_ms = 1 WHERE bucket = '${bucket}'`);
    expect(await users().countTry(bucket, 60_000)).toMatchObject({ count: 1 });
    await users().forgetTries(bucket);
    expect(await users().triesOf(bucket)).toBe(0);
    expect(await users().countTry(bucket, 60_000)).toMatchObject({ count: 1 });
    expect(await users().triesOf(bucket)).toBe(1);
  });

  const RULE = { free: 3, first_wait_ms: 20_000, longest_wait_ms: 60_000, window_ms: 600_000 };

  test("tries are taken while they are free, and then one after each wait, also of many at once", async () => {
    const bucket = newId("chal");
    const endWait = () => database().execute(`UPDATE tries SET resets_ms = 1 WHERE bucket = 'wait:${bucket}'`);
    for (const [taken, wait_ms] of [
      [3, 20_000],
      [1, 40_000],
      [1, 60_000],
      [1, 60_000],
    ] as const) {
      const tries = await Promise.all(Array.from({ length: 12 }, () => users().takeTry(bucket, RULE)));
      expect(tries.filter((each) => each.taken)).toHaveLength(taken);
      for (const refused of tries.filter((each) => !each.taken))
        expect(refused.wait_ms).toBeWithin(wait_ms - 15_000, wait_ms + 5000);
      await endWait();
    }
    // Tries that were not let through were not counted.
    expect(await users().triesOf(bucket)).toBe(6);
    await users().takeTry(bucket, RULE);
    await users().forgetTries(bucket);
    expect(await users().takeTry(bucket, RULE)).toEqual({ taken: true, count: 1, wait_ms: 0 });
  });
}
