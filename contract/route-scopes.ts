import type { Scope } from "./permissions.ts";

/**
 * The scope that each route needs. A route is found by its path, longest prefix first; the second scope is for what
 * changes something. A path that is in no row needs an administrator or the admin token.
 *
 * - `self`: a user's own sign-in, for everybody who is signed in.
 */
const ROWS: Readonly<Record<string, readonly [read: Scope | "self", write: Scope | "self"]>> = {
  "/session": ["self", "self"],
  "/me": ["self", "self"],
  "/accounts": ["accounts:read", "accounts:write"],
  "/accounts/{account}/credits": ["credits:read", "credits:write"],
  "/accounts/{account}/members": ["members:read", "members:write"],
  "/invitations": ["members:read", "members:write"],
  "/users": ["users:read", "users:write"],
  "/names": ["users:read", "users:read"],
  "/first-administrator-link": ["users:write", "users:write"],
  "/management-keys": ["management_keys:read", "management_keys:write"],
  "/keys": ["keys:read", "keys:write"],
  "/projects": ["keys:read", "projects:write"],
  "/budgets": ["keys:read", "keys:write"],
  "/tags": ["keys:read", "keys:read"],
  "/resolve": ["keys:read", "keys:read"],
  "/overview": ["usage:read", "usage:read"],
  "/usage": ["usage:read", "usage:read"],
  "/requests": ["requests:read", "requests:read"],
  "/contents": ["content:read", "content:write"],
  "/cache": ["usage:read", "content:write"],
  "/models": ["models:read", "configuration:write"],
  "/credits": ["credits:read", "credits:write"],
  "/playground": ["playground:use", "playground:use"],
  "/vendors": ["configuration:read", "configuration:write"],
  "/prices": ["configuration:read", "configuration:write"],
  "/routes": ["configuration:read", "configuration:write"],
  "/limits": ["configuration:read", "configuration:write"],
  "/configuration": ["configuration:read", "configuration:write"],
  "/mail": ["configuration:read", "configuration:write"],
  "/alerts": ["alerts:read", "alerts:write"],
  "/deliveries": ["alerts:read", "alerts:write"],
  "/health": ["health:read", "health:read"],
  "/audit-log": ["audit:read", "audit:read"],
  "/books": ["books:write", "books:write"],
};

const BY_LENGTH = Object.entries(ROWS).toSorted(([one], [other]) => other.length - one.length);

/** The scope that a route below /console/api needs; null where no role and no management key may call it. */
export function scopeOf(method: string, path: string): Scope | "self" | null {
  const row = BY_LENGTH.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`));
  return row?.[1][method === "GET" ? 0 : 1] ?? null;
}
