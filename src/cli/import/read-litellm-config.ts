import { roundedDecimal } from "../../catalog/reading/decimal.ts";
import { findVendorRow } from "../../catalog/vendors/vendors.ts";
import { LITELLM_VENDORS } from "../../core/catalog/listed-vendors.ts";
import type { Protocol } from "../../core/endpoints.ts";
import { type ForeignFile, type ForeignPart, requireList } from "./foreign-file.ts";
import type { Deployment, Imported, ImportedKey, ModelGroup, Note } from "./imported.ts";
import { SecretVariables } from "./pool-credentials.ts";
import { endUserDefaults, LIMITS, WINDOWS } from "./read-litellm-customers.ts";
import { unreadSetting } from "./unread-setting.ts";

/** Camino's vendor ids by LiteLLM's names of providers, where the two differ: those of its list of prices, and some that are in its files alone. */
const VENDOR_IDS: Readonly<Record<string, string>> = {
  ...LITELLM_VENDORS,
  vertex_ai: "google-vertex",
  bedrock: "amazon-bedrock",
  ollama_chat: "ollama",
  text_completion_openai: "openai",
};
/** Providers whose own names of models need no prefix in LiteLLM. */
const BARE: readonly (readonly [RegExp, string])[] = [
  [/^(gpt-|o\d|chatgpt-|codex-)/, "openai"],
  [/^claude-/, "anthropic"],
];
const CHAT_MODES: readonly string[] = ["chat", "responses", "completion"];
const PER_TOKEN_TO_MICRO_PER_MTOK = 12;
/** Fields of a price by LiteLLM's names, which are per token. */
const PRICES: Readonly<Record<string, string>> = {
  input_cost_per_token: "input",
  output_cost_per_token: "output",
  cache_read_input_token_cost: "cache_read",
  cache_creation_input_token_cost: "cache_write",
};
/** Why settings of the file have no place in Camino's. Others have no counterpart at all. */
const REASONS: Readonly<Record<string, string>> = {
  master_key: "the admin token takes its place: CAMINO_ADMIN_TOKEN",
  database_url: "set CAMINO_DATABASE_URL, to a database of Camino's own",
  salt_key: "CAMINO_SECRET takes its place",
  num_retries: "routes and fallbacks are tried once each",
  request_timeout: "timeouts are set for each vendor: timeouts.total",
  timeout: "timeouts are set for each vendor: timeouts.total",
  stream_timeout: "timeouts are set for each vendor: timeouts.first_byte",
  routing_strategy:
    "routes are drawn by weight, or as a model's routing.pick says; a vendor that fails is left alone for a while",
  success_callback: "metrics, logs and receipts take their place",
  failure_callback: "metrics, logs and receipts take their place",
  callbacks: "metrics, logs and receipts take their place",
  max_end_user_budget_id: "its budget is in LiteLLM's database: limits.tags.customer takes its place",
  drop_params: "what a model does not support is refused or named in x-camino-ignored",
  cache: "clients ask for stored answers themselves, with x-camino-cache",
  cache_params: "clients ask for stored answers themselves, with x-camino-cache",
  redis_host: "nodes share their PostgreSQL, and need nothing beside it",
  redis_port: "nodes share their PostgreSQL, and need nothing beside it",
  redis_password: "nodes share their PostgreSQL, and need nothing beside it",
  context_window_fallbacks: "a request that is too long is refused as such",
  content_policy_fallbacks: "a refusal is an answer",
  max_budget: "a budget over all accounts is a vendor's limits.spend; limits.models has one for each account",
  rpm: "a deployment has no limits: limits.rpm of its vendor or credential takes its place",
  tpm: "a deployment has no limits: limits.tpm of its vendor or credential takes its place",
  api_version: "Azure is spoken to at its v1 address, which has none",
};

