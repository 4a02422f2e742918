import { describe, expect, test } from "bun:test";
import { TokenGuard } from "../../access/token-guard.ts";
import { type ErrorCode, GatewayError } from "../../core/errors.ts";
import { type Actor, confinedTo, nameOf, readActor, roleOf } from "./actor.ts";

function read(authorization: string | null, admin_token: string): string | ErrorCode {
  try {
    const guard = new TokenGuard(admin_token, () => 0);
    return readActor(new Headers(authorization === null ? {} : { authorization }), guard, null).kind;
  } catch (error) {
    if (error instanceof GatewayError) return error.code;
    throw error;
  }
}

const CASES: [authorization: string | null, admin_token: string, answer: string][] = [
  ["Bearer the-token", "the-token", "admin-token"],
  ["bearer the-token", "the-token", "admin-token"],
  ["Bearer the-tokem", "the-token", "invalid_api_key"],
  ["Bearer the-token-and-more", "the-token", "invalid_api_key"],
  ["Bearer t", "the-token", "invalid_api_key"],
  ["the-token", "the-token", "missing_api_key"],
  ["Basic the-token", "the-token", "missing_api_key"],
  ["Bearer ", "the-token", "missing_api_key"],
  [null, "the-token", "missing_api_key"],
  ["Bearer anything", "", "invalid_api_key"],
  [null, "", "missing_api_key"],
];

for (const [authorization, admin_token, answer] of CASES) {
  test(`'${authorization}' where the token is '${admin_token}': ${answer}`, () => {
    expect(read(authorization, admin_token)).toBe(answer);
  });
}

describe("an actor", () => {
  const member: Actor = { kind: "user", user_id: "user_1", role: "member", account_id: "acct_1" };

  test("with the admin token is an administrator of everything", () => {
    const actor: Actor = { kind: "admin-token" };
    expect([roleOf(actor), nameOf(actor), confinedTo(actor)]).toEqual(["administrator", "admin-token", null]);
  });

  test("is confined to one account as a member, to none as an administrator", () => {
    expect([roleOf(member), nameOf(member), confinedTo(member)]).toEqual(["member", "user_1", "acct_1"]);
    expect(confinedTo({ ...member, role: "administrator" })).toBeNull();
  });
});
