import type { Block } from "./blocks.ts";

/** How a block of the documents is tried, and by which file. */
export type Kind =
  /** Commands of a shell, run whole and as they are written: commands.test.ts. */
  | "commands"
  /** A configuration of Camino, or a part of one, read by the gateway's own reader: written.test.ts. */
  | "configuration"
  /** Variables that a gateway is started with: commands.test.ts. */
  | "variables"
  /** A program in TypeScript, run against a gateway: programs.test.ts. */
  | "program"
  /** What a client's user sets or writes: settings.test.ts, with the client itself where it is installed. */
  | "client"
  /** A file for another program, which is read as that program's format: written.test.ts. */
  | "format"
  /** What a command reads or prints, compared with the command: written.test.ts. */
  | "data"
  /** A drawing, with nothing in it to run. */
  | "drawing"
  /** What another suite runs: `run_by`. */
  | "elsewhere"
  /** Nothing runs it here: `because`. */
  | "not run";

/** A block that its language does not say enough of. */
interface Exception {
  readonly document: string;
  /** How the block begins. */
  readonly begins: string;
  readonly kind: Kind;
  /** Of kind `elsewhere`: the test file. */
  readonly run_by?: string;
  /** Of kind `not run`: the reason. */
  readonly because?: string;
}

const NO_ENGINE =
  "needs a container engine, which most machines of the tests do not have; its files are read by proofs/suites/installation/deploy";

/** Everything that no test runs as it is written. The list may become shorter; classified.test.ts bounds its length. */
export const NOT_RUN: readonly Exception[] = [
  not(
    "docs/deploy/docker-compose.md",
    "docker build",
    `${NO_ENGINE}. proofs/suites/installation/image runs it where one answers`,
  ),
  not(
    "docs/deploy/docker-compose.md",
    "docker compose --file deploy/compose/several-nodes.yaml up",
    `${NO_ENGINE}. proofs/suites/installation/compose runs it where one does`,
  ),
  not("README.md", "npm install && npm start", "the run of the tests itself, and its set-up: .ci/run"),
  not("CONTRIBUTING.md", "npm install", "the run of the tests itself, and its set-up: .ci/run"),
];

const ELSEWHERE: readonly Exception[] = [
  elsewhere("docs/operations.md", "npm install && npm pack", "proofs/suites/installation/package.test.ts"),
  // With programs that stand in for systemd, a container engine and a cluster, and start the gateway as the unit and the files say.
  elsewhere("docs/deploy/kubernetes.md", "kubectl create", "proofs/suites/installation/deploy-guides.test.ts"),
  elsewhere("docs/deploy/docker-compose.md", "(", "proofs/suites/installation/deploy-guides.test.ts"),
  elsewhere(
    "docs/deploy/docker-compose.md",
    "docker compose --file deploy/compose/one-node.yaml up",
    "proofs/suites/installation/deploy-guides.test.ts",
  ),
  elsewhere(
    "docs/deploy/docker-compose.md",
    "docker compose --file deploy/compose/one-node.yaml exec",
    "proofs/suites/installation/deploy-guides.test.ts",
  ),
  elsewhere("docs/deploy/systemd.md", "install -d", "proofs/suites/installation/deploy-guides.test.ts"),
  elsewhere("docs/deploy/systemd.md", "timeout 30", "proofs/suites/installation/deploy-guides.test.ts"),
  elsewhere("docs/how-to/use-google-genai.md", "import { GoogleGenAI }", "proofs/suites/clients/sdk-google.test.ts"),
  elsewhere("docs/how-to/hear-of-trouble.md", "npx camino alert add", "proofs/suites/alerts/alerts.test.ts"),
  elsewhere(
    "docs/how-to/send-usage-to-a-billing-system.md",
    "// book.mjs",
    "proofs/suites/usage-events/recipe.test.ts",
  ),
  elsewhere(
    "docs/how-to/move-an-account-to-another-cell.md",
    "npx camino cell list",
    "proofs/suites/postgres/cell-move.test.ts",
  ),
  elsewhere("docs/how-to/send-mail.md", "npx camino doctor", "proofs/suites/mail/mail.test.ts"),
  elsewhere(
    "docs/how-to/check-requests-with-a-hook.md",
    "// mask.mjs",
    "proofs/suites/operations/hook-recipes.test.ts",
  ),
  elsewhere(
    "docs/how-to/check-requests-with-a-hook.md",
    "// moderate.mjs",
    "proofs/suites/operations/hook-recipes.test.ts",
  ),
  elsewhere("README.md", "import OpenAI from", "proofs/suites/operations/first-minute.test.ts"),
  elsewhere("docs/operations.md", "npm run build:binary", "proofs/suites/installation/binary.test.ts"),
];

const OTHERS: readonly Exception[] = [
  { document: "README.md", begins: "id  ", kind: "data" },
  { document: "docs/how-to/send-usage-to-a-billing-system.md", begins: '{ "account"', kind: "data" },
  { document: "docs/how-to/use-claude-code.md", begins: "export ANTHROPIC_BASE_URL", kind: "client" },
  { document: "docs/how-to/use-codex.md", begins: "model = ", kind: "client" },
  { document: "docs/configuration.md", begins: "camino.yaml has a problem", kind: "data" },
  { document: "docs/configuration.md", begins: "CAMINO_SECRET_FILE=", kind: "variables" },
  { document: "docs/operations.md", begins: "CAMINO_DATABASE_URL=", kind: "variables" },
  { document: "docs/operations.md", begins: "# Prometheus", kind: "format" },
  { document: "docs/clients.md", begins: '{\n  "language_models"', kind: "format" },
  { document: "docs/billing.md", begins: "hold_micro", kind: "data" },
  { document: "docs/decisions.md", begins: '{"input"', kind: "data" },
];

const EXCEPTIONS: readonly Exception[] = [...NOT_RUN, ...ELSEWHERE, ...OTHERS];

/** What a language says of a block that is no exception. */
const BY_LANGUAGE: Readonly<Record<string, Kind>> = {
  sh: "commands",
  yaml: "configuration",
  ts: "program",
  nginx: "format",
  text: "drawing",
};

/** A block's kind, with the exception that says so; null where neither an exception nor the language says it. */
export function kindOf(block: Block): { readonly kind: Kind; readonly exception: Exception | null } | null {
  const exception = EXCEPTIONS.find(
    ({ document, begins }) => document === block.document && block.text.startsWith(begins),
  );
  if (exception !== undefined) return { kind: exception.kind, exception };
  if (block.document === "docs/clients.md") return { kind: "client", exception: null };
  // A library's program stands in its client's settings, too, and is run there.
  if (block.language === "python") return { kind: "client", exception: null };
  const kind = BY_LANGUAGE[block.language];
  return kind === undefined ? null : { kind, exception: null };
}

/** The exceptions of which no block is left. */
export function staleExceptions(blocks: readonly Block[]): string[] {
  const used = new Set(blocks.map((block) => kindOf(block)?.exception));
  return EXCEPTIONS.filter((each) => !used.has(each)).map(({ document, begins }) => `${document}: ${begins}`);
}

function not(document: string, begins: string, because: string): Exception {
  return { document, begins, kind: "not run", because };
}

function elsewhere(document: string, begins: string, run_by: string): Exception {
  return { document, begins, kind: "elsewhere", run_by };
}
