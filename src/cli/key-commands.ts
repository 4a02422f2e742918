import { type Command, InvalidArgumentError } from "commander";
import { BudgetList, type BudgetUse, type ModelLimitUse } from "../../contract/budgets.ts";
import { Deleted } from "../../contract/common.ts";
import {
  CreatedKey,
  type CreateKey,
  Key,
  type KeyCeilings,
  KeyList,
  LONGEST_OVERLAP_S,
  RolledKey,
  type UpdateKey,
} from "../../contract/keys.ts";
import { tagTexts } from "../../contract/tag-rules.ts";
import type { Tags } from "../../contract/tags.ts";
import { CLEARABLE, clearedOfKey, clearing } from "./clear-fields.ts";
import { editBody } from "./edit-body.ts";
import {
  budgetText,
  budgetUseText,
  type LimitOptions,
  limitsIn,
  modelLimitFields,
  withCache,
  withLimits,
} from "./limit-options.ts";
import { modelLimitUses } from "./model-limit-uses.ts";
import { addRaise } from "./raise-command.ts";
import { type CallOptions, callAndPrint, gatewayCommand, print, queryOf } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";
import { readAlias, readPrefixAlias, readTag, readTagNames, readTime } from "./shared/read-arguments.ts";
import { formatFields, formatTable } from "./shared/table.ts";

interface KeyFieldOptions extends CallOptions, LimitOptions {
  readonly name?: string;
  readonly alias?: CreateKey["aliases"];
  readonly prefixAlias?: CreateKey["prefix_aliases"];
  readonly cache?: string;
  readonly expires?: string;
  readonly project?: string;
  readonly tag?: Tags;
}
interface KeyCreateOptions extends KeyFieldOptions {
  readonly account: string;
}
interface KeyEditOptions extends KeyFieldOptions {
  readonly clear?: readonly (typeof CLEARABLE)[number][];
  readonly untag?: readonly string[];
}

export function addKeyCommands(program: Command, deps: CliDeps): void {
  const key = program.command("key").description("API keys");
  addCreate(key, deps);

  gatewayCommand(key, "list", "list the keys of an account, or all")
    .option("--account <account>", "an e-mail or account id")
    .option("--project <project_id>", "only those of a project, or none for those of no project")
    .option("--tag <name=value>", "only those with this tag; name= for those without it")
    .action((options: CallOptions) => listKeys(deps, options));

  gatewayCommand(key, "show <key_id>", "show one key, without its secret").action((id: string, options: CallOptions) =>
    showKey(id, deps, options),
  );

  addEdit(key, deps);
  for (const change of CHANGES) addChange(key, deps, change);

  addRoll(key, deps);
  addRaise(key, deps, "keys");

  gatewayCommand(key, "delete <key_id>", "delete a key; its requests and charges stay").action(
    (id: string, options: CallOptions) =>
      callAndPrint(
        deps,
        options,
        { method: "DELETE", path: ["keys", id], answer: Deleted },
        () => `Deleted key ${id}.`,
      ),
  );
}

/** Prints the keys, each with its account's e-mail. */
async function listKeys(deps: CliDeps, options: CallOptions): Promise<void> {
  const [{ callGateway }, { accountEmails }] = await Promise.all([
    import("./shared/gateway-client.ts"),
    import("./shared/account-emails.ts"),
  ]);
  const call = { method: "GET", path: ["keys"], query: queryOf(options), answer: KeyList } as const;
  const list = await callGateway(deps, options, call);
  const ids = options.json ? [] : list.data.map(({ account }) => account);
  const emails = await accountEmails(deps, options, ids);
  print(deps, options, list, () => tableOfKeys(list, emails, deps));
}

/** Prints a key, with the use of its budget. */
async function showKey(id: string, deps: CliDeps, options: CallOptions): Promise<void> {
  const { callGateway } = await import("./shared/gateway-client.ts");
  const key = await callGateway(deps, options, { method: "GET", path: ["keys", id], answer: Key });
  const query = { account: key.account };
  const budgets =
    key.budget === null
      ? []
      : (await callGateway(deps, options, { method: "GET", path: ["budgets"], query, answer: BudgetList })).data;
  const found = budgets.find((each) => each.key === key.id);
  const { key: _key, ...use } = found ?? { key: null };
  const limits = key.model_limits === undefined ? {} : await modelLimitUses(deps, options, ["keys", key.id]);
  print(deps, options, { ...key, ...limits, use: found === undefined ? null : use }, () =>
    fieldsOfKey(key, deps.clock.now_ms(), found, limits.model_limits),
  );
}

