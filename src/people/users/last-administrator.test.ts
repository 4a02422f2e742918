import { describe, expect, test } from "bun:test";
import { userRecord } from "../../../proofs/support/person-records.ts";
import type { Role, UserRecord, UserStatus } from "../../core/people/users.ts";
import { refuseLastAdministrator, someoneCanAdminister } from "./last-administrator.ts";

describe("the last administrator", () => {
  const CASES: readonly [role: Role, status: UserStatus, administrators: string[], refuses: boolean][] = [
    ["administrator", "active", ["ann"], false],
    ["member", "active", ["ann"], true],
    ["administrator", "disabled", ["ann"], true],
    ["member", "active", ["ann", "bo"], false],
    ["member", "active", ["bo"], false],
    // Nobody administers yet: nobody is the last.
    ["member", "active", [], false],
  ];
  test.each(CASES)("as %s, %s, of %p: is refused: %p", (role, status, ids, refuses) => {
    const refusal = refuseLastAdministrator(
      "ann",
      { role, status },
      ids.map((id) => ({ id })),
    );
    expect(refusal !== null).toBe(refuses);
  });
});

describe("somebody can administer", () => {
  const CASES: readonly [ways: Partial<UserRecord>, can: boolean][] = [
    [{}, false],
    [{ has_password: true }, true],
    [{ passkeys: 1 }, true],
    [{ identities: ["corp"] }, true],
  ];
  test.each(CASES)("with %p: %p", (ways, can) => {
    expect(someoneCanAdminister([userRecord(), userRecord(ways)])).toBe(can);
  });
});
