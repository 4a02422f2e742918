import type { Deleted } from "../../../contract/common.ts";
import type { Cell } from "../../../contract/csv.ts";
import {
  type CreatedKey,
  CreateKey,
  type Key,
  type KeyList,
  KeyListQuery,
  type RolledKey,
  RollKey,
  UpdateKey,
} from "../../../contract/keys.ts";
import { tagTexts, tagValue } from "../../../contract/tag-rules.ts";
import type { ConsoleAnswer } from "../../core/answer/console-exchange.ts";
import { newKeyId } from "../../core/ids.ts";
import type { KeyRecord, KeyStatus } from "../../core/people/principal.ts";
import type { KeyPatch } from "../../core/store/ports.ts";
import { ceilingsAfter, changesOf } from "../../limits/ceilings.ts";
import { barredBy } from "../../people/keys/key-status.ts";
import { roleOf } from "../answer/actor.ts";
import { drawKey } from "../answer/draw-key.ts";
import { drawsOf, madeOnce, requireRecent } from "../answer/made-once.ts";
import { isPaged, type Page, projectAsked, readPage, searchOf, showPage, tagAsked } from "../answer/page.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound, requireAccount, requireAccounts, requireKey, requireScope } from "../answer/scope.ts";
import { BLANK_KEY } from "../read/blank-key.ts";
import { readKeyFields } from "../read/read-key-fields.ts";
import { modelLimitsAfter } from "../read/read-limits.ts";
import { readProject } from "../read/read-project.ts";
import { type Limitable, withinCeilings } from "../read/within-ceilings.ts";
import { csvFile } from "../show/csv-file.ts";
import { budgetCells } from "../show/file-rows.ts";
import { keyFields, showKey } from "../show/show.ts";

export const keyRoutes = [
  route("POST /keys", "member", { audit: "key.create", body: CreateKey, make: createKey }),
  route("GET /keys", "member", { query: KeyListQuery, handle: listKeys }),
  route("GET /keys/{key}", "member", { show: async (call) => shown(call, await requireKey(call)) }),
  route("PATCH /keys/{key}", "member", { audit: "key.update", body: UpdateKey, show: updateKey }),
  route("DELETE /keys/{key}", "member", { audit: "key.delete", show: deleteKey }),
  route("POST /keys/{key}/disable", "member", { audit: "key.disable", show: (call) => setStatus(call, "disabled") }),
  route("POST /keys/{key}/enable", "member", { audit: "key.enable", show: (call) => setStatus(call, "active") }),
  route("POST /keys/{key}/revoke", "member", { audit: "key.revoke", show: (call) => setStatus(call, "revoked") }),
  route("POST /keys/{key}/roll", "member", { audit: "key.roll", body: RollKey, make: rollKey }),
];

async function listKeys(call: ConsoleCall<unknown, KeyListQuery>): Promise<ConsoleAnswer> {
  const { accounts } = call.deps;
  const account_id = await requireAccounts(call, call.query.account);
  const show = (key: KeyRecord) => shown(call, key);
  const read = async (page: Page) =>
    showPage(await accounts.searchKeys(account_id, searchOf(call.query, page)), page, show);
  const rowsOf = async (keys: readonly Key[]) => {
    const labels = await accounts.labelAccounts(keys.map(({ account }) => account));
    const emails = new Map(labels.map(({ id, email }) => [id, email]));
    return keys.map((key) => keyRow(key, emails.get(key.account) ?? ""));
  };
  if (call.query.format === "csv") return csvFile("keys", { columns: KEY_COLUMNS, read, rowsOf });
  if (isPaged(call.query)) return { status: 200, body: await read(readPage(call.query)) };
  const data = (await listAll(call, account_id)).map(show);
  return { status: 200, body: { object: "list", data } satisfies KeyList };
}

async function listAll(
  { deps, query }: ConsoleCall<unknown, KeyListQuery>,
  account_id: string | null,
): Promise<readonly KeyRecord[]> {
  const keys = await deps.accounts.listKeys(account_id);
  const project_id = query.project === undefined ? null : projectAsked(query.project);
  const tag = query.tag === undefined ? null : tagAsked(query.tag);
  return keys.filter(
    ({ project, tags }) =>
      (project_id === null || (project?.id ?? "") === project_id) &&
      (tag === null || tagValue(tags, tag.name) === tag.value),
  );
}

/** Makes a key. No other answer ever shows the key itself, because it is not stored. */
async function createKey(call: ConsoleCall<CreateKey, unknown>): Promise<CreatedKey> {
  const { account: owner, project, ...fields } = call.body;
  const { accounts, configuration, clock } = call.deps;
  const account = await requireAccount(call, owner);
  const of_project =
    project === undefined ? await ownProject(call, account.id) : await inProject(call, account.id, project);
  const given = { ...readKeyFields(fields, call.deps), ...of_project };
  const patch = allowedFields(call, given, account.limits === undefined ? {} : { account_limits: account.limits });
  const draws = drawsOf(call);
  const { key, hash, hint } = await drawKey(call.deps, account.id, draws.secret);
  const id = newKeyId(account.id, draws.id);
  const record = await madeOnce(draws, {
    make: () => accounts.createKey({ ...BLANK_KEY, ...patch, id, account_id: account.id, hash, hint }),
    findEarlier: () => accounts.findKeyByHash(hash),
  });
  requireRecent(record, clock.now_ms());
  return { id: record.id, key, ...keyFields(record, configuration) };
}