/** How long an old secret may stay valid, in seconds, by the unit that people write. */
const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

function addRoll(key: Command, deps: CliDeps): void {
  gatewayCommand(key, "roll <key_id>", "give a key a new secret, which is shown once")
    .option(
      "--overlap <time>",
      "how long the old secret stays valid: 30m, 24h, at most 7d (default: not at all)",
      readOverlap,
    )
    .action((id: string, { overlap, ...options }: CallOptions & { overlap?: number }) => {
      const body = { overlap_s: overlap ?? 0 };
      const call = { method: "POST", path: ["keys", id, "roll"], body, answer: RolledKey } as const;
      return callAndPrint(deps, options, call, ({ key: secret, old_secret_until }) => {
        const old =
          old_secret_until === null
            ? "The old secret no longer works."
            : `The old one is valid until ${old_secret_until}.`;
        return `Key ${id} has a new secret. It is shown this once:\n\n${secret}\n\n${old}`;
      });
    });
}

function readOverlap(text: string): number {
  const [, amount = "", unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds = Number(amount) * (UNITS[unit as keyof typeof UNITS] ?? Number.NaN);
  if (seconds >= 0 && seconds <= LONGEST_OVERLAP_S) return seconds;
  throw new InvalidArgumentError(`'${text}' is no time up to 7d; write one such as 30m, 24h or 7d.`);
}

function addCreate(key: Command, deps: CliDeps): void {
  const create = gatewayCommand(key, "create", "create a key; its secret is shown once").requiredOption(
    "--account <account>",
    "whom it bills: an e-mail or account id",
  );
  withFields(create).action((options: KeyCreateOptions) => {
    const body = { account: options.account, ...fieldsIn(options) };
    const call = { method: "POST", path: ["keys"], body, answer: CreatedKey } as const;
    return callAndPrint(deps, options, call, (created) => {
      return `Created key ${created.id} of account ${created.account}. It is shown this once:\n\n${created.key}\n`;
    });
  });
}

function addEdit(key: Command, deps: CliDeps): void {
  const edit = gatewayCommand(
    key,
    "edit <key_id>",
    "change a key's name and limits; options that you leave out stay as they are",
  );
  withFields(edit)
    .option("--untag <name>", "take away the tag of this name; may be repeated", readTagNames)
    .option("--clear <field,...>", `take away what was set: ${CLEARABLE.join(", ")}`, clearing(CLEARABLE))
    .addHelpText(
      "after",
      "\nAliases, prefix aliases and models that are given take the place of all that were there.\nTags that are given are set, and the key's other tags stay.",
    )
    .action((id: string, options: KeyEditOptions) => {
      const cleared = clearedOfKey(options.clear ?? []);
      const body = editBody(edit, "key", { ...fieldsIn(options), tags: tagsIn(options) }, cleared);
      return callAndPrint(deps, options, { method: "PATCH", path: ["keys", id], body, answer: Key }, (shown) =>
        fieldsOfKey(shown, deps.clock.now_ms()),
      );
    });
}

/** The change of tags: those that are set, and null for those that are taken away. */
function tagsIn({ tag, untag }: KeyEditOptions): Readonly<Record<string, string | null>> | undefined {
  if (tag === undefined && untag === undefined) return undefined;
  return { ...Object.fromEntries((untag ?? []).map((name) => [name, null])), ...tag };
}

/** Adds the options for the fields that may be set when a key is made and changed afterwards. */
function withFields(command: Command): Command {
  command
    .option("--name <text>", "a display name")
    .option("--alias <name=model>", "another name for a model; may be repeated", readAlias)
    .option("--prefix-alias <prefix=model>", "a model for all names with this prefix; may be repeated", readPrefixAlias)
    .option("--project <project>", "the project that it belongs to, by id or name")
    .option("--tag <name=value>", "a tag to find it and group its usage by; may be repeated", readTag);
  return withCache(withLimits(command)).option(
    "--expires <date>",
    "a day YYYY-MM-DD (its beginning, UTC) or a time",
    readTime,
  );
}

/** The fields of a request body. JSON leaves out fields that are undefined. */
function fieldsIn(options: KeyFieldOptions): Partial<Record<keyof UpdateKey, unknown>> {
  return {
    name: options.name,
    aliases: options.alias,
    prefix_aliases: options.prefixAlias,
    ...limitsIn(options),
    cache: options.cache,
    expires_at: options.expires,
    project: options.project,
    tags: options.tag,
  };
}

const CHANGES = [
  { verb: "disable", done: "Disabled", about: "refuse a key until it is enabled again" },
  { verb: "enable", done: "Enabled", about: "accept a disabled key again" },
  { verb: "revoke", done: "Revoked", about: "revoke a key permanently" },
] as const;

function addChange(key: Command, deps: CliDeps, { verb, done, about }: (typeof CHANGES)[number]): void {
  gatewayCommand(key, `${verb} <key_id>`, about).action((id: string, options: CallOptions) =>
    callAndPrint(deps, options, { method: "POST", path: ["keys", id, verb], answer: Key }, () => `${done} key ${id}.`),
  );
}

function tableOfKeys(
  { data }: KeyList,
  emails: ReadonlyMap<string, string>,
  { clock, command }: Pick<CliDeps, "clock" | "command">,
): string {
  if (data.length === 0) return `There are no keys. Make one with: ${command} key create --account ACCOUNT`;
  const columns = ["id", "account", "project", "name", "tags", "key", "status", "ceilings", "last used"];
  const rows = data.map((key) => [
    key.id,
    emails.get(key.account) ?? key.account,
    key.project?.name ?? "",
    key.name,
    tagTexts(key.tags).join(", "),
    hintOf(key),
    statusOf(key, clock.now_ms()),
    ceilingsOf(key),
    key.last_used_at ?? "never",
  ]);
  return formatTable(columns, rows);
}

function fieldsOfKey(key: Key, now_ms: number, use?: BudgetUse, limits?: readonly ModelLimitUse[]): string {
  return formatFields([
    ["id", key.id],
    ["account", key.account],
    ["project", key.project === null ? "none" : `${key.project.name} (${key.project.id})`],
    ["name", key.name],
    ["tags", tagTexts(key.tags).join(", ") || "none"],
    ["key", hintOf(key)],
    ["status", statusOf(key, now_ms)],
    ["aliases", key.aliases.map(({ name, model }) => `${name} = ${model}`).join(", ") || "none"],
    ["prefix aliases", key.prefix_aliases.map(({ prefix, model }) => `${prefix}* = ${model}`).join(", ") || "none"],
    ["models", limitOf(key, "models", "all")],
    ["requests per minute", limitOf(key, "rpm", "the default")],
    ["tokens per minute", limitOf(key, "tpm", "unlimited")],
    ["concurrent requests", limitOf(key, "concurrent", "the default")],
    ["budget", limitOf(key, "budget", "none")],
    ["used", use && budgetUseText(use)],
    ...modelLimitFields(limits ?? key.model_limits),
    ["cache", key.cache],
    ["expires", limitOf(key, "expires_at", "never")],
    ["created", key.created_at],
    ["last used", key.last_used_at ?? "never"],
  ]);
}

type KeyLimitName = keyof KeyCeilings;
type KeyLimitValue = NonNullable<KeyCeilings[KeyLimitName]>["value"];

const LIMIT_NAMES = ["models", "rpm", "tpm", "concurrent", "budget", "expires_at"] as const satisfies KeyLimitName[];
const SET_ON = { key: "set on the key", account: "set on the account", configuration: "the default" } as const;

/** A limit of a key, and what its members may set at most: `5, set on the key; members: at most 10, set on the account`. */
function limitOf(key: Key, name: KeyLimitName, otherwise: string): string {
  const own = key[name] === null ? otherwise : `${limitWords(key[name])}, ${SET_ON.key}`;
  const ceiling = key.ceilings[name];
  return ceiling === null ? own : `${own}; members: at most ${limitWords(ceiling.value)}, ${SET_ON[ceiling.set_on]}`;
}

/** The ceilings of a key that administrators have set, and where; those of the configuration are every key's. */
function ceilingsOf({ ceilings }: Key): string {
  const set = LIMIT_NAMES.flatMap((name) => {
    const ceiling = ceilings[name];
    if (ceiling === null || ceiling.set_on === "configuration") return [];
    return [`${name} ${limitWords(ceiling.value)} (${ceiling.set_on})`];
  });
  return set.join(", ") || "none";
}

function limitWords(value: KeyLimitValue): string {
  if (Array.isArray(value)) return value.join(" ");
  if (typeof value !== "object") return String(value);
  return budgetText(value);
}

function hintOf(key: Key): string {
  return `cm-…${key.hint}`;
}

function statusOf(key: Key, now_ms: number): string {
  const has_expired = key.expires_at !== null && Date.parse(key.expires_at) <= now_ms;
  if (has_expired && key.status === "active") return "expired";
  return key.status === "disabled" && key.barred ? "disabled by an administrator" : key.status;
}
