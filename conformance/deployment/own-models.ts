import { CLIENTS, VENDORS, type Vendor } from "../cell.ts";
import { FAULTS, failingKind } from "../faults.ts";

/** A kind of model as the simulator plays it, by vendor where they differ, and what the catalogue says of it. */
interface Kind {
  readonly upstream: string | Partial<Record<Vendor, string>>;
  readonly entry?: object;
}

const EFFORTS = ["minimal", "low", "medium", "high", "xhigh"];
const BUDGET = { min: 1024, max: 32_000 };
const ALL_CONTROLS = { toggle: true, effort: EFFORTS, budget_tokens: BUDGET };

function thinking(reasoning: object): object {
  return { capabilities: { thinking: true, reasoning }, max_completion_tokens: 64_000 };
}

/** One model of the simulator for every vendor, where a kind differs for one of them. */
const SAME_ECHO = everywhere("echo");
const SAME_TOOLS = everywhere("tools");

function everywhere(upstream: string): Record<Vendor, string> {
  return { chat: upstream, responses: upstream, messages: upstream, gemini: upstream, bedrock: upstream };
}

const BY_TOOL = "tools";

const ANSWERING: Readonly<Record<string, Kind>> = {
  echo: { upstream: "echo" },
  // What a client of chat says to a chat vendor goes on as it is, also what OpenAI would refuse.
  lenient: {
    upstream: { chat: "echo@like=any", responses: "echo", messages: "echo", gemini: "echo", bedrock: "echo" },
  },
  "mid-system": {
    upstream: { ...SAME_ECHO, messages: "echo@mid_system=1" },
    entry: { capabilities: { mid_system: true } },
  },
  documents: { upstream: "tools", entry: { input_modalities: ["text", "pdf"] } },
  "no-documents": { upstream: { ...SAME_TOOLS, messages: "tools@documents=0" } },
  unicode: { upstream: "unicode" },
  tools: { upstream: "tools" },
  "tools-and-text": { upstream: "tools@say=1" },
  vision: { upstream: "vision", entry: { input_modalities: ["text", "image"] } },
  // Where the vendor has no such format, a tool stands in for it, which other models of the simulator call.
  "json-schema": { upstream: { chat: "json", responses: "json", messages: "json", gemini: "json", bedrock: BY_TOOL } },
  "json-object": { upstream: { chat: "json", responses: "json", gemini: "json", messages: BY_TOOL, bedrock: BY_TOOL } },
  // Before Gemini 3 and on Converse the format is a tool where there are others.
  "json-beside-tools": {
    upstream: { chat: "json", responses: "json", messages: "json", gemini: BY_TOOL, bedrock: BY_TOOL },
  },
  filter: { upstream: "filter" },
  refuse: { upstream: "refuse" },
  reason: { upstream: "reason", entry: thinking(ALL_CONTROLS) },
  "reason-levels": { upstream: "reason", entry: thinking({ toggle: true, effort: EFFORTS }) },
  "reason-budget": { upstream: "reason", entry: thinking({ toggle: true, budget_tokens: BUDGET }) },
  redacted: { upstream: "reason@redacted=1", entry: thinking(ALL_CONTROLS) },
  everything: { upstream: "everything", entry: thinking(ALL_CONTROLS) },
  cached: { upstream: "echo@usage=cached" },
  "no-usage": { upstream: "echo@usage=none" },
  "chunks-1": { upstream: "everything@fault=chunks-1", entry: thinking(ALL_CONTROLS) },
  "chunks-7": { upstream: "everything@fault=chunks-7", entry: thinking(ALL_CONTROLS) },
  crlf: { upstream: "echo@fault=crlf" },
  comments: { upstream: "echo@fault=comments" },
  "no-done": { upstream: "echo@fault=no-done" },
};

const KINDS: Readonly<Record<string, Kind>> = {
  ...ANSWERING,
  ...Object.fromEntries(
    FAULTS.flatMap((fault) =>
      CLIENTS.map((client) => [failingKind(fault, client), { upstream: `echo@fault=${fault}&for=${client}` }]),
    ),
  ),
};

/** Bedrock's models are named by their makers: Anthropic's have the most of what Converse can say. */
const PREFIX: Partial<Record<Vendor, string>> = { bedrock: "anthropic." };

/** What the gateway's configuration file says of every model: `VENDOR/KIND`. */
export function ownModels(): Record<string, object> {
  const price = { input: 1, output: 4, cache_read: 0.1, cache_write: 1.25, calls: { web_search: 10 } };
  const entries = VENDORS.flatMap((vendor) =>
    Object.entries(KINDS).map(([kind, { upstream, entry }]) => {
      const name = typeof upstream === "string" ? upstream : upstream[vendor];
      return [`${vendor}/${kind}`, { upstream_model: (PREFIX[vendor] ?? "") + name, price, ...entry }];
    }),
  );
  return Object.fromEntries(entries) as Record<string, object>;
}
