/**
 * Which room may import which. Imports point down: a room names every room that it may import, and all others are
 * forbidden. The rooms between `observe` and `store` do not import each other, except that the ledger knows the limits
 * and access knows the people; each is understood, tested and replaced alone.
 */

const STAGES = [
  "access",
  "catalog",
  "limits",
  "people",
  "ledger",
  "routing",
  "decider",
  "protocols",
  "upstream",
  "mail",
  "webhooks",
  "alerts",
];
const FLOOR = ["core", "observe"];
const EDGE = [...FLOOR, ...STAGES, "pipeline", "contract"];
/** HTTP/1.1: the grammar and deadlines that both sides share, and the two sides, which do not import each other. */
const WIRE = "wire";
const WIRE_SERVER = "wire/server";
const WIRE_CLIENT = "wire/client";
const SYSTEM = "system";
/** Real databases, vendors, and what suites share. */
const TESTS = ["store", "simulator", "proofs/support"];
/** Everything of a gateway, and what it is tried against. */
const GATEWAY = [
  ...[...EDGE, WIRE_CLIENT, WIRE_SERVER, "http", "console-api", "cli", "chores", "store", "main"],
  ...["simulator", "scripts"],
];

/** Room → the other rooms whose files its files may import. Its own files are always allowed. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  observe: ["core"],
  // Functions of the C library that the runtime has no way to.
  [SYSTEM]: [],
  [WIRE]: ["core"],
  [WIRE_SERVER]: ["core", WIRE],
  [WIRE_CLIENT]: ["core", WIRE, SYSTEM],
  ...Object.fromEntries(STAGES.map((stage) => [stage, FLOOR])),
  upstream: [...FLOOR, WIRE, WIRE_CLIENT],
  webhooks: [...FLOOR, WIRE, WIRE_CLIENT],
  // What is wrong with a certificate is said in the same words of every server.
  mail: [...FLOOR, WIRE_CLIENT],
  // Loaded only where a collector is configured: nothing but the composition root may name it.
  telemetry: [...FLOOR, WIRE, WIRE_CLIENT],
  // How long a session lives and a guess waits is a rule about people.
  access: [...FLOOR, "people"],
  people: ["core"],
  // An admission is decided in the ledger, and a key's rate and budget are part of the decision (docs/adr/0019).
  ledger: [...FLOOR, "limits"],
  // Above the ledger and people, because it loads and writes what they decide about inside its transactions.
  store: [...FLOOR, SYSTEM, "ledger", "limits", "people", "alerts"],
  pipeline: [...FLOOR, WIRE_CLIENT, ...STAGES],
  // Work beside the calls, on the store's ports.
  chores: [...FLOOR, "access", "catalog", "ledger", "mail", "people", "routing", "webhooks", "alerts"],
  http: [...EDGE, WIRE, WIRE_SERVER],
  "console-api": EDGE,
  cli: [...EDGE, WIRE_CLIENT],
  // The composition root: the only room that names a database driver, and the simulator for the first run.
  main: [
    ...[...EDGE, SYSTEM, WIRE_SERVER, "http", "console-api", "cli", "chores", "store", "telemetry"],
    ...["simulator", "package.json"],
  ],
  contract: ["core"],
  console: ["contract"],
  // A stand-in vendor that shared our encoders would share their mistakes.
  simulator: ["core"],
  scripts: [],
  // Grammars judge streams from outside: they import nothing of what they judge.
  "proofs/grammars": [],
  "proofs/conformance": ["proofs/grammars"],
  // Real programs that call a gateway in a process of its own, with the simulator as its vendors.
  "proofs/clients": ["simulator", "proofs/conformance", "proofs/support"],
  // Large databases whose rows the ledger's own books make (docs/design/storage.md).
  "proofs/fill": ["core", "ledger", "store"],
  // Real gateways beside proxies that do less. It starts PostgreSQL as tests do, and fetches other gateways as clients are fetched.
  "proofs/bench": [...TESTS, "proofs/clients"],
  // Real gateways under harm, in the scenes of the suites.
  "proofs/torture": ["core", "contract", ...TESTS, "proofs/suites"],
  // Real gateways with random requests, and their readers alone. It reconciles with the torture's parts.
  "proofs/fuzz": [
    ...["core", WIRE, WIRE_SERVER, WIRE_CLIENT, "protocols", "http", "main"],
    ...[...TESTS, "proofs/grammars", "proofs/suites", "proofs/torture"],
  ],
  // A real gateway under long load, with the torture's vendors, callers and reconciliation.
  "proofs/soak": ["core", ...TESTS, "proofs/suites", "proofs/torture"],
  // What suites share: gateways, databases, vendors, browsers.
  "proofs/support": GATEWAY,
  // Suites that test several rooms together.
  "proofs/suites": [
    ...[...GATEWAY, "console", "proofs/support", "proofs/grammars", "proofs/conformance", "proofs/clients"],
    ...["proofs/bench", "proofs/fill"],
  ],
};

/**
 * Rooms whose folders have an order: a folder imports only folders that stand before it, and those that share a place are strangers
 * (docs/adr/0078). Every folder of such a room is named.
 */
export const FOLDER_ORDER: Readonly<Record<string, readonly (readonly string[])[]>> = {
  pipeline: [
    ["request"],
    ["memory"],
    ["contents", "cache"],
    // The one adapter for what other threads do: nothing before it knows of them, and everything behind it sees a request.
    ["large-bodies"],
    ["usage"],
    ["hooks"],
    ["call"],
    ["plan"],
    ["admit"],
    ["ask"],
    ["answer"],
    ["settle"],
    ["billed"],
    ["generation", "decisions", "vendors"],
    ["configuration"],
  ],
};

/** Single files that a room may import beyond those rooms, with the reason. */
export const MAY_ALSO_IMPORT: Readonly<Record<string, { readonly files: RegExp; readonly because: string }>> = {
  scripts: {
    files: /^src\/main\/built-gateway\.ts$/,
    because: "who builds the gateway and who looks for what was built must agree on its name",
  },
};

/** What a room's own test files may import beyond what the room may: real databases, vendors, and test helpers. */
export const TESTS_MAY_ALSO_IMPORT: readonly string[] = [...TESTS, "proofs/grammars"];

/** The packages that a room may import; a room that is not listed may import any declared package. */
export const PACKAGES_ALLOWED: Readonly<Record<string, readonly string[]>> = {
  core: [],
  contract: ["typebox"],
};

/** The folder of a protocol that the other protocols may import. */
export const SHARED_PROTOCOL = "shared";

/** The room that a file is in: `src/<room>/…`, `main` for src/main.ts, `proofs/<room>/…`, else its top folder; each side of `wire`. */
export function roomOf(path: string): string {
  const [top = "", second = "", third = ""] = path.split("/");
  if (top === "proofs") return `${top}/${second}`;
  if (top !== "src") return top;
  const side = `${second}/${third}`;
  if (side === WIRE_SERVER || side === WIRE_CLIENT) return side;
  return second === "main.ts" ? "main" : second;
}

/** The protocol's folder that a file is in; null for other files. */
export function protocolOf(path: string): string | null {
  return /^src\/protocols\/([^/]+)\//.exec(path)?.[1] ?? null;
}

/** Whether a file is a proof or a test beside what it tests, which product code may not import. */
export function isTestFile(path: string): boolean {
  return path.endsWith(".test.ts") || path.endsWith(".test.tsx") || path.startsWith("proofs/");
}
