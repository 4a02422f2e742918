import { describe, expect, test } from "bun:test";
import { memberRecord } from "../../../proofs/support/person-records.ts";
import type { Membership } from "../../core/people/memberships.ts";
import { decideMembership, type MembershipChange, refuseLeaving } from "./change-membership.ts";
import type { Owner } from "./last-owner.ts";

const [ANN, BO]: readonly [Owner, Owner] = [
  { user_id: "user_ann", status: "active" },
  { user_id: "user_bo", status: "active" },
];
const account_id = "acct_1";
const PROJECT = { id: "proj_1", name: "North" };
const LAST = { refused: "ann@example.com is the last owner of this account: make somebody else an owner first." };

describe("a member", () => {
  const member = memberRecord({ project: PROJECT });
  const CASES: readonly [
    promise: string,
    wanted: Omit<Membership, "account_id">,
    has_project: boolean,
    MembershipChange,
  ][] = [
    ["who has all of it is unchanged", { role: "member" }, true, "unchanged"],
    ["gets another role and keeps the project", { role: "viewer" }, true, { role: "viewer", project_id: "proj_1" }],
    ["loses the project", { role: "member", project_id: null }, true, { role: "member", project_id: null }],
    [
      "gets no project that the account lacks",
      { role: "member", project_id: "proj_2" },
      false,
      { refused: "The account acct_1 has no project proj_2." },
    ],
    ["may become an owner", { role: "owner" }, true, { role: "owner", project_id: "proj_1" }],
  ];
  test.each(CASES)("%s", (_promise, wanted, has_project, decided) => {
    expect(decideMembership(member, { account_id, ...wanted }, { owners: [], has_project })).toEqual(decided);
  });

  test("who is new gets what is said", () => {
    const decided = decideMembership(null, { account_id, role: "billing" }, { owners: [ANN], has_project: false });
    expect(decided).toEqual({ role: "billing", project_id: null });
  });
});

describe("an owner", () => {
  const owner = memberRecord({ role: "owner" });
  const CASES: readonly [promise: string, owners: readonly Owner[], is_last: boolean][] = [
    ["alone is the last", [ANN], true],
    ["beside another is not", [ANN, BO], false],
    ["beside a disabled one is", [ANN, { ...BO, status: "disabled" }], true],
  ];
  test.each(CASES)("%s, and then keeps the role and stays", (_promise, owners, is_last) => {
    const beside = { owners, has_project: true };
    const demoted = decideMembership(owner, { account_id, role: "viewer" }, beside);
    expect(demoted).toEqual(is_last ? LAST : { role: "viewer", project_id: null });
    expect(refuseLeaving(owner, owners)).toEqual(is_last ? LAST : null);
  });

  test("is not asked for where a member leaves who is none", () => {
    expect(refuseLeaving(memberRecord(), [])).toBeNull();
  });
});
