import {
  type CreatedManagementKey,
  CreateManagementKey,
  type ManagementKey,
  type ManagementKeyPage,
  ManagementKeysQuery,
} from "../../../contract/management-keys.ts";
import type { Scope } from "../../../contract/permissions.ts";
import { createManagementKey, managementKeyHash } from "../../access/management-key.ts";
import { newId } from "../../core/ids.ts";
import type { ManagementKeyRecord } from "../../core/people/management-keys.ts";
import { managementKeyStatus } from "../../people/keys/management-key-life.ts";
import { type Actor, mayIn, nameOf, roleOf } from "../answer/actor.ts";
import { ConsoleError } from "../answer/console-error.ts";
import { drawsOf, madeOnce, requireRecent } from "../answer/made-once.ts";
import { readPage, showPage } from "../answer/page.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound, requireAccount, requireAccounts, requireScope } from "../answer/scope.ts";
import { readExpiry } from "../read/read-key-fields.ts";
import { showTime } from "../show/show.ts";

/** Management keys: for everything by administrators, for their own account by its owners. */
export const managementKeyRoutes = [
  route("GET /management-keys", "member", { query: ManagementKeysQuery, show: list }),
  route("POST /management-keys", "member", { audit: "management_key.create", body: CreateManagementKey, make: create }),
  route("POST /management-keys/{management_key}/revoke", "member", { audit: "management_key.revoke", show: revoke }),
];

async function list(call: ConsoleCall<unknown, ManagementKeysQuery>): Promise<ManagementKeyPage> {
  const account_id = await requireAccounts(call, call.query.account);
  const page = readPage(call.query);
  const found = await call.deps.users.listManagementKeys({ ...page, account_id, limit: page.limit + 1 });
  return showPage(found, page, (key) => show(key, call.deps.clock.now_ms()));
}

/** Makes a key, with no more than its maker may do. No other answer shows it, because only its hash is stored. */
async function create(call: ConsoleCall<CreateManagementKey>): Promise<CreatedManagementKey> {
  const { body, deps, actor } = call;
  const { users, keys, clock } = deps;
  const account_id = body.account === undefined ? null : (await requireAccount(call, body.account)).id;
  requireNoMore(actor, account_id, body.scopes);
  const expires_ms = body.expires_at == null ? null : readExpiry(body.expires_at, clock.now_ms());
  const draws = drawsOf(call);
  const { key, hash, hint } = createManagementKey(keys, draws.secret);
  const made = { id: newId("mkey", draws.id), hash, hint, name: body.name, scopes: body.scopes };
  const record = await madeOnce(draws, {
    make: () => users.createManagementKey({ ...made, account_id, created_by: nameOf(actor), expires_ms }, call.note),
    findEarlier: async () => (await users.findManagementKeyByHash(managementKeyHash(keys, key) ?? ""))?.key ?? null,
  });
  requireRecent(record, clock.now_ms());
  return { ...show(record, clock.now_ms()), key };
}

/** An actor gives a key only scopes of its own: else the scope to make keys would be every scope. */
function requireNoMore(actor: Actor, account_id: string | null, scopes: readonly Scope[]): void {
  if (account_id === null && roleOf(actor) !== "administrator") {
    const message = "'account' is missing: only administrators create management keys for all accounts.";
    throw new ConsoleError("not_permitted", message, "account");
  }
  const lacking = scopes.filter((scope) => !mayIn(actor, account_id ?? "", scope));
  if (lacking.length === 0) return;
  throw new ConsoleError(
    "not_permitted",
    `You cannot give ${lacking.join(", ")}: you may not do it yourself.`,
    "scopes",
  );
}

async function revoke(call: ConsoleCall): Promise<ManagementKey> {
  const { deps, actor, params, note } = call;
  const id = params.management_key ?? "";
  const found = await deps.users.findManagementKey(id);
  const is_seen =
    found !== null &&
    (roleOf(actor) === "administrator" || mayIn(actor, found.account_id ?? "", "management_keys:read"));
  if (!is_seen) throw notFound("management key", id);
  requireScope(call, found.account_id ?? "");
  const revoked = await deps.users.revokeManagementKey(id, note);
  if (revoked === null) throw notFound("management key", id);
  return show(revoked, deps.clock.now_ms());
}

function show(key: ManagementKeyRecord, now_ms: number): ManagementKey {
  const { id, name, hint, scopes, account_id, created_by, created_ms, expires_ms, last_used_ms } = key;
  return {
    id,
    name,
    hint,
    scopes: [...scopes],
    account: account_id,
    status: managementKeyStatus(key, now_ms),
    created_by,
    created_at: showTime(created_ms),
    expires_at: expires_ms === null ? null : showTime(expires_ms),
    last_used_at: last_used_ms === null ? null : showTime(last_used_ms),
  };
}
