import { describe, expect, test } from "bun:test";
import { newId } from "../../core/ids.ts";
import type { EntryRecord } from "../../core/ledger/entries.ts";
import { micro } from "../../core/money/money.ts";
import type { UserRecord } from "../../core/people/users.ts";
import { newCustomer, type TestDatabase } from "./books.ts";
import { ANYBODY, identity, NOTE, newLink, newSession, newUser, signInAs, spending } from "./people.ts";

const CREDIT = { credit_micro: micro(5_000_000), made_by: "user_boss" } as const;

/** The credit of an invitation is booked to the account that it leads to, once, by whom it is from. */
export function invitedCreditSuite(database: () => TestDatabase): void {
  const users = () => database().store.users;
  const entriesOf = async (account_id: string): Promise<EntryRecord[]> =>
    await database().store.accounts.listEntries(account_id, 10);

  async function expectBooked({ account_id, email }: UserRecord, invited = email): Promise<void> {
    const [entry, ...more] = await entriesOf(account_id);
    expect(more).toEqual([]);
    const words = { kind: "credit", amount_micro: 5_000_000n, actor: "user_boss", note: `invitation of ${invited}` };
    expect(entry).toMatchObject(words);
    const log = (await users().listAuditEntries({ limit: 50, account_id })).filter(
      ({ action }) => action === "credit.add",
    );
    expect(log).toHaveLength(1);
    expect(log[0]?.after).toMatchObject({ invited_by: "user_boss", entry: { amount_micro: 5_000_000 } });
  }

  describe("the credit of an invitation", () => {
    test("is booked when it is accepted, once, though many click at once, and not before", async () => {
      const link = newLink(CREDIT);
      await users().createLink(link, NOTE);
      expect((await users().findLink(link.token_hash))?.credit_micro).toBe(micro(5_000_000));
      const clicks = Array.from({ length: 6 }, () => users().spendLink(spending(link.token_hash), ANYBODY));
      const [opened] = (await Promise.all(clicks)).filter((each) => each !== null);
      if (opened === undefined) throw new Error("nobody came in");
      await expectBooked(opened.user);
      for (let again = 0; again < 3; again += 1) await users().openSession(opened.user.id, newSession(), ANYBODY);
      await expectBooked(opened.user);
      const account = await database().store.accounts.findAccount(opened.user.account_id);
      expect(account?.balance_micro).toBe(micro(5_000_000));
    });

    test("comes with a provider's sign-in too", async () => {
      const who = identity();
      await users().createLink(newLink({ ...CREDIT, email: who.verified_email }), NOTE);
      const came = await users().signInByIdentity(signInAs(who), ANYBODY);
      if (came.outcome !== "signed-in") throw new Error(came.outcome);
      await expectBooked(came.user);
    });

    test("goes to the account that somebody joins", async () => {
      const { account } = await newCustomer(database(), 0);
      const user = await newUser(users());
      const link = newLink({ ...CREDIT, email: user.email, account_id: account.id });
      await users().createLink(link, NOTE);
      expect(await users().joinByLink(link.token_hash, user.id, NOTE)).toMatchObject({ outcome: "joined" });
      await expectBooked({ ...user, account_id: account.id });
      expect(await entriesOf(user.account_id)).toEqual([]);
    });

    test("is not booked for an invitation that is withdrawn, replaced or expired", async () => {
      const email = `${newId("user")}@example.com`;
      const replaced = newLink({ ...CREDIT, email });
      await users().createLink(replaced, NOTE);
      const withdrawn = newLink({ ...CREDIT, email });
      await users().createLink(withdrawn, NOTE);
      await users().deleteInvitation(withdrawn.id, NOTE);
      const expired = newLink({ ...CREDIT, email, ttl_ms: -1 });
      await users().createLink(expired, NOTE);
      for (const { token_hash } of [replaced, withdrawn, expired])
        expect(await users().spendLink(spending(token_hash), ANYBODY)).toBeNull();
      const plain = await newUser(users(), { email });
      expect(await entriesOf(plain.account_id)).toEqual([]);
    });
  });
}
