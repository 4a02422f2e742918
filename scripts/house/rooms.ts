/**
 * Which room may import which. Imports point down: a room names every room that it may import, and all others are
 * forbidden. The rooms between `observe` and `store` do not import each other, except that the ledger knows the limits;
 * each is understood, tested and replaced alone.
 */

const STAGES = ["access", "catalog", "limits", "ledger", "routing", "decider", "protocols", "upstream"];
const FLOOR = ["core", "observe"];
const EDGE = [...FLOOR, ...STAGES, "pipeline", "contract"];
/** HTTP/1.1: the grammar and deadlines that both sides share, and the two sides, which do not import each other. */
const WIRE = "wire";
const WIRE_SERVER = "wire/server";
const WIRE_CLIENT = "wire/client";
const SYSTEM = "system";

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
  // An admission is decided in the ledger, and a key's rate and budget are part of the decision (docs/adr/0019).
  ledger: [...FLOOR, "limits"],
  // Above the ledger, because it loads and writes the rows of the ledger's books inside its transactions.
  store: [...FLOOR, SYSTEM, "ledger", "limits"],
  pipeline: [...FLOOR, WIRE_CLIENT, ...STAGES],
  http: [...EDGE, WIRE, WIRE_SERVER],
  "console-api": EDGE,
  cli: [...EDGE, WIRE_CLIENT],
  // The composition root: the only room that names a database driver, and the simulator for the first run.
  main: [...EDGE, SYSTEM, WIRE_SERVER, "http", "console-api", "cli", "store", "simulator", "package.json"],
  contract: ["core"],
  console: ["contract"],
  // A stand-in vendor that shared our encoders would share their mistakes.
  simulator: ["core"],
  conformance: [],
  // Real programs that call a gateway in a process of its own, with the simulator as its vendors.
  clients: ["simulator", "conformance"],
  // Real gateways beside proxies that do less. It counts as a test: it starts PostgreSQL as tests do, and fetches other gateways as clients are fetched.
  bench: ["test", "clients"],
  // Large databases whose rows the ledger's own books make (docs/adr/0032).
  fill: ["core", "ledger", "store"],
  scripts: [],
  // Real gateways under harm. It shares the tests' helpers, so it counts as a test.
  torture: ["core", "contract", "simulator", "test"],
  // Real gateways with random requests, and their readers alone. It counts as a test, and reconciles with the torture's parts.
  fuzz: ["core", WIRE, WIRE_SERVER, WIRE_CLIENT, "protocols", "http", "main", "simulator", "test", "torture"],
  // A real gateway under long load, with the torture's vendors, callers and reconciliation. It counts as a test.
  soak: ["core", "simulator", "test", "torture"],
  // Suites that test several rooms together.
  test: [
    ...EDGE,
    WIRE_CLIENT,
    WIRE_SERVER,
    "http",
    "console-api",
    "cli",
    "store",
    "main",
    "simulator",
    "bench",
    "fill",
    "scripts",
    "conformance",
    "clients",
    "console",
  ],
};

/** Single files that a room may import beyond those rooms, with the reason. */
export const MAY_ALSO_IMPORT: Readonly<Record<string, { readonly files: RegExp; readonly because: string }>> = {
  conformance: {
    files: /^src\/protocols\/[^/]+\/stream-grammar\.ts$/,
    because: "the grammars are rules for judging streams from outside and depend on nothing that they judge",
  },
  scripts: {
    files: /^src\/main\/built-gateway\.ts$/,
    because: "who builds the gateway and who looks for what was built must agree on its name",
  },
};

/** What a room's own test files may import beyond what the room may: real databases, vendors, and test helpers. */
export const TESTS_MAY_ALSO_IMPORT: readonly string[] = ["store", "simulator", "test"];

/** The packages that a room may import; a room that is not listed may import any declared package. */
export const PACKAGES_ALLOWED: Readonly<Record<string, readonly string[]>> = {
  core: [],
  contract: ["typebox"],
};

/** The folder of a protocol that the other protocols may import. */
export const SHARED_PROTOCOL = "shared";

/** The room that a file is in: `src/<room>/…`, `main` for src/main.ts, else its top folder; each side of `wire`. */
export function roomOf(path: string): string {
  const [top = "", second = "", third = ""] = path.split("/");
  if (top !== "src") return top;
  const side = `${second}/${third}`;
  if (side === WIRE_SERVER || side === WIRE_CLIENT) return side;
  return second === "main.ts" ? "main" : second;
}

/** The protocol's folder that a file is in; null for other files. */
export function protocolOf(path: string): string | null {
  return /^src\/protocols\/([^/]+)\//.exec(path)?.[1] ?? null;
}

/** Whether a file is a test or a test's helper, which product code may not import. */
export function isTestFile(path: string): boolean {
  return path.endsWith(".test.ts") || path.endsWith(".test.tsx") || /^(test|torture|fuzz|bench|soak)\//.test(path);
}
