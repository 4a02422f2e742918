import { CLIENTS, VENDORS, type Vendor } from "../cell.ts";
import { FAULTS, failingKind } from "../faults.ts";

/** A kind of model: the simulator's model that plays it (by vendor where they differ), and its catalogue fields. */
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

/** The simulator's `echo` for every vendor, as a base for kinds that differ for a single vendor. */
const SAME_ECHO = everywhere("echo");
const SAME_TOOLS = everywhere("tools");

function everywhere(upstream: string): Record<Vendor, string> {
  return { chat: upstream, responses: upstream, messages: upstream, gemini: upstream, bedrock: upstream };
}

const BY_TOOL = "tools";

const ANSWERING: Readonly<Record<string, Kind>> = {
  echo: { upstream: "echo" },
  // A relay from chat to chat passes fields on unchanged, even fields that OpenAI would refuse.
  lenient: {
    upstream: { chat: "echo@like=any", responses: "echo", messages: "echo", gemini: "echo", bedrock: "echo" },
  },
  "mid-system": {
    upstream: { ...SAME_ECHO, messages: "echo@mid_system=1" },
    entry: { capabilities: { thinking: false, mid_system: true } },
  },
  documents: { upstream: "tools", entry: { input_modalities: ["text", "pdf"] } },
  "no-documents": { upstream: { ...SAME_TOOLS, messages: "tools@documents=0" } },
  unicode: { upstream: "unicode" },
  tools: { upstream: "tools" },
  "tools-and-text": { upstream: "tools@say=1" },
  vision: { upstream: "vision", entry: { input_modalities: ["text", "image"] } },
  // For a vendor without such a format the gateway uses a tool, which takes another model of the simulator to call.
  "json-schema": { upstream: { chat: "json", responses: "json", messages: "json", gemini: "json", bedrock: BY_TOOL } },
  "json-object": { upstream: everywhere("json") },
  // Before Gemini 3 and on Converse the gateway writes the format as a tool when the request has other tools.
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

/** Bedrock's model names begin with the maker: Anthropic's models use the most of Converse's features. */
const PREFIX: Partial<Record<Vendor, string>> = { bedrock: "anthropic." };

/** Models do not reason unless their entry says so (docs/rulings.md 170). */
const PLAIN = { capabilities: { thinking: false } };

/** The `models` member of the gateway's configuration file, by id `VENDOR/KIND`. */
export function ownModels(): Record<string, object> {
  const price = { input: 1, output: 4, cache_read: 0.1, cache_write: 1.25, calls: { web_search: 10 } };
  const entries = VENDORS.flatMap((vendor) =>
    Object.entries(KINDS).map(([kind, { upstream, entry }]) => {
      const name = typeof upstream === "string" ? upstream : upstream[vendor];
      return [`${vendor}/${kind}`, { upstream_model: (PREFIX[vendor] ?? "") + name, price, ...PLAIN, ...entry }];
    }),
  );
  return Object.fromEntries(entries) as Record<string, object>;
}
