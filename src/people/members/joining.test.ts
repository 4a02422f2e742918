import { expect, test } from "bun:test";
import type { AccountRole } from "../../core/people/memberships.ts";
import { roleOfJoining } from "./default-role.ts";
import { homeAccount, type Joined } from "./home-account.ts";

const ROLES: readonly [said: AccountRole | null, has_owner: boolean, role: AccountRole][] = [
  [null, false, "owner"],
  [null, true, "member"],
  ["viewer", false, "viewer"],
  ["owner", true, "owner"],
];
test.each(ROLES)("who joins as %p an account that has an owner (%p) is its %s", (said, has_owner, role) => {
  expect(roleOfJoining(said, has_owner)).toBe(role);
});

const OF: Readonly<Record<string, Joined>> = {
  a: { account_id: "a", joined_ms: 3 },
  b: { account_id: "b", joined_ms: 1 },
  c: { account_id: "c", joined_ms: 1 },
};
const HOMES: readonly [belongs_to: string, home: string][] = [
  ["abc", "a"],
  ["cb", "b"],
  ["c", "c"],
  ["", "a"],
];
test.each(HOMES)("who saw 'a' first and belongs to '%s' sees '%s' first", (belongs_to, home) => {
  expect(
    homeAccount(
      "a",
      [...belongs_to].flatMap((name) => OF[name] ?? []),
    ),
  ).toBe(home);
});
