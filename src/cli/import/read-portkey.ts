import { findVendorRow } from "../../catalog/vendors/vendors.ts";
import type { ForeignFile, ForeignPart } from "./foreign-file.ts";
import type { Deployment, Imported, ModelGroup, Note } from "./imported.ts";
import { hostName } from "./read-litellm-config.ts";
import { unreadSetting } from "./unread-setting.ts";

/** Camino's vendor ids by Portkey's names of providers, where the two differ. */
const VENDOR_IDS: Readonly<Record<string, string>> = {
  "azure-openai": "azure",
  bedrock: "amazon-bedrock",
  "vertex-ai": "google-vertex",
  "mistral-ai": "mistral",
  "together-ai": "together",
  "fireworks-ai": "fireworks",
  "perplexity-ai": "perplexity",
  "x-ai": "xai",
  dashscope: "alibaba",
  moonshot: "moonshotai",
};

/**
 * Reads a Portkey config: a strategy over targets, alone or as its API answers with it (`config`), or a list of them. Each becomes a model, by
 * the config's slug or name.
 */
export function readPortkeyConfig(file: ForeignFile): Imported {
  const notes: Note[] = [];
  const listed = file.root.get("data")?.elements ?? file.root.elements;
  const configs = listed.length > 0 ? listed : [file.root];
  const groups = configs.flatMap((config) => readConfig(config, notes) ?? []);
  for (const part of file.root.rest()) notes.push(unreadSetting(part, REASONS));
  return { groups, aliases: new Map(), keys: [], vendors: [], notes };
}

const REASONS: Readonly<Record<string, string>> = {
  retry: "routes and fallbacks are tried once each",
  cache: "answers are kept for repeats with the same Idempotency-Key only",
  request_timeout: "timeouts are set for each vendor: timeouts.total",
  on_status_codes: "the next one is tried where a vendor cannot be reached, is over its limits or fails",
  id: "it is Portkey's own number",
  created_at: "it is Portkey's own record",
  virtual_key: "the credential is Portkey's to keep: set the vendor's variable",
};

function readConfig(part: ForeignPart, notes: Note[]): ModelGroup | null {
  const name = part.get("slug")?.text() ?? part.get("name")?.text() ?? null;
  part.get("name")?.read();
  const config = part.get("config") ?? part;
  const mode = config.get("strategy")?.get("mode")?.text() ?? "single";
  if (!["single", "fallback", "loadbalance"].includes(mode)) {
    notes.push({ line: part.line, text: `${name ?? "a config"}: Camino has no strategy ${mode}` });
    part.read();
    return null;
  }
  const targets = config.get("targets")?.elements ?? [config];
  const deployments: Deployment[] = [];
  for (const target of targets) {
    const read = readTarget(target);
    if (typeof read !== "string") deployments.push(read);
    else notes.push({ line: target.line, text: `${name ?? "a config"}: a target `.concat(read) });
  }
  const [first] = deployments;
  if (first === undefined) return null;
  const levels = mode === "loadbalance" ? [deployments] : deployments.map((each) => [each]);
  return { name: name ?? first.upstream_model, levels, fallbacks: [] };
}

/** A target, or why it cannot be a place where a model is served. */
function readTarget(target: ForeignPart): Deployment | string {
  if (target.get("targets") !== null) {
    target.read();
    return "has its own targets; Camino has one level of routes, and fallbacks";
  }
  const asked = target.get("override_params")?.get("model")?.text() ?? null;
  // `@slug/model` names a provider of the model catalogue in the model itself.
  const [, slug, inside] = /^@([^/]+)\/(.+)$/.exec(asked ?? "") ?? [];
  const provider = (target.get("provider")?.text() ?? slug ?? "").replace(/^@/, "");
  const weight = Number(target.get("weight")?.number()?.text ?? Number.NaN);
  const host = target.get("custom_host")?.text() ?? null;
  const has_key = (target.get("api_key")?.text() ?? null) !== null;
  if (asked === null) return "leaves the model to the client; give it override_params.model";
  if (provider === "") return "names no provider: its virtual key, which is Portkey's, knows it";
  const vendor = VENDOR_IDS[provider] ?? provider;
  const row = findVendorRow(vendor);
  if (row === null && host === null) return `has a provider that Camino does not know: ${provider}`;
  const id = host === null ? vendor : `${vendor}-${hostName(host)}`;
  const variable =
    host === null ? (row?.api_key_env[0] ?? null) : `${id.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_")}_API_KEY`;
  return {
    vendor: id,
    address: host === null ? null : { base_url: host.replace(/\/+$/, ""), protocol: "chat-completions" },
    api_key: has_key && variable !== null ? `\${${variable}}` : null,
    upstream_model: inside ?? asked,
    // Portkey's weights are shares of any size, Camino's have six decimals.
    weight: Number.isFinite(weight) && weight > 0 ? Math.round(weight * 1e6) / 1e6 : null,
    ...{ price: null, context_length: null, max_completion_tokens: null, line: target.line },
  };
}
