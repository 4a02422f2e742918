import type { MemberRecord } from "../../src/core/people/memberships.ts";
import type { LinkRecord, UserRecord } from "../../src/core/people/users.ts";

/** Records of people as the database returns them, for the tests of the rules. Whoever tries a rule says the fields that it is about. */

export function userRecord(fields: Partial<UserRecord> = {}): UserRecord {
  return {
    id: "user_ann",
    email: "ann@example.com",
    email_verified: true,
    name: "Ann",
    role: "member",
    status: "active",
    account_id: "acct_1",
    memberships: [],
    has_password: false,
    passkeys: 0,
    identities: [],
    created_ms: 0,
    last_seen_ms: null,
    ...fields,
  };
}

export function linkRecord(fields: Partial<LinkRecord> = {}): LinkRecord {
  return {
    id: "link_1",
    purpose: "invitation",
    email: "ann@example.com",
    role: "member",
    user_id: null,
    account_id: null,
    account_role: null,
    vouched: true,
    made_by: "admin-token",
    created_ms: 0,
    expires_ms: 1000,
    credit_micro: null,
    project_id: null,
    ...fields,
  };
}

export function memberRecord(fields: Partial<MemberRecord> = {}): MemberRecord {
  return {
    user_id: "user_ann",
    account_id: "acct_1",
    role: "member",
    email: "ann@example.com",
    name: "Ann",
    status: "active",
    project: null,
    joined_ms: 0,
    last_seen_ms: null,
    ...fields,
  };
}
