import { describe, expect, test } from "bun:test";
import { newId } from "../../core/ids.ts";
import type { ClaimedMail, NewMail } from "../../core/people/mails.ts";
import type { UserStore } from "../../core/people/users.ts";
import type { TestDatabase } from "./books.ts";
import { ANYBODY, NOTE, newLink, newUser, spending } from "./people.ts";

const LEASE_MS = 60_000;

function newMail(fields: Partial<NewMail> = {}): NewMail {
  const id = newId("link");
  return { id, kind: "invitation", email: `${id}@example.com`, asked_from: "::1", ttl_ms: 60_000, ...fields };
}

/** Claims until nothing is due, and gives back the mails. */
async function claimAll(users: UserStore, lease_ms = LEASE_MS): Promise<ClaimedMail[]> {
  const claimed: ClaimedMail[] = [];
  for (;;) {
    const { mail } = await users.claimMail(lease_ms);
    if (mail === null) return claimed;
    claimed.push(mail);
  }
}

export function mailsSuite(database: () => TestDatabase): void {
  const users = (): UserStore => database().store.users;
  describe("mails", () => waitingTests(users));
  describe("password resets that were asked for", () => resetTests(users));
}

function waitingTests(users: () => UserStore): void {
  test("are claimed once, however many claim, and by nobody once they are sent", async () => {
    await Promise.all((await claimAll(users())).map((mail) => users().endMail(mail)));
    const mails = [newMail(), newMail(), newMail()];
    for (const mail of mails) expect(await users().addMail(mail)).toBe(true);
    const claims = await Promise.all(Array.from({ length: 6 }, () => users().claimMail(LEASE_MS)));
    const claimed = claims.flatMap(({ mail }) => mail ?? []);
    expect(claimed.map(({ id }) => id).toSorted()).toEqual(mails.map(({ id }) => id).toSorted());
    expect(claimed.every(({ attempts }) => attempts === 1)).toBe(true);
    for (const mail of claimed) await users().endMail(mail);
    expect(await claimAll(users())).toEqual([]);
  });

  test("are due again where their sender died, and its late word changes nothing", async () => {
    const mail = newMail();
    await users().addMail(mail);
    const { mail: first } = await users().claimMail(-1);
    const { mail: again } = await users().claimMail(LEASE_MS);
    expect(first).toMatchObject({ id: mail.id, attempts: 1 });
    expect(again).toMatchObject({ ...first, attempts: 2 });
    await users().endMail(first as ClaimedMail);
    expect(await users().delayMail(again as ClaimedMail, 0)).toBe(true);
    for (const each of await claimAll(users())) await users().endMail(each);
  });

  test("wait where they could not be sent, and are given up when their time is over", async () => {
    const [waits, ends] = [newMail(), newMail({ ttl_ms: 1_000 })];
    await users().addMail(waits);
    await users().addMail(ends);
    const claimed = await claimAll(users());
    const of = ({ id }: NewMail): ClaimedMail => claimed.find((each) => each.id === id) as ClaimedMail;
    expect(await users().delayMail(of(waits), 0)).toBe(true);
    expect(await users().delayMail(of(ends), 2_000)).toBe(false);
    const [later] = await claimAll(users());
    expect(later).toMatchObject({ id: waits.id, attempts: 2 });
    // The sender whose lease was over says that it is done, and the mail is another's by now.
    await users().endMail(of(waits));
    expect(await users().delayMail(of(waits), 0)).toBe(false);
    expect(await users().delayMail(later as ClaimedMail, 0)).toBe(true);
    for (const mail of await claimAll(users())) await users().endMail(mail);
    await users().addMail(newMail({ ttl_ms: -1 }));
    expect(await users().claimMail(LEASE_MS)).toEqual({ mail: null, given_up: 1 });
  });

  test("are put down with the link that they bring, and with no other", async () => {
    const link = newLink({ mail: { asked_from: null, ttl_ms: 60_000 } });
    await users().createLink(link, NOTE);
    await users().createLink(newLink(), NOTE);
    const claimed = await claimAll(users());
    expect(claimed).toMatchObject([{ id: link.id, kind: "invitation", email: link.email ?? "", asked_from: null }]);
    for (const mail of claimed) await users().endMail(mail);
  });

  test("of one kind take no place from another's, however many strangers ask for", async () => {
    const brief = (): NewMail => newMail({ kind: "password-reset", ttl_ms: 0 });
    for (let put = 0; put < 1000; put += 100)
      await Promise.all(Array.from({ length: 100 }, () => users().addMail(brief())));
    expect(await users().addMail(brief())).toBe(false);
    const invitation = newMail();
    expect(await users().addMail(invitation)).toBe(true);
    expect(await users().claimMail(LEASE_MS)).toMatchObject({ mail: { id: invitation.id }, given_up: 1000 });
    await users().endMail({ id: invitation.id, attempts: 1 });
  }, 30_000);
}

function resetTests(users: () => UserStore): void {
  test("end none that is open, and end with the first that is used, or with another password or e-mail", async () => {
    const ann = await newUser(users());
    const reset = { purpose: "password-reset", user_id: ann.id, email: ann.email } as const;
    const made = async (vouched: boolean) => {
      const link = newLink({ ...reset, vouched });
      await users().createLink(link, NOTE);
      return link.token_hash;
    };
    const offered = await made(true);
    const asked = [await made(false), await made(false)] as const;
    for (const hash of [offered, ...asked]) expect(await users().findLink(hash)).not.toBeNull();
    const opened = await users().spendLink(spending(asked[1], { password_hash: "new" }), ANYBODY);
    expect(opened).not.toBeNull();
    for (const hash of [offered, ...asked]) expect(await users().findLink(hash)).toBeNull();
    expect(await users().spendLink(spending(asked[1], { password_hash: "newer" }), ANYBODY)).toBeNull();
    for (const patch of [{ password_hash: "other" }, { email: `other-${ann.email}` }]) {
      const hash = await made(false);
      await users().updateUser(ann.id, patch, NOTE);
      expect(await users().findLink(hash)).toBeNull();
    }
  });
}
