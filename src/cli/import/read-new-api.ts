import type { Protocol } from "../../core/endpoints.ts";
import { jsonOrNull } from "../../core/json.ts";
import { type ForeignFile, type ForeignPart, requireList } from "./foreign-file.ts";
import type { Deployment, Imported, ModelGroup, Note } from "./imported.ts";
import { hostName } from "./read-litellm-config.ts";

/** Vendors by new-api's numbers of channel types, and whether an address of one's own speaks messages there. */
const TYPES: Readonly<Record<string, string>> = {
  "1": "openai",
  "3": "azure",
  "4": "ollama",
  "14": "anthropic",
  "17": "alibaba",
  "20": "openrouter",
  "24": "google",
  "25": "moonshotai",
  "26": "zai",
  "27": "perplexity",
  "33": "amazon-bedrock",
  "34": "cohere",
  "35": "minimax",
  "41": "google-vertex",
  "42": "mistral",
  "43": "deepseek",
  "48": "xai",
};
/** An OpenAI-compatible server under an address of its own. */
const CUSTOM: readonly string[] = ["1", "8"];
const ENABLED = "1";

/** A channel that serves a model, before the channels of a model are put in their order. */
interface ServedChannel {
  readonly priority: number;
  readonly deployment: Deployment;
}

/**
 * Reads new-api's channels as its API lists them (`GET /api/channel/`, `data` or `data.items`). Channels of the same priority share the calls of
 * a model by their weight; those of a lower one are fallbacks.
 */
export function readNewApiChannels(file: ForeignFile): Imported {
  const notes: Note[] = [];
  const data = file.root.get("data");
  const channels = data?.get("items")?.elements ?? (data?.elements.length ? data.elements : file.root.elements);
  requireList(channels, "channels: it should be what new-api's GET /api/channel/ answers");
  const served = new Map<string, ServedChannel[]>();
  for (const channel of channels) readChannel(channel, served, notes);
  const groups: ModelGroup[] = [...served].map(([name, places]) => {
    const priorities = [...new Set(places.map(({ priority }) => priority))].sort((a, b) => b - a);
    const levels = priorities.map((level) =>
      places.filter(({ priority }) => priority === level).map(({ deployment }) => deployment),
    );
    return { name, levels, fallbacks: [] };
  });
  return { groups, aliases: new Map(), keys: [], vendors: [], notes };
}

function readChannel(channel: ForeignPart, served: Map<string, ServedChannel[]>, notes: Note[]): void {
  const name = channel.get("name")?.text() ?? `channel ${channel.get("id")?.text() ?? ""}`.trim();
  const leave = (text: string): void => void notes.push({ line: channel.line, text: `${name}: ${text}` });
  const type = channel.get("type")?.text() ?? "";
  const own = channel.get("base_url")?.text() ?? null;
  const vendor = TYPES[type] ?? (CUSTOM.includes(type) && own !== null ? "openai" : null);
  if (vendor === null) return leave(`Camino has no vendor for channels of type ${type || "(none)"}`);
  if ((channel.get("status")?.text() ?? ENABLED) !== ENABLED) return leave("the channel is disabled");
  const mapping = readMapping(channel.get("model_mapping")?.text() ?? null);
  if (mapping === null) leave("its model_mapping is not JSON; models have their own names");
  for (const field of ["param_override", "header_override", "status_code_mapping"]) {
    const value = channel.get(field)?.text() ?? null;
    if (value !== null && value !== "{}") leave(`${field}: Camino has no such setting`);
  }
  const group = channel.get("group")?.text() ?? "default";
  if (group !== "default") leave(`the groups ${group}: say what a key may use with its models`);
  const address = own === null ? null : addressOf(vendor, own);
  const id = own === null ? vendor : `${vendor}-${hostName(own)}`;
  const variable = `${id.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_")}_API_KEY`;
  const weight = Number(channel.get("weight")?.text() ?? 0);
  const priority = Number(channel.get("priority")?.text() ?? 0);
  for (const model of (channel.get("models")?.text() ?? "").split(",").map((text) => text.trim())) {
    if (model === "") continue;
    const deployment: Deployment = {
      ...{ vendor: id, address, api_key: own === null ? null : `\${${variable}}` },
      upstream_model: mapping?.[model] ?? model,
      weight: weight > 0 ? weight : null,
      ...{ price: null, context_length: null, max_completion_tokens: null, line: channel.line },
    };
    served.set(model, [...(served.get(model) ?? []), { priority, deployment }]);
  }
}

function addressOf(vendor: string, base: string): { base_url: string; protocol: Protocol } {
  const root = base.replace(/\/+$/, "").replace(/\/v1$/, "");
  if (vendor === "azure") return { protocol: "chat-completions", base_url: `${root}/openai/v1` };
  return { protocol: vendor === "anthropic" ? "messages" : "chat-completions", base_url: `${root}/v1` };
}

/** new-api keeps the map of names as JSON in a text. Null where it is none. */
function readMapping(text: string | null): Readonly<Record<string, string>> | null {
  if (text === null) return {};
  const map = jsonOrNull(text);
  if (typeof map !== "object" || map === null) return null;
  return Object.fromEntries(
    Object.entries(map).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
