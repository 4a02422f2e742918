import { describe, expect, test } from "bun:test";
import { newId } from "../../core/ids.ts";
import type { UserStore } from "../../core/people/users.ts";
import type { TestDatabase } from "./books.ts";
import { NOTE, newLink, newUser } from "./people.ts";

/** Lists of members and invitations that are found and paged by the store. */
export function teamListsSuite(database: () => TestDatabase): void {
  const users = (): UserStore => database().store.users;

  describe("lists of members and invitations", () => {
    test("members come a page at a time, who joined last first, each once, and are found by words, role and status", async () => {
      const owner = await newUser(users());
      const { account_id } = owner;
      const mark = newId("user").slice(5, 15).toLowerCase();
      const joined: string[] = [];
      for (let count = 0; count < 4; count += 1) {
        const email = `P${count}.${mark}@example.com`;
        joined.push(
          (await newUser(users(), { account_id, email, account_role: count === 0 ? "viewer" : "member" })).id,
        );
      }
      const all = (await users().listMembers(account_id)).map(({ user_id }) => user_id);
      const seen = await pagesOf(async (before_id) =>
        (await users().searchMembers(account_id, { limit: 2, ...before(before_id) })).map(({ user_id }) => user_id),
      );
      expect(seen).toEqual(all.toReversed());
      const idsOf = async (query: Omit<Parameters<UserStore["searchMembers"]>[1], "limit">) =>
        (await users().searchMembers(account_id, { limit: 9, ...query })).map(({ user_id }) => user_id);
      expect((await idsOf({ search: mark })).toSorted()).toEqual(joined.toSorted());
      expect(await idsOf({ search: `${mark} p2.` })).toEqual([joined[2] ?? ""]);
      expect(await idsOf({ search: "%" })).toEqual([]);
      expect(await idsOf({ role: "viewer" })).toEqual([joined[0] ?? ""]);
      expect(await idsOf({ role: "owner" })).toEqual([owner.id]);
      await users().updateUser(joined[1] ?? "", { status: "disabled" }, NOTE);
      expect(await idsOf({ status: "disabled" })).toEqual([joined[1] ?? ""]);
      expect(await idsOf({ before_id: "user_none" })).toEqual([]);
      expect(await users().searchMembers("acct_none", { limit: 9 })).toEqual([]);
      expect(await users().findMember(account_id, owner.id)).toMatchObject({ user_id: owner.id, role: "owner" });
      const elsewhere = await newUser(users());
      expect(await users().findMember(account_id, elsewhere.id)).toBeNull();
    });

    test("invitations come a page at a time, the newest first, each once, of one account or of all, without those that are accepted", async () => {
      const { account_id } = await newUser(users());
      const mark = newId("user").slice(5, 15).toLowerCase();
      const made: string[] = [];
      for (let count = 0; count < 5; count += 1) {
        const email = `i${count}.${mark}@Example.com`;
        made.push((await users().createLink(newLink({ email, ...(count < 4 && { account_id }) }), NOTE)).id);
      }
      await newUser(users(), { account_id, email: `accepted.${mark}@example.com` });
      const idsOf = async (account: string | null, query: { search?: string; before_id?: string; limit?: number }) =>
        (await users().searchInvitations(account, { limit: 9, ...query })).map(({ id }) => id);
      const of_account = await idsOf(account_id, {});
      expect(of_account.toSorted()).toEqual(made.slice(0, 4).toSorted());
      const order = (await users().listInvitations()).filter((link) => link.account_id === account_id);
      expect(of_account).toEqual(order.map(({ id }) => id));
      const seen = await pagesOf((before_id) => idsOf(account_id, { limit: 2, ...before(before_id) }));
      expect(seen).toEqual(of_account);
      expect((await idsOf(null, { search: mark })).toSorted()).toEqual(made.toSorted());
      expect(await idsOf(null, { search: `example.COM i4.${mark}` })).toEqual([made[4] ?? ""]);
      expect(await idsOf(account_id, { search: `i4.${mark}` })).toEqual([]);
      expect(await users().findInvitation(made[0] ?? "")).toMatchObject({ id: made[0], account_id });
      await users().deleteInvitation(made[0] ?? "", NOTE);
      expect(await users().findInvitation(made[0] ?? "")).toBeNull();
      const { id: user_id } = await newUser(users());
      const reset = await users().createLink(newLink({ purpose: "password-reset", user_id }), NOTE);
      expect(await users().findInvitation(reset.id)).toBeNull();
      expect(await idsOf(null, { search: reset.id })).toEqual([]);
    });
  });
}

function before(before_id: string | undefined): { before_id?: string } {
  return before_id === undefined ? {} : { before_id };
}

/** Every page of two, one after the other. */
async function pagesOf(read: (before_id: string | undefined) => Promise<string[]>): Promise<string[]> {
  const seen: string[] = [];
  for (;;) {
    const page = await read(seen.at(-1));
    seen.push(...page);
    if (page.length < 2) return seen;
  }
}
