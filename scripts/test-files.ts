import { join } from "node:path";

/**
 * Which test files there are, which of them share a process, and in which order they run (docs/design/test-runs.md).
 */

const ROOT = join(import.meta.dir, "..");

/** What one process runs: a file of its own, or small files together. */
export type Batch = readonly string[];

export interface Plan {
  /** Small files together, which start no program: first, while the program that the others start is compiled. */
  readonly small: readonly Batch[];
  /** Batches that compute: as many at a time as the runner has lanes, the longest kinds first. */
  readonly batches: readonly Batch[];
  /** Files that mostly wait: one at a time, beside the others. */
  readonly waiting: readonly Batch[];
}

/** Browsers and whole programs first: they take longest, and a long file that starts last keeps a core idle. */
const ORDER = [
  "proofs/suites/console/",
  "proofs/suites/",
  "proofs/conformance/",
  "src/store/",
  "proofs/torture/",
  "proofs/fuzz/",
  "proofs/fill/",
  "simulator/",
  "src/",
];

/**
 * The console's pages in a browser, whose every page is loaded anew for each test: a third of what all files cost. What a stranger meets
 * first and the whole journey of a user stay in `npm test`: first-visit, sign-in-page, journey.
 */
const PAGES: readonly string[] = [
  ...[
    "accessibility",
    "admin-accounts",
    "admin-configuration",
    "admin-pages",
    "admin-vendors",
    "aliases",
    "connection",
  ],
  ...[
    "credits",
    "key-tags",
    "keyboard",
    "keys",
    "lists",
    "models",
    "playground",
    "playground-extras",
    "playground-tasks",
  ],
  ...["plain-sight", "projects", "reading", "request-tags", "requests", "session-ended", "six-tasks"],
  ...["settings", "tables", "team", "traffic", "usage"],
  ...["all-accounts", "first-steps", "lost-answers", "new-vendor", "other-origin", "task-table"],
  ...["alerts", "mailed-link", "new-members", "overview", "shell", "tag-limits", "what-was-said"],
].map((name) => `proofs/suites/console/${name}.test.ts`);

/**
 * Longer proofs, which `npm run drills` runs, and CI after the suites: pages in a browser, real outages, deaths and rounds of harm, requests
 * of 32 MiB, and the growth of work over sizes. A run with patterns takes a drill like any other file (docs/design/test-runs.md).
 */
export const DRILLS: readonly string[] = [
  ...PAGES,
  // Outages, deaths and restores of whole gateways and their databases.
  "proofs/suites/failures/outages.test.ts",
  "proofs/suites/failures/two-gateways.test.ts",
  "proofs/suites/failures/two-gateways-cells.test.ts",
  "proofs/suites/failures/all-limits.test.ts",
  "src/store/postgres/postgres-outage.test.ts",
  "src/store/postgres/postgres-failover.test.ts",
  "src/store/postgres/citus.test.ts",
  // Accounts that move between cells, and the suites of the store over several databases, beside those of each database.
  "src/store/cells/cells-sums.test.ts",
  "src/store/cells/cells-store.test.ts",
  "src/store/cells/merged.test.ts",
  "src/store/cells/move/move-account.test.ts",
  "src/store/cells/move/movers.test.ts",
  "proofs/suites/postgres/cell-move.test.ts",
  "src/store/postgres/early-release-crash.test.ts",
  "src/store/postgres/early-release.test.ts",
  "proofs/suites/failures/crash.test.ts",
  "proofs/suites/billing/cached-crash.test.ts",
  "proofs/suites/operations/backup.test.ts",
  "proofs/suites/books/lost-commits.test.ts",
  "proofs/suites/usage-events/usage-events.test.ts",
  "proofs/suites/usage-events/two-gateways.test.ts",
  "proofs/suites/books/upkeep.test.ts",
  "proofs/suites/failures/supervisor-sqlite.test.ts",
  "proofs/suites/failures/supervisor-postgres.test.ts",
  "proofs/suites/failures/workers-postgres.test.ts",
  "proofs/suites/failures/workers-sqlite.test.ts",
  "proofs/suites/failures/ended-while-starting.test.ts",
  // What a size does: to the serving thread, and to the work of every reader and writer.
  "proofs/suites/large-bodies/serving-thread.test.ts",
  "proofs/suites/large-bodies/same-treatment.test.ts",
  "proofs/suites/large-bodies/sound-in-memory.test.ts",
  "proofs/suites/failures/slow-readers.test.ts",
  "proofs/suites/growth/answers.test.ts",
  "proofs/suites/growth/measure.test.ts",
  "proofs/suites/growth/conversations-chat.test.ts",
  "proofs/suites/growth/conversations-messages.test.ts",
  "proofs/suites/growth/conversations-responses.test.ts",
  "proofs/suites/growth/depth.test.ts",
  "proofs/suites/growth/members.test.ts",
  // Two thousand questions, of which an error is measured.
  "proofs/suites/decisions/calibration.test.ts",
  // Whole commands and matrices, which are run by themselves as well.
  "proofs/conformance/conformance.test.ts",
  "proofs/bench/bench.test.ts",
  "proofs/fill/fill.test.ts",
  "proofs/suites/installation/package.test.ts",
  "proofs/suites/installation/binary.test.ts",
  "proofs/suites/installation/image.test.ts",
  "proofs/suites/installation/compose.test.ts",
  "proofs/suites/installation/manifests.test.ts",
  "proofs/suites/installation/reproducible.test.ts",
  "proofs/suites/installation/site.test.ts",
  // Plans of statements about spans, on a database that is filled for them.
  "proofs/suites/postgres/span-plans.test.ts",
  // An update of running nodes.
  "proofs/suites/upgrade/rolling.test.ts",
  // Every command of the documents in its surroundings, and the clients that are installed by what the documents show for them.
  "proofs/suites/snippets/commands.test.ts",
  "proofs/suites/snippets/settings.test.ts",
  "proofs/fuzz/gateway/findings.test.ts",
];

