/**
 * The permissions of members and management keys. A scope names one kind of action; the role of a member in an account, and a management key, are sets of
 * scopes. Administrators of the gateway and the admin token may do everything.
 */

/** Every scope, in words for people. */
export const SCOPES = {
  "accounts:read": "see accounts: balance, limits, budget",
  "accounts:write": "create accounts, set their limits, disable them",
  "members:read": "see the members of an account and the open invitations to it",
  "members:write": "invite into an account, change roles, remove members",
  "keys:read": "see keys, their aliases, limits and budgets",
  "keys:write": "create, change, disable and delete keys",
  "projects:write": "create, change and delete projects, and move keys between them",
  "usage:read": "see usage and spend",
  "requests:read": "see requests and their receipts",
  "content:read": "read what was said in requests and answers, where that is kept",
  "content:write": "say where what was said is kept, delete it, and remove stored answers",
  "credits:read": "see the ledger of an account and the rule of its top-ups",
  "credits:write": "add credit, correct balances, set the rule of top-ups",
  "models:read": "see models and prices",
  "playground:use": "use the playground, which spends the account's credit",
  "users:read": "see who may sign in to the console",
  "users:write": "invite users, disable them, create links that reset their password",
  "management_keys:read": "see management keys",
  "management_keys:write": "create and revoke management keys with no more than their maker's scopes",
  "configuration:read": "see vendors, prices, routes and default limits",
  "configuration:write": "change and reload the configuration, set and try credentials of vendors",
  "health:read": "see the health of the gateway and of its vendors",
  "alerts:read": "see alerts, to whom they go, and what was told",
  "alerts:write": "add and remove targets of alerts, see their secrets, test them, and send again what was told",
  "audit:read": "see the audit log",
  "books:write": "rebuild the counters of usage from the ledger",
} as const;
export type Scope = keyof typeof SCOPES;
export const ALL_SCOPES = Object.keys(SCOPES) as Scope[];

export const ACCOUNT_ROLES = ["owner", "member", "viewer", "billing"] as const;
export type AccountRole = (typeof ACCOUNT_ROLES)[number];

const SEEING = ["accounts:read", "keys:read", "usage:read", "requests:read", "models:read"] as const;

/** The scopes of each role in its account. */
export const ROLE_SCOPES: Readonly<Record<AccountRole, readonly Scope[]>> = {
  owner: [
    ...SEEING,
    "keys:write",
    "projects:write",
    "credits:read",
    "playground:use",
    "members:read",
    "members:write",
    "management_keys:read",
    "management_keys:write",
    "alerts:read",
    "alerts:write",
    "content:read",
    "content:write",
  ],
  member: [...SEEING, "keys:write", "credits:read", "playground:use", "members:read", "alerts:read"],
  viewer: [...SEEING, "members:read"],
  billing: [...SEEING, "credits:read", "alerts:read"],
};

/** Each role of an account with its article, as in "You are invited as a member". */
export const ROLE_NOUNS: Readonly<Record<AccountRole, string>> = {
  owner: "an owner",
  member: "a member",
  viewer: "a viewer",
  billing: "a billing contact",
};

/** The roles in one sentence each, for those who choose one. */
export const ROLE_WORDS: Readonly<Record<AccountRole, string>> = {
  owner: "sees everything in the account, creates keys and projects, invites and removes members",
  member: "sees the account, creates and changes keys, uses the playground",
  viewer: "sees keys, usage and requests, and changes nothing",
  billing: "sees usage, requests, credits and what they cost, and changes nothing",
};

/** Whether a role may do something in its account. */
export function roleMay(role: AccountRole, scope: Scope): boolean {
  return ROLE_SCOPES[role].includes(scope);
}
