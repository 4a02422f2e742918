import { describe, expect, test } from "bun:test";
import { linkRecord, userRecord } from "../../../proofs/support/person-records.ts";
import { micro } from "../../core/money/money.ts";
import type { LinkRecord } from "../../core/people/users.ts";
import { accountOfEntry, type EnteredAccount, userOfEntry } from "./accept-invitation.ts";
import { decideFirstAdministrator, firstEntry, firstPerson } from "./first-administrator.ts";
import { accountOfCredit, entryOfCredit } from "./invited-credit.ts";
import { decideJoining } from "./join-by-link.ts";
import { isOpenLink } from "./link-lives.ts";

describe("a link", () => {
  const CASES: readonly [used_ms: number | null, expires_ms: number, is_open: boolean][] = [
    [null, 101, true],
    [null, 100, false],
    [50, 101, false],
  ];
  test.each(CASES)("used at %p that expires at %i can be used at 100: %p", (used_ms, expires_ms, is_open) => {
    expect(isOpenLink({ used_ms, expires_ms }, 100)).toBe(is_open);
  });
});

describe("the link for the first administrator", () => {
  const [old, young] = [userRecord({ id: "old" }), userRecord({ id: "young" })];

  test("makes one where there is none, signs in the oldest, and is dead once any can sign in otherwise", () => {
    expect(decideFirstAdministrator([])).toBe("new");
    expect(decideFirstAdministrator([old, young])).toBe(old);
    expect(decideFirstAdministrator([old, { ...young, has_password: true }])).toBe("dead");
  });

  test("makes an administrator whose e-mail nobody vouches for", () => {
    const person = firstPerson({ id: "user_1", name: null, password_hash: null });
    const account: EnteredAccount = { account_id: "acct_1", has_owner: false, has_project: false };
    expect(userOfEntry(firstEntry({ account_id: null }), person, account)).toMatchObject({
      ...{ email: "admin@camino.local", email_verified: false, name: "Administrator" },
      ...{ role: "administrator", account_role: "owner" },
    });
  });
});

describe("whoever accepts an invitation", () => {
  const person = { id: "user_1", email: "ann@example.com", email_verified: true, name: "Ann", password_hash: null };

  test("gets its roles and its project, unless the account has that no more", () => {
    const entry = linkRecord({ role: "administrator", account_role: "billing", project_id: "proj_1" });
    const account = { account_id: "acct_1", has_owner: false, has_project: true };
    const gets = { ...person, role: "administrator", account_id: "acct_1", account_role: "billing" };
    expect<object>(userOfEntry(entry, person, account)).toEqual({ ...gets, project_id: "proj_1" });
    expect(userOfEntry(entry, person, { ...account, has_project: false }).project_id).toBeNull();
  });

  test("comes to the named account, else to the one of their e-mail, else to a new one", () => {
    expect(accountOfEntry({ account_id: "a" }, { id: "b" })).toBe("a");
    expect(accountOfEntry({ account_id: null }, { id: "b" })).toBe("b");
    expect(accountOfEntry({ account_id: null }, null)).toBeNull();
  });

  test("brings its credit once, to the account that they came to", () => {
    const owing = { ...linkRecord(), email: "ann@example.com", credit_micro: micro(5_000_000) };
    expect(accountOfCredit(owing)).toBe("ann@example.com");
    expect(accountOfCredit({ ...owing, account_id: "acct_1" })).toBe("acct_1");
    expect(entryOfCredit(owing, "acct_1")).toMatchObject({ actor: "admin-token", booking_id: "invitation-link_1" });
  });
});

describe("a signed-in user", () => {
  const ann = userRecord({ memberships: [{ account_id: "acct_1", role: "member" }] });
  const gone = { outcome: "gone" } as const;
  const CASES: readonly [promise: string, link: Partial<LinkRecord> | null, outcome: object][] = [
    [
      "joins by an invitation for their e-mail, however it is written",
      { account_id: "acct_2", email: "ANN@example.com" },
      { outcome: "joins", account_id: "acct_2" },
    ],
    ["who is a member stays one", { account_id: "acct_1" }, { outcome: "is-member", account_id: "acct_1" }],
    [
      "does not join by another person's",
      { account_id: "acct_2", email: "bo@example.com" },
      { outcome: "other-email", email: "bo@example.com" },
    ],
    ["joins nothing by an invitation to no account", {}, gone],
    ["joins nothing by a link of another purpose", { purpose: "password-reset", account_id: "acct_2" }, gone],
    ["joins nothing by a link that is gone", null, gone],
  ];
  test.each(CASES)("%s", (_promise, link, outcome) => {
    expect<object>(decideJoining(link && linkRecord(link), ann)).toEqual(outcome);
  });

  test("has to be there", () => {
    expect(decideJoining(linkRecord({ account_id: "acct_2" }), null)).toEqual(gone);
  });
});