/**
 * Suites that the drills run once more: with the drills that are in them, and with four times as many random cases of their laws
 * (proofs/support/runs.ts).
 */
export const RUN_TWICE: readonly string[] = [
  "src/store/sqlite/sqlite-store.test.ts",
  "src/store/sqlite/shared-store.test.ts",
  "src/store/sqlite/open-working-set.test.ts",
  "src/store/postgres/postgres-store.test.ts",
  "src/store/postgres/serializable.test.ts",
  "src/store/move/move-store.test.ts",
  "proofs/suites/postgres/request-months.test.ts",
  "src/protocols/systemone/both-shapes.test.ts",
  "src/protocols/responses/codec.test.ts",
  "src/protocols/chat-completions/codec.test.ts",
  "src/protocols/bedrock-converse/laws.test.ts",
  "src/protocols/messages/request-laws.test.ts",
  "proofs/suites/protocols/messages-answer-laws.test.ts",
  "proofs/suites/translation/strict-vendors.test.ts",
  "proofs/fuzz/reading/reading.test.ts",
  "proofs/fuzz/targets/odd-members.test.ts",
];
/** Of a law's cases in `npm test`. */
export const DRILL_RUNS = 4;

/**
 * Files that wait for periods of the product which no setting shortens (a dead node's holds, an outage of the database),
 * and need little of a core meanwhile.
 */
export const WAITING: readonly string[] = [
  "proofs/suites/failures/outages.test.ts",
  "proofs/suites/failures/two-gateways.test.ts",
  "proofs/suites/failures/two-gateways-cells.test.ts",
  "proofs/suites/failures/all-limits.test.ts",
  "src/store/postgres/postgres-outage.test.ts",
  "src/store/postgres/postgres-failover.test.ts",
  "proofs/suites/failures/stored-responses.test.ts",
  "proofs/suites/failures/shutdown.test.ts",
  "src/store/sqlite/anchor.test.ts",
];

/** Helpers of suites that start nothing and change nothing: values, readers of documents, and random cases. */
const PURE_HELPERS =
  "code-point|decisions|decoded-answer|documented-errors|generation|legal-events|replay-stream|runs|scripted-judge|some-requests|target";

/**
 * What a file says that needs a process of its own: it starts programs, servers, threads or databases, or changes what belongs
 * to the process. Where a file does so without saying it, the files beside it may fail, and are run alone then.
 */
const OWN_PROCESS = new RegExp(
  [
    String.raw`\bBun\.(spawn|spawnSync|serve|listen|connect|gc)\b|\bnew Worker\b|\bprocess\.|\bglobalThis\b`,
    '"(node:(child_process|net|tls|http|https|http2|worker_threads)|bun:sqlite|bun:jsc)"',
    String.raw`\bmock\.module|\bsetSystemTime|\bspyOn\b|\buseFakeTimers\b|\bmkdtemp\b`,
    String.raw`/suite/|/support/(?!(${PURE_HELPERS})\.ts")|/server\.ts"|/open-\w+(-\w+)*\.ts"|\.suite\.ts"`,
  ].join("|"),
);

