import { OfAccount } from "../../../contract/common.ts";
import {
  type Content,
  type ContentEntry,
  type ContentList,
  type ContentSwitches,
  ContentsQuery,
  DeleteContents,
  type DeletedContents,
  SwitchContents,
} from "../../../contract/contents.ts";
import { splitTag } from "../../../contract/tag-rules.ts";
import type { ConsoleAnswer } from "../../core/answer/console-exchange.ts";
import type { ContentSwitch, ContentEntry as StoredEntry } from "../../core/answer/contents.ts";
import { DEFAULT_CONTENT } from "../../core/catalog/content-settings.ts";
import { invalidRequest } from "../../core/errors.ts";
import { given } from "../../core/given.ts";
import type { ContentSearch } from "../../pipeline/contents/content-reader.ts";
import type { KeptContent } from "../../pipeline/contents/said.ts";
import { confinedTo } from "../answer/actor.ts";
import { forgetKeys } from "../answer/forget-keys.ts";
import { type ConsoleCall, route } from "../answer/route.ts";
import { notFound, requireAccount, requireKey } from "../answer/scope.ts";
import { readProject } from "../read/read-project.ts";
import { readSpan } from "../read/read-time.ts";
import { showTime } from "../show/show.ts";

/** What was said, and where it is kept (docs/rulings.md 184). Each look at contents is in the audit log. */
export const contentRoutes = [
  route("GET /contents", "member", {
    query: ContentsQuery,
    handle: async (call) =>
      call.query.format === "jsonl" ? await exportContents(call) : { status: 200, body: await listContents(call) },
  }),
  route("GET /contents/switches", "member", { query: OfAccount, show: showSwitches }),
  route("PUT /contents/switches", "member", { audit: "content.switch", body: SwitchContents, show: switchContents }),
  route("GET /contents/{request}", "member", { query: OfAccount, show: showContent }),
  route("DELETE /contents/{request}", "member", {
    audit: {
      action: "content.delete",
      describe: ({ params }) => ({ object: { kind: "content", id: params.request ?? "" } }),
    },
    query: OfAccount,
    show: deleteContent,
  }),
  route("POST /contents/delete-user", "member", {
    audit: {
      action: "content.delete_user",
      // The id of an end user is personal data, and what is deleted is not to live on in the log.
      describe: (_call, { body }) => ({
        object: { kind: "content", id: null },
        after: { ...(body as DeletedContents) },
      }),
    },
    body: DeleteContents,
    show: deleteUser,
  }),
];

const USUAL_LIMIT = 50;
const EXPORT_STEP = 50;

async function accountOf(call: ConsoleCall, named: string | undefined): Promise<string> {
  const own = named ?? confinedTo(call.actor);
  if (own === null || own === undefined)
    throw invalidRequest("'account' is missing: contents are found in one account at a time.", "account");
  return (await requireAccount(call, own)).id;
}

async function listContents(call: ConsoleCall<unknown, ContentsQuery>): Promise<ContentList> {
  const { limit, before } = call.query;
  const search = await searchOf(call);
  const asked = {
    ...search,
    ...given({ before_id: before }),
    limit: limit === undefined ? USUAL_LIMIT : Number(limit),
  };
  const { entries, next_before } = await call.deps.contents.find(asked);
  if (search.words !== undefined) await noteLook(call, search.account_id, "content.search", null);
  return {
    object: "list",
    data: await shown(call, entries),
    has_more: next_before !== null,
    next_before,
  };
}

async function searchOf(call: ConsoleCall<unknown, ContentsQuery>): Promise<Omit<ContentSearch, "limit">> {
  const { account, key, model, status, tag, user, words } = call.query;
  const account_id = await accountOf(call, account);
  const span = readSpan(call.query);
  const asked_tag = tag === undefined ? null : splitTag(tag);
  if (words !== undefined) await requireWords(call, account_id);
  return {
    account_id,
    ...given({ key_id: key, model, user, ...span }),
    ...(status === undefined ? {} : { status: Number(status) }),
    ...(asked_tag === null ? {} : { tag: asked_tag }),
    ...(words === undefined ? {} : { words: words.split(/\s+/).filter((word) => word !== "") }),
  };
}

/** Throws a 403 where the account does not allow that its contents are searched for words. */
async function requireWords({ deps }: ConsoleCall, account_id: string): Promise<void> {
  const switches = await deps.accounts.contentSwitches(account_id);
  if (switches.some(({ scope, words }) => scope === "account" && words)) return;
  throw invalidRequest(
    `The account ${account_id} does not allow that its contents are searched for words; an owner may allow it.`,
    "words",
  );
}

async function showContent(call: ConsoleCall<unknown, OfAccount>): Promise<Content> {
  const account_id = await accountOf(call, call.query.account);
  const request_id = call.params.request ?? "";
  const found = await call.deps.contents.show(account_id, request_id);
  if (found === null) throw notFound("content", request_id);
  await noteLook(call, account_id, "content.read", request_id);
  const [entry] = await shown(call, [found.entry]);
  if (entry === undefined) throw notFound("content", request_id);
  return { ...entry, ...opened(found.content) };
}

/** Contents as lines of JSON, read as the client takes them. */
async function exportContents(call: ConsoleCall<unknown, ContentsQuery>): Promise<ConsoleAnswer> {
  const search = await searchOf(call);
  await noteLook(call, search.account_id, "content.export", null);
  return {
    status: 200,
    body: "",
    pieces: exported(call, search),
    headers: {
      "content-type": "application/x-ndjson",
      "content-disposition": 'attachment; filename="contents.jsonl"',
    },
  };
}

