import { describe, expect, test } from "bun:test";
import { userRecord } from "../../../proofs/support/person-records.ts";
import type { UserPatch } from "../../core/people/users.ts";
import { type BesideUser, decideUserChange } from "./change-user.ts";

const ANN = userRecord({ email: "Ann@example.com" });
const ALONE: BesideUser = { administrators: [], is_email_taken: false };
const STAYS = { email: "Ann@example.com", email_verified: true, name: "Ann", role: "member", status: "active" };

describe("a change of a user", () => {
  const CASES: readonly [promise: string, patch: UserPatch, becomes: object][] = [
    ["leaves what it does not name", {}, { ...STAYS, password_hash: null, ended_sessions: null }],
    ["sets the name", { name: "Anna" }, { name: "Anna", email_verified: true }],
    [
      "of the e-mail's spelling leaves it vouched for",
      { email: " ann@EXAMPLE.com " },
      { email: "ann@EXAMPLE.com", email_verified: true },
    ],
    [
      "to another e-mail has nobody vouch for it",
      { email: "bo@example.com" },
      { email: "bo@example.com", email_verified: false },
    ],
    [
      "of the password ends all other sessions",
      { password_hash: "h", keep_session_id: "s" },
      { password_hash: "h", ended_sessions: { but_id: "s" } },
    ],
    ["of the password by somebody else ends all", { password_hash: "h" }, { ended_sessions: { but_id: null } }],
    ["that keeps a session ends none without a password", { keep_session_id: "s" }, { ended_sessions: null }],
    ["that disables them ends all", { status: "disabled", keep_session_id: "s" }, { ended_sessions: { but_id: null } }],
  ];
  test.each(CASES)("%s", (_promise, patch, becomes) => {
    expect(decideUserChange(ANN, patch, ALONE)).toMatchObject(becomes);
  });

  test("to an e-mail that somebody else has is refused; their own may be written otherwise", () => {
    const taken = { ...ALONE, is_email_taken: true };
    const refusal = { refused: "There is a user with the e-mail bo@example.com already." };
    expect(decideUserChange(ANN, { email: "bo@example.com" }, taken)).toEqual(refusal);
    expect(decideUserChange(ANN, { email: "ANN@example.com" }, taken)).toMatchObject({ email_verified: true });
  });

  test("cannot take the gateway its last administrator", () => {
    const boss = userRecord({ role: "administrator" });
    const beside = { ...ALONE, administrators: [boss] };
    for (const patch of [{ role: "member" }, { status: "disabled" }] as const)
      expect(decideUserChange(boss, patch, beside)).toHaveProperty("refused");
    expect(decideUserChange(boss, { name: "Boss" }, beside)).toMatchObject({ name: "Boss" });
  });
});
