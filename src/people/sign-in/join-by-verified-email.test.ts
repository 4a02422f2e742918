import { describe, expect, test } from "bun:test";
import { linkRecord, userRecord } from "../../../proofs/support/person-records.ts";
import type { LinkRecord } from "../../core/people/users.ts";
import { decideIdentityOwner, invitationFor, type KnownOfPerson } from "./join-by-verified-email.ts";

const IDENTITY = { provider: "corp", issuer: "https://id.example", subject: "1", name: "Ann" };
const NOTHING: KnownOfPerson = { of_email: null, has_other: false, invitation: null, provision_as: null };

describe("an identity that no user has", () => {
  const invitation = linkRecord({ account_id: "acct_1" });
  const CASES: readonly [
    promise: string,
    verified_email: string | null,
    known: Partial<KnownOfPerson>,
    outcome: string,
  ][] = [
    ["without a verified e-mail is nobody's", null, { provision_as: "member" }, "oidc_no_verified_email"],
    ["without an invitation is nobody's", "ann@example.com", {}, "oidc_not_invited"],
    ["that was invited enters", "ann@example.com", { invitation }, "enters"],
    ["of an allowed domain enters", "ann@example.com", { provision_as: "member" }, "enters"],
    ["is its user's whose e-mail is vouched for", "ann@example.com", { of_email: userRecord() }, "adds-to"],
    [
      "is not its user's whose e-mail is not",
      "ann@example.com",
      { of_email: userRecord({ email_verified: false }) },
      "oidc_email_in_use",
    ],
    [
      "is not its user's who has another one of the issuer",
      "ann@example.com",
      { of_email: userRecord(), has_other: true },
      "oidc_other_identity",
    ],
    [
      "is of no use to a disabled user",
      "ann@example.com",
      { of_email: userRecord({ status: "disabled" }) },
      "oidc_user_disabled",
    ],
  ];
  test.each(CASES)("%s", (_promise, verified_email, known, outcome) => {
    const decided = decideIdentityOwner({ ...IDENTITY, verified_email }, { ...NOTHING, ...known });
    expect(decided.outcome).toBe(outcome as typeof decided.outcome);
  });

  test("enters by its invitation before the domain's role", () => {
    const known = { ...NOTHING, invitation, provision_as: "administrator" } as const;
    const decided = decideIdentityOwner({ ...IDENTITY, verified_email: "ann@example.com" }, known);
    expect(decided).toMatchObject({ entry: { role: "member", account_id: "acct_1" } });
  });
});

describe("the invitation for a verified e-mail", () => {
  const CASES: readonly [promise: string, links: Partial<LinkRecord>[], id: string | null][] = [
    [
      "is the newest",
      [
        { id: "old", created_ms: 1 },
        { id: "new", created_ms: 2 },
      ],
      "new",
    ],
    [
      "is an administrator's",
      [
        { id: "old", created_ms: 1 },
        { id: "new", created_ms: 2, vouched: false },
      ],
      "old",
    ],
    ["has not expired", [{ expires_ms: 10 }], null],
    ["is an invitation", [{ purpose: "password-reset" }], null],
  ];
  test.each(CASES)("%s", (_promise, links, id) => {
    expect(invitationFor(links.map(linkRecord), 10)?.id ?? null).toBe(id);
  });
});