/** Reads LiteLLM's `config.yaml`: models with their deployments, fallbacks, aliases, and what new keys get. */
export function readLiteLlmConfig(file: ForeignFile): Imported {
  const notes: Note[] = [];
  const { root } = file;
  const levels = new Map<string, Deployment[]>();
  const secrets = new SecretVariables();
  requireList(root.get("model_list")?.elements ?? [], "model_list: it should be LiteLLM's config.yaml");
  for (const entry of root.get("model_list")?.elements ?? []) {
    const name = entry.get("model_name")?.text() ?? null;
    const read = name === null ? "has no model_name" : readDeployment(entry, name, secrets);
    if (typeof read === "string") {
      notes.push({ line: entry.line, text: `${name ?? "a model"}: `.concat(read) });
      entry.read();
      continue;
    }
    const key = entry.get("litellm_params")?.get("api_key");
    if (key && read.api_key !== null && !/^(os\.environ\/|\$\{)/.test(key.text() ?? ""))
      notes.push({
        line: key.line,
        text: `${name}: the credential stays where it is; set ${read.api_key.slice(2, -1)} to it`,
      });
    levels.set(name ?? "", [...(levels.get(name ?? "") ?? []), read]);
  }
  const settings = [root.get("router_settings"), root.get("litellm_settings")];
  const fallbacks = new Map<string, string[]>();
  const aliases = new Map<string, string>();
  for (const part of settings) {
    for (const map of part?.get("fallbacks")?.elements ?? [])
      for (const [name, targets] of map.members) fallbacks.set(name, targets.texts());
    for (const [alias, target] of part?.get("model_group_alias")?.members ?? [])
      readAlias(alias, target, aliases, notes);
  }
  const spend = readSpend(root.get("router_settings")?.get("provider_budget_config") ?? null, notes);
  const keys = readKeys(root.get("litellm_settings")?.get("default_key_generate_params") ?? null, notes);
  const end_users = endUserDefaults(root.get("litellm_settings"));
  for (const name of fallbacks.keys())
    if (!levels.has(name)) notes.push({ line: 0, text: `the fallbacks of ${name}: the file has no such model` });
  for (const part of root.rest().flatMap(settingsIn)) notes.push(unreadSetting(part, REASONS));
  const groups: ModelGroup[] = [...levels].map(([name, deployments]) => ({
    name,
    levels: [deployments],
    fallbacks: fallbacks.get(name) ?? [],
  }));
  return { groups, aliases, keys, vendors: [], notes, spend, ...(end_users !== null && { end_users }) };
}

/** A section of which no setting was read is reported setting by setting. */
function settingsIn(part: ForeignPart): ForeignPart[] {
  return /^\w+_settings$/.test(part.path) && part.is_map ? [...part.members.values()] : [part];
}

function readAlias(alias: string, target: ForeignPart, aliases: Map<string, string>, notes: Note[]): void {
  const model = target.is_map ? (target.get("model")?.text() ?? null) : target.text();
  target.get("hidden")?.read();
  if (model !== null) aliases.set(alias, model);
  else {
    target.read();
    notes.push({ line: target.line, text: `the alias ${alias}: it does not name one model` });
  }
}

function readDeployment(entry: ForeignPart, name: string, secrets: SecretVariables): Deployment | string {
  const params = entry.get("litellm_params");
  const model = params?.get("model")?.text() ?? null;
  if (params === null || model === null) return "has no litellm_params.model";
  const info = entry.get("model_info");
  const mode = info?.get("mode")?.text() ?? "chat";
  if (!CHAT_MODES.includes(mode)) return `is for ${mode}, and Camino serves chat models`;
  if (name.includes("*") || model.includes("*"))
    return "stands for any name; Camino serves the models in its catalog or the file, and keys can have prefix aliases";
  const [provider, upstream_model] = splitName(model);
  if (provider === null) return `${model} does not say whose model it is; write PROVIDER/${model}`;
  const api_base = plain(params.get("api_base")?.text() ?? params.get("base_url")?.text() ?? null);
  const vendor = VENDOR_IDS[provider] ?? provider;
  const is_known = findVendorRow(vendor) !== null;
  if (!is_known && api_base === null)
    return `Camino does not know the provider ${provider}, and the file has no api_base for it`;
  const id = vendor === "google-vertex" && upstream_model.startsWith("claude") ? "google-vertex-anthropic" : vendor;
  const address = api_base === null ? null : addressOf(id, api_base);
  const api_key = params.get("api_key")?.text() ?? null;
  const weight = Number((params.get("weight") ?? params.get("rpm") ?? entry.get("rpm"))?.number()?.text ?? Number.NaN);
  const own_id = address === null ? id : `${id}-${hostName(api_base)}`;
  return {
    vendor: own_id,
    address,
    api_key: api_key === null ? null : credentialText(api_key, own_id, secrets),
    upstream_model,
    weight: Number.isFinite(weight) && weight > 0 ? weight : null,
    price: readPrice([params, info]),
    context_length: countIn(info, "max_input_tokens"),
    max_completion_tokens: countIn(info, "max_output_tokens"),
    line: entry.line,
  };
}

function splitName(model: string): [provider: string | null, upstream_model: string] {
  const slash = model.indexOf("/");
  if (slash > 0) return [model.slice(0, slash), model.slice(slash + 1).replace(/^(converse|invoke)\//, "")];
  return [BARE.find(([pattern]) => pattern.test(model))?.[1] ?? null, model];
}

/** `os.environ/NAME` as the reference that Camino's files have. */
function plain(text: string | null): string | null {
  return text === null ? null : text.replace(/^os\.environ\/([A-Za-z_]\w*)$/, (_whole, name: string) => `\${${name}}`);
}

/** A reference to a variable. A secret that stands in the file itself stays there: the variable to put it into is named. */
function credentialText(text: string, vendor: string, secrets: SecretVariables): string {
  const reference = plain(text) ?? "";
  return reference.startsWith("${") ? reference : `\${${secrets.nameFor(vendor, text)}}`;
}

function addressOf(vendor: string, api_base: string): { base_url: string; protocol: Protocol } {
  const base = api_base.replace(/\/+$/, "");
  if (vendor === "anthropic") return { protocol: "messages", base_url: /\/v\d+$/.test(base) ? base : `${base}/v1` };
  if (vendor === "azure")
    return { protocol: "chat-completions", base_url: `${base.replace(/\/openai(\/.*)?$/, "")}/openai/v1` };
  if (vendor === "ollama") return { protocol: "chat-completions", base_url: /\/v1$/.test(base) ? base : `${base}/v1` };
  return { protocol: "chat-completions", base_url: base };
}

/** A short name for an address. */
export function hostName(address: string | null): string {
  const host = /^https?:\/\/([^/:]+)/.exec(address ?? "")?.[1] ?? (address ?? "").replaceAll(/[^A-Za-z0-9]+/g, "-");
  const words = host.replace(/^(api|www)\./, "").replace(/\.(openai\.azure\.com|com|net|org|ai|io)$/, "");
  return (
    words
      .replaceAll(/[^A-Za-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .toLowerCase()
      .slice(0, 40) || "other"
  );
}

function readPrice(parts: readonly (ForeignPart | null)[]): Record<string, number> | null {
  const price: Record<string, number> = {};
  for (const part of parts)
    for (const [key, field] of Object.entries(PRICES)) {
      const number = part?.get(key)?.number() ?? null;
      const micro = number === null ? null : roundedDecimal(number.text, PER_TOKEN_TO_MICRO_PER_MTOK);
      if (micro !== null && micro >= 0n) price[field] = Number(micro) / 1_000_000;
    }
  return price.input === undefined || price.output === undefined ? null : price;
}

function countIn(part: ForeignPart | null, key: string): number | null {
  const count = Number(part?.get(key)?.number()?.text ?? Number.NaN);
  return Number.isSafeInteger(count) && count > 0 ? count : null;
}

/** LiteLLM's budgets of providers (`provider_budget_config`), by Camino's ids of vendors. */
function readSpend(budgets: ForeignPart | null, notes: Note[]): Map<string, string> {
  const spend = new Map<string, string>();
  for (const [provider, budget] of budgets?.members ?? []) {
    const { amount, duration } = readModelBudget(budget);
    if (amount === null) continue;
    if (duration !== null && WINDOWS[duration] === "day") spend.set(VENDOR_IDS[provider] ?? provider, amount);
    else {
      const text = `the budget of ${provider} of ${amount}${duration === null ? "" : ` in ${duration}`}: Camino's of a vendor are for a day (limits.spend)`;
      notes.push({ line: budget.line, text });
    }
  }
  return spend;
}

/** A budget of a model or a provider, by either pair of names that LiteLLM has for it. */
function readModelBudget(budget: ForeignPart): { readonly amount: string | null; readonly duration: string | null } {
  return {
    amount: (budget.get("budget_limit") ?? budget.get("max_budget"))?.number()?.text ?? null,
    duration: (budget.get("time_period") ?? budget.get("budget_duration"))?.text() ?? null,
  };
}

/** LiteLLM's defaults for keys, as options of `camino key create`. */
function readKeys(params: ForeignPart | null, notes: Note[]): ImportedKey[] {
  if (params === null) return [];
  const options: string[] = [];
  for (const [key, limit] of LIMITS) {
    const number = params.get(key)?.number();
    if (number) options.push(`--${limit} ${number.text}`);
  }
  const budget = params.get("max_budget")?.number()?.text ?? null;
  const duration = params.get("budget_duration")?.text() ?? null;
  const window = duration === null ? null : (WINDOWS[duration] ?? null);
  if (budget !== null && window !== null) options.push(`--budget ${budget}/${window}`);
  else if (budget !== null) {
    const text = `a key's budget of ${budget}${duration === null ? " permanently" : ` in ${duration}`}: Camino's are for a day, a week or a month; what an account may spend in all is its credit`;
    notes.push({ line: params.line, text });
  }
  const model_limits = readModelLimits(params, notes);
  if (options.length === 0 && model_limits.size === 0) return [];
  return [{ name: "default", options, ...(model_limits.size > 0 && { model_limits }) }];
}

/** LiteLLM's limits of a key by model (`model_max_budget`, `model_rpm_limit`, `model_tpm_limit`), as options' texts by its names of models. */
function readModelLimits(params: ForeignPart, notes: Note[]): Map<string, string> {
  const limits = new Map<string, string>();
  const add = (name: string, limit: string) => limits.set(name, [limits.get(name), limit].filter(Boolean).join(","));
  for (const [key, option] of [
    ["model_rpm_limit", "rpm"],
    ["model_tpm_limit", "tpm"],
  ] as const)
    for (const [name, limit] of params.get(key)?.members ?? []) {
      const count = limit.number();
      if (count) add(name, `${option}=${count.text}`);
    }
  for (const [name, budget] of params.get("model_max_budget")?.members ?? []) {
    const { amount, duration } = readModelBudget(budget);
    const window = duration === null ? "once" : (WINDOWS[duration] ?? null);
    if (amount === null) continue;
    if (window !== null) add(name, `budget=${amount}/${window}`);
    else
      notes.push({
        line: budget.line,
        text: `a key's budget for ${name} of ${amount} in ${duration}: Camino's are for a day, a week, a month or once`,
      });
  }
  return limits;
}