/** Where small files are: suites of the other folders start programs through helpers, and take longer than a start. */
const SMALL = /^(src|console|contract|simulator|scripts|proofs\/(grammars|suites\/protocols))\//;

/** Files whose pages are looked at in a browser, which takes a second of processor time to start: a few of them share it. */
const TAKES_BROWSER = /\/support\/browser\.ts"/;
const FILES_TO_A_BROWSER = 5;

/**
 * Suites that call gateways, vendors and clients, each in a process of its own, from folders whose suites have most of their helpers and SDKs in common: a
 * few neighbours share a process, its compiled functions and its PostgreSQL.
 */
const CALLS_GATEWAYS =
  /^proofs\/suites\/(administration|billing|clients|decisions|endpoints|failures|http-wire|sign-in|tables|translation)\//;
const FILES_TO_A_PROCESS = 3;

/** What such a file says that measures or changes its whole process. */
const OF_THE_PROCESS =
  /\b(process\.(on|chdir|memoryUsage|cpuUsage|exit)\b|process\.env\.\w+ = |globalThis\b|Bun\.gc\b|mock\.module|setSystemTime|spyOn)|bun:jsc|\/browser\.ts"/;

/** Together in a process are at most so many bytes of test files: a process that fails is looked into file by file. */
const BATCH_BYTES = 150_000;

/** Every test file whose path contains one of the patterns, by its kind and path; without patterns, all but the drills. */
export async function findTestFiles(patterns: readonly string[]): Promise<string[]> {
  const glob = new Bun.Glob("**/*.test.{ts,tsx}");
  const found = (await Array.fromAsync(glob.scan({ cwd: ROOT })))
    .filter((path) => !path.includes("node_modules/"))
    .filter((path) =>
      patterns.length === 0 ? !DRILLS.includes(path) : patterns.some((pattern) => path.includes(pattern)),
    );
  return found.sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

function rank(path: string): number {
  const index = ORDER.findIndex((folder) => path.startsWith(folder));
  return index === -1 ? ORDER.length : index;
}

/** Parts files into processes; `read` gives a file's text. */
export async function planRun(paths: readonly string[], read = textOf): Promise<Plan> {
  const own: Batch[] = [];
  const waiting: Batch[] = [];
  const together: string[][] = [];
  const with_browser: string[] = [];
  const calling = new Map<string, string[]>();
  let room_bytes = 0;
  for (const path of paths) {
    const text = await read(path);
    if (WAITING.includes(path)) waiting.push([path]);
    else if (path.startsWith("proofs/suites/console/") && TAKES_BROWSER.test(text)) with_browser.push(path);
    else if (CALLS_GATEWAYS.test(path) && !OF_THE_PROCESS.test(text)) {
      const folder = path.slice(0, path.lastIndexOf("/"));
      calling.set(folder, [...(calling.get(folder) ?? []), path]);
    } else if (!SMALL.test(path) || needsOwnProcess(text)) own.push([path]);
    else {
      if (text.length > room_bytes || together.length === 0) {
        together.push([]);
        room_bytes = BATCH_BYTES;
      }
      together.at(-1)?.push(path);
      room_bytes -= text.length;
    }
  }
  waiting.sort(([a = ""], [b = ""]) => WAITING.indexOf(a) - WAITING.indexOf(b));
  for (const neighbours of calling.values()) own.push(...inChunks(neighbours, FILES_TO_A_PROCESS));
  // Programs of the suites across rooms are the longest, files of one room with a process of their own the shortest.
  const long = own.filter(([path = ""]) => rank(path) < ORDER.indexOf("proofs/torture/"));
  const short = own.filter(([path = ""]) => rank(path) >= ORDER.indexOf("proofs/torture/"));
  return { small: together, batches: [...dealt(with_browser, FILES_TO_A_BROWSER), ...long, ...short], waiting };
}

function inChunks(paths: readonly string[], most: number): Batch[] {
  return Array.from({ length: Math.ceil(paths.length / most) }, (_, at) => paths.slice(at * most, (at + 1) * most));
}

/** Files in batches of at most so many, dealt out in turn: neighbours by name are about one thing, and as long. */
function dealt(paths: readonly string[], most: number): Batch[] {
  const batches = Array.from({ length: Math.ceil(paths.length / most) }, (): string[] => []);
  for (const [at, path] of paths.entries()) batches[at % batches.length]?.push(path);
  return batches;
}

export function needsOwnProcess(text: string): boolean {
  return OWN_PROCESS.test(text);
}

function textOf(path: string): Promise<string> {
  return Bun.file(join(ROOT, path)).text();
}
