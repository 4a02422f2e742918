import { Check } from "typebox/value";
import { type Deleted, OfAccount } from "../../../contract/common.ts";
import type { PlaygroundKey } from "../../../contract/playground.ts";
import {
  CreatePrompt,
  MOST_PROMPTS,
  type Prompt,
  PromptContent,
  type PromptList,
  UpdatePrompt,
} from "../../../contract/prompts.ts";
import { given } from "../../core/given.ts";
import { newId, newKeyId } from "../../core/ids.ts";
import type { PromptRecord } from "../../core/people/prompts.ts";
import { PLAYGROUND_KEY_LIFE_MS } from "../../people/keys/playground-key.ts";
import { accountRoleOf, nameOf, roleOf } from "../answer/actor.ts";
import { ConsoleError } from "../answer/console-error.ts";
import { drawKey } from "../answer/draw-key.ts";
import { drawsOf, madeOnce } from "../answer/made-once.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound, requireScope, viewedAccount } from "../answer/scope.ts";
import { showTime } from "../show/show.ts";

export const playgroundRoutes = [
  route("POST /playground/key", "member", { audit: "playground_key.renew", body: OfAccount, make: renewKey }),
  // Prompts, for members who may use the playground: their own, and those that others of the account share.
  route("GET /playground/prompts", "member", { query: OfAccount, show: listPrompts }),
  route("POST /playground/prompts", "member", { audit: "prompt.create", body: CreatePrompt, make: createPrompt }),
  route("PATCH /playground/prompts/{prompt}", "member", {
    audit: "prompt.update",
    body: UpdatePrompt,
    show: updatePrompt,
  }),
  route("DELETE /playground/prompts/{prompt}", "member", { audit: "prompt.delete", show: deletePrompt }),
];

/**
 * Makes the playground's key. The playground calls the public endpoints with a key and not with the session, so that
 * its calls have the limits, bills and receipts of any client's, and a session cookie is of no use under /v1.
 */
async function renewKey(call: ConsoleCall<OfAccount, unknown>): Promise<PlaygroundKey> {
  const { accounts, clock, keyChanged } = call.deps;
  const account_id = await viewedAccount(call, call.body.account);
  const { key, hash, hint } = await drawKey(call.deps, account_id);
  const expires_ms = clock.now_ms() + PLAYGROUND_KEY_LIFE_MS;
  const user_id = nameOf(call.actor);
  const record = await accounts.renewPlaygroundKey({
    id: newKeyId(account_id),
    account_id,
    user_id,
    hash,
    hint,
    expires_ms,
  });
  keyChanged?.(record.id);
  return { object: "playground_key", id: record.id, account: account_id, key, expires_at: showTime(expires_ms) };
}

async function listPrompts(call: ConsoleCall<unknown, OfAccount>): Promise<PromptList> {
  const account_id = await viewedAccount(call, call.query.account);
  const user_id = nameOf(call.actor);
  const records = await call.deps.users.listPrompts(account_id, user_id);
  return { object: "list", data: records.map((record) => show(record, user_id)) };
}

async function createPrompt(call: ConsoleCall<CreatePrompt>): Promise<Prompt> {
  const { deps, actor, body, note } = call;
  if (actor.kind !== "user") throw new ConsoleError("not_permitted", "Prompts belong to users: sign in to save one.");
  const account_id = await viewedAccount(call, body.account);
  const { user_id } = actor;
  const draws = drawsOf(call);
  const id = newId("prompt", draws.id);
  const { name, shared = false, content } = body;
  const made = { id, account_id, user_id, name: name.trim(), shared, content: JSON.stringify(content) };
  const record = await madeOnce(draws, {
    make: () => deps.users.createPrompt({ ...made, at_most: MOST_PROMPTS }, note),
    findEarlier: () => deps.users.findPrompt(id),
  });
  return show(record, user_id);
}

async function updatePrompt(call: ConsoleCall<UpdatePrompt>): Promise<Prompt> {
  const { deps, actor, body, note } = call;
  const found = await requirePrompt(call);
  if (found.user_id !== nameOf(actor)) throw notOwn(found);
  const { name, shared, content } = body;
  const patch = given({ name: name?.trim(), shared, content: content && JSON.stringify(content) });
  const record = await deps.users.updatePrompt(found.id, patch, note);
  if (record === null) throw notFound("prompt", found.id);
  return show(record, nameOf(actor));
}

/** Owners and administrators also delete what others share. */
async function deletePrompt(call: ConsoleCall): Promise<Deleted> {
  const { deps, actor, note } = call;
  const found = await requirePrompt(call);
  const tidies = roleOf(actor) === "administrator" || accountRoleOf(actor, found.account_id) === "owner";
  if (found.user_id !== nameOf(actor) && !tidies) throw notOwn(found);
  if (!(await deps.users.deletePrompt(found.id, note))) throw notFound("prompt", found.id);
  return { id: found.id, deleted: true };
}

/** A prompt that the caller sees: their own, or a shared one of an account in which they may use the playground. Throws 404 and 403. */
async function requirePrompt(call: ConsoleCall): Promise<PromptRecord> {
  const id = call.params.prompt ?? "";
  const found = await call.deps.users.findPrompt(id);
  const is_seen = found !== null && (found.shared || found.user_id === nameOf(call.actor));
  if (!is_seen || !seesAccount(call, found)) throw notFound("prompt", id);
  requireScope(call, found.account_id);
  return found;
}

function seesAccount({ actor }: ConsoleCall, { account_id }: PromptRecord): boolean {
  return roleOf(actor) === "administrator" || accountRoleOf(actor, account_id) !== null;
}

function notOwn({ email }: PromptRecord): ConsoleError {
  return new ConsoleError("not_permitted", `${email} saved this prompt: save your own copy to change it.`);
}

function show(record: PromptRecord, user_id: string): Prompt {
  return {
    id: record.id,
    account: record.account_id,
    name: record.name,
    shared: record.shared,
    own: record.user_id === user_id,
    by: record.email,
    content: readContent(record.content),
    created_at: showTime(record.created_ms),
    updated_at: showTime(record.updated_ms),
  };
}

/** A newer program may have saved more than this one knows: then it is shown without its content. */
function readContent(text: string): PromptContent {
  const value: unknown = JSON.parse(text);
  return Check(PromptContent, value) ? value : {};
}