async function updateKey(call: ConsoleCall<UpdateKey, unknown>): Promise<Key> {
  const found = await requireKey(call);
  const { id } = found;
  const { project, ...fields } = call.body;
  // A key that leaves its project leaves the project's budget, too.
  if (project !== undefined) requireScope({ ...call, scope: "projects:write" }, found.account_id);
  const of_project = project === undefined ? {} : await inProject(call, found.account_id, project);
  const given = { ...changesOf(readKeyFields(fields, call.deps, found), found), ...of_project };
  const patch = allowedFields(call, given, found);
  // A member's change was judged by the key as it was read.
  const read_version = isAdministrator(call) ? undefined : found.version;
  const key = await call.deps.accounts.updateKey(id, patch, read_version);
  call.deps.keyChanged?.(id);
  if (!key) throw notFound("key", id);
  return shown(call, key);
}

/** The project that a body names, or none. Throws a 400 where the account does not have it. */
async function inProject(
  { deps }: ConsoleCall,
  account_id: string,
  name: string | null,
): Promise<Pick<KeyPatch, "project_id">> {
  return { project_id: name === null ? null : (await readProject(deps.accounts, account_id, name)).id };
}

/** The project that a member's keys go into who chooses none (docs/design/tags-and-projects.md); programs have no such project. */
async function ownProject({ deps, actor }: ConsoleCall, account_id: string): Promise<Pick<KeyPatch, "project_id">> {
  const member = actor.kind === "user" ? await deps.users.findMember(account_id, actor.user_id) : null;
  return member?.project == null ? {} : { project_id: member.project.id };
}

/** Gives a key a new secret, which no other answer shows; with an `Idempotency-Key`, once. */
async function rollKey(call: ConsoleCall<RollKey, unknown>): Promise<RolledKey> {
  const { accounts, configuration, keyChanged } = call.deps;
  const { id, account_id } = await requireKey(call);
  const draws = drawsOf(call);
  const { key, hash, hint } = await drawKey(call.deps, account_id, draws.secret);
  const record = await madeOnce(draws, {
    make: () => accounts.rollKey(id, { hash, hint, overlap_ms: (call.body.overlap_s ?? 0) * 1000 }),
    findEarlier: () => accounts.findKeyByHash(hash),
  });
  keyChanged?.(id);
  if (!record) throw notFound("key", id);
  requireRecent({ id, created_ms: record.rolled_ms ?? record.created_ms }, call.deps.clock.now_ms());
  return { id: record.id, key, ...keyFields(record, configuration) };
}

async function setStatus(call: ConsoleCall, status: KeyStatus): Promise<Key> {
  const { id } = await requireKey(call);
  const key = await call.deps.accounts.setKeyStatus(id, status, barredBy(isAdministrator(call), status));
  call.deps.keyChanged?.(id);
  if (!key) throw notFound("key", id);
  return shown(call, key);
}

async function deleteKey(call: ConsoleCall): Promise<Deleted> {
  const { id } = await requireKey(call);
  const deleted = await call.deps.accounts.deleteKey(id);
  call.deps.keyChanged?.(id);
  if (!deleted) throw notFound("key", id);
  return { id, deleted: true };
}

function isAdministrator({ actor }: ConsoleCall): boolean {
  return roleOf(actor) === "administrator";
}

/**
 * The fields as the actor may set them: an administrator sets limits and their ceilings, a member stays within them.
 * Throws 403 for a member who asks for more.
 */
function allowedFields(
  call: ConsoleCall,
  { model_limits, ...rest }: KeyPatch,
  key: Limitable & Pick<KeyRecord, "model_limits">,
): KeyPatch {
  const after = modelLimitsAfter(model_limits ?? null, key.model_limits, isAdministrator(call));
  const given = { ...rest, ...(model_limits !== undefined && { model_limits: after }) };
  if (isAdministrator(call)) return { ...given, ceilings: ceilingsAfter(given, key.ceilings) };
  return withinCeilings(given, key, call.deps.configuration);
}

function shown({ deps }: ConsoleCall, key: KeyRecord): Key {
  return showKey(key, deps.configuration);
}

/** Keys as rows of a file. */
const KEY_COLUMNS = [
  ...["id", "name", "hint", "status", "account", "account_email", "created_at", "last_used_at", "expires_at"],
  ...["old_secret_until", "playground", "barred", "aliases", "prefix_aliases", "models", "rpm", "tpm", "concurrent"],
  ...["budget", "budget_window", "tags"],
];

function keyRow(key: Key, email: string): Cell[] {
  return [
    ...[key.id, key.name, key.hint, key.status, key.account, email, key.created_at, key.last_used_at, key.expires_at],
    ...[key.old_secret_until, key.playground ? 1 : 0, key.barred ? 1 : 0],
    key.aliases.map(({ name, model }) => `${name}=${model}`).join(" "),
    key.prefix_aliases.map(({ prefix, model }) => `${prefix}*=${model}`).join(" "),
    ...[key.models?.join(" ") ?? null, key.rpm, key.tpm, key.concurrent, ...budgetCells(key.budget)],
    tagTexts(key.tags).join("; "),
  ];
}
