import { describe, expect, test } from "bun:test";
import { linkRecord, userRecord } from "../../../proofs/support/person-records.ts";
import type { LinkRecord } from "../../core/people/users.ts";
import { refuseUselessInvitation, replacesLink } from "./invite.ts";

describe("a new link replaces an earlier one of the same e-mail", () => {
  const CASES: readonly [
    promise: string,
    link: Partial<LinkRecord>,
    earlier: Partial<LinkRecord>,
    replaces: boolean,
  ][] = [
    ["to no account, where that is, too", {}, {}, true],
    ["to the same account", { account_id: "a" }, { account_id: "a" }, true],
    ["not to another account", { account_id: "a" }, { account_id: "b" }, false],
    ["not to no account", { account_id: "a" }, {}, false],
    ["not of another purpose", { purpose: "password-reset" }, {}, false],
    [
      "of a password, whatever the account",
      { purpose: "password-reset", account_id: "a" },
      { purpose: "password-reset" },
      true,
    ],
    [
      "of a password that was asked for, none",
      { purpose: "password-reset", vouched: false },
      { purpose: "password-reset", vouched: false },
      false,
    ],
    [
      "of a password by an administrator, those that were asked for",
      { purpose: "password-reset" },
      { purpose: "password-reset", vouched: false },
      true,
    ],
    ["an owner's not an administrator's", { account_id: "a", vouched: false }, { account_id: "a" }, false],
    ["an owner's an owner's", { account_id: "a", vouched: false }, { account_id: "a", vouched: false }, true],
    ["an administrator's an owner's", { account_id: "a" }, { account_id: "a", vouched: false }, true],
    ["never the first administrator's", { purpose: "first-administrator" }, { purpose: "first-administrator" }, false],
  ];
  test.each(CASES)("%s", (_promise, link, earlier, replaces) => {
    expect(replacesLink(linkRecord(link), linkRecord(earlier))).toBe(replaces);
  });
});

describe("an invitation", () => {
  const ann = userRecord({ memberships: [{ account_id: "acct_1", role: "member" }] });
  const CASES: readonly [promise: string, account_id: string | null, is_known: boolean, refused: RegExp | null][] = [
    ["of somebody new needs no account", null, false, null],
    ["of a user to nothing is refused", null, true, /There is a user/],
    ["of a user to another account is none of that", "acct_2", true, null],
    ["of a member is refused", "acct_1", true, /belongs to this account/],
  ];
  test.each(CASES)("%s", (_promise, account_id, is_known, refused) => {
    const refusal = refuseUselessInvitation("ann@example.com", { account_id }, is_known ? ann : null);
    if (refused === null) expect(refusal).toBeNull();
    else expect(refusal?.refused).toMatch(refused);
  });
});