async function* exported(call: ConsoleCall, search: Omit<ContentSearch, "limit">): AsyncGenerator<string, void> {
  const { contents } = call.deps;
  for (let before: string | null | undefined; before !== null; ) {
    const place: { before_id?: string } = before === undefined ? {} : { before_id: before };
    const { entries, next_before } = await contents.find({ ...search, ...place, limit: EXPORT_STEP });
    const found = await contents.open(search.account_id, entries);
    const lines = (await shown(call, entries)).map(
      (entry) => `${JSON.stringify({ ...entry, ...opened(found.get(entry.request_id) ?? null) })}\n`,
    );
    if (lines.length > 0) yield lines.join("");
    before = next_before;
  }
}

async function deleteContent(call: ConsoleCall<unknown, OfAccount>): Promise<DeletedContents> {
  const request_id = call.params.request ?? "";
  const deleted = await call.deps.contents.remove(await accountOf(call, call.query.account), { request_id });
  if (deleted === 0) throw notFound("content", request_id);
  return { deleted };
}

async function deleteUser(call: ConsoleCall<DeleteContents>): Promise<DeletedContents> {
  const { account, user } = call.body;
  return { deleted: await call.deps.contents.remove(await accountOf(call, account), { user }) };
}

/** Each look at contents is written down, with whose they are. */
async function noteLook(
  { deps, note }: ConsoleCall,
  account_id: string,
  action: string,
  id: string | null,
): Promise<void> {
  await deps.users.addAuditEntry({
    ...{ ...note, action, account_id, object: { kind: "content", id }, before: null, after: null },
  });
}

async function shown({ deps }: ConsoleCall, entries: readonly StoredEntry[]): Promise<ContentEntry[]> {
  const labels = await deps.accounts.labelKeys(entries.map(({ key_id }) => key_id));
  const names = new Map(labels.map(({ id, name }) => [id, name]));
  return entries.map(({ account_id, request_id, at_ms, key_id, model, endpoint, status, tags, bytes }) => ({
    ...{ request_id, at: showTime(at_ms), account: account_id, key_id, key_name: names.get(key_id) ?? null },
    ...{ model, endpoint, status, tags: tags === null ? {} : JSON.parse(tags), bytes },
  }));
}

const UNREADABLE: KeptContent = {
  ...{ stream: false, error: null, vendor: null, upstream_model: null, content_type: null },
  ...{ sent: null, answer: null, left_out: {} },
};

function opened(content: KeptContent | null): Omit<Content, keyof ContentEntry> {
  return content ?? UNREADABLE;
}

async function showSwitches(call: ConsoleCall<unknown, OfAccount>): Promise<ContentSwitches> {
  return await switchesOf(call, await accountOf(call, call.query.account));
}

async function switchesOf({ deps }: ConsoleCall, account_id: string): Promise<ContentSwitches> {
  const all = await deps.accounts.contentSwitches(account_id);
  const ids = (scope: ContentSwitch["scope"]): string[] =>
    all.filter((each) => each.scope === scope).map(({ id }) => id);
  const [keys, projects] = await Promise.all([
    deps.accounts.labelKeys(ids("key")),
    deps.accounts.labelProjects(ids("project")),
  ]);
  const listed = (labels: readonly { readonly id: string; readonly name: string; readonly deleted: boolean }[]) =>
    labels
      .filter(({ deleted }) => !deleted)
      .map(({ id, name }) => ({ id, name, content_log: all.some((each) => each.id === id && each.keeps) }));
  const own = all.find(({ scope }) => scope === "account");
  const { keep_ms, most_bytes, masks } = deps.configuration.content_log ?? DEFAULT_CONTENT;
  return {
    ...{ object: "content_switches", account: account_id },
    ...{ content_log: own?.keeps ?? null, words: own?.words ?? false },
    ...{ projects: listed(projects), keys: listed(keys) },
    ...{ keep_s: Math.round(keep_ms / 1000), most_bytes },
    mask: masks.map((mask) => (mask.kind === "regex" ? `regex:${mask.pattern.source}` : mask.kind)),
  };
}

async function switchContents(call: ConsoleCall<SwitchContents>): Promise<ContentSwitches> {
  const { account, project, key, content_log, words } = call.body;
  if (project !== undefined && key !== undefined)
    throw invalidRequest("'project' and 'key' are both there; allowed: one of them.", "key");
  if (words !== undefined && (project !== undefined || key !== undefined))
    throw invalidRequest("'words' is said of a whole account alone.", "words");
  const { accounts } = call.deps;
  const of_key = key === undefined ? null : await requireKey(call, key);
  const account_id = of_key?.account_id ?? (await accountOf(call, account));
  const of_project = project === undefined ? null : await readProject(accounts, account_id, project);
  if (of_key !== null) {
    await accounts.setContentSwitch(account_id, { scope: "key", id: of_key.id }, asSwitch(content_log, false));
  } else if (of_project !== null) {
    await accounts.setContentSwitch(account_id, { scope: "project", id: of_project.id }, asSwitch(content_log, false));
  } else {
    const before = (await accounts.contentSwitches(account_id)).find(({ scope }) => scope === "account");
    const value = asSwitch(content_log, words ?? before?.words ?? false);
    await accounts.setContentSwitch(account_id, { scope: "account", id: account_id }, value);
  }
  await forgetKeys(call, account_id);
  return await switchesOf(call, account_id);
}

function asSwitch(keeps: boolean | null, words: boolean): Pick<ContentSwitch, "keeps" | "words"> | null {
  return keeps === null ? null : { keeps, words };
}
