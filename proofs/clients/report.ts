import type { Client } from "./client.ts";
import { EDITORS } from "./editors.ts";
import { versionOf } from "./install.ts";
import { PROTOCOLS, type VendorProtocol } from "./protocols.ts";
import type { ClientResult, ScenarioResult } from "./result.ts";
import { TAGS } from "./tags.ts";

/** A client with its known results, by vendor protocol. */
export interface Tried {
  readonly client: Client;
  readonly results: ReadonlyMap<VendorProtocol, ClientResult>;
}

const INTRODUCTION = `# Clients

Real programs and libraries, unmodified, against a gateway over vendors of every protocol. \`npm run clients\` installs the
versions below, runs each against the simulator's scripted agents, and writes this file. How to add one:
[proofs/clients/README.md](../proofs/clients/README.md).

What is shown for each is what its user writes, whole: a test gives it to the client as it is here, but for the address and the model. In
it \`http://127.0.0.1:8787\` is your gateway, \`CAMINO_API_KEY\` holds a key of yours, and the model is any id
or alias that \`npx camino models\` lists.`;

/** The text of docs/clients.md: the table, and for each client its settings and its results. */
export function markdownReport(tried: readonly Tried[]): string {
  const sections = tried.map(section);
  return [INTRODUCTION, "## Client × vendor protocol", table(tried), TAGS, ...sections, EDITORS]
    .join("\n\n")
    .concat("\n");
}

/** The table of clients by vendor protocols. */
export function table(tried: readonly Tried[]): string {
  const head = ["Client", "Version", ...PROTOCOLS.map((protocol) => protocol.replaceAll("-", " ")), "Tried"];
  const rows = tried.map(({ client, results }) => [
    `[${client.name}](#${anchor(client.name)})`,
    versionOf(client),
    ...PROTOCOLS.map((protocol) => cell(results.get(protocol))),
    [...results.values()].map(({ date }) => date).sort()[0] ?? "not yet",
  ]);
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** The anchor that GitHub gives a heading. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

function cell(result: ClientResult | undefined): string {
  if (result === undefined) return "not tried";
  const possible = result.scenarios.filter(({ outcome }) => outcome !== "impossible");
  const failed = possible.filter(({ outcome }) => outcome === "fails");
  if (failed.length > 0) return `${failed.length} of ${possible.length} fail`;
  return possible.length === 0 ? "impossible" : "works";
}

function section({ client, results }: Tried): string {
  const packages = Object.entries(client.install.packages).map(([name, version]) => `\`${name}\` ${version}`);
  const told = [
    `## ${client.name}`,
    `${packages.join(", ")} (${SOURCES[client.install.from]}).`,
    client.settings.trim(),
  ];
  if (results.size > 0) told.push(`Tried: ${scenarioList(client, results)}`);
  const exceptions = notes(results);
  if (exceptions.length > 0) told.push(exceptions.map((note) => `- ${note}`).join("\n"));
  return told.join("\n\n");
}

const SOURCES = { npm: "npm", pypi: "PyPI", go: "Go modules", maven: "Maven" } as const;

/** Each scenario once, with the number of its checks where it has many. */
function scenarioList(client: Client, results: Tried["results"]): string {
  const most = (name: string): number =>
    Math.max(0, ...[...results.values()].flatMap(({ scenarios }) => scenarios.filter(named(name)).map(checksOf)));
  const names = client.scenarios.map(({ name }) => (most(name) > 0 ? `${name} (${most(name)} checks)` : name));
  return `${names.join("; ")}.`;
}

const named = (name: string) => (result: ScenarioResult) => result.scenario === name;
const checksOf = ({ checks }: ScenarioResult): number => checks;

/** The failures and impossible tasks, and their protocols; equal reasons on several protocols are listed once. */
function notes(results: Tried["results"]): string[] {
  const where = new Map<string, VendorProtocol[]>();
  for (const [protocol, { scenarios }] of results)
    for (const result of scenarios) {
      const note = noteOn(result);
      if (note !== null) where.set(note, [...(where.get(note) ?? []), protocol]);
    }
  return [...where].map(([note, protocols]) => `${note} (${protocols.join(", ")})`);
}

const MOST_OF_A_REASON = 300;

function noteOn({ scenario, outcome, why }: ScenarioResult): string | null {
  if (outcome === "works") return null;
  const reason = why.replace(/\s+/g, " ").slice(0, MOST_OF_A_REASON);
  return outcome === "fails" ? `**${scenario}** fails: ${reason}` : `${scenario}: ${reason}`;
}
