/** `npm run clients`: real clients against a gateway of this working copy, over vendors of every protocol. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Client } from "./client.ts";
import { CLIENTS } from "./clients.ts";
import { startDeployment } from "./deployment.ts";
import { CACHE, type Installed, installClient, versionOf } from "./install.ts";
import { KINDS } from "./models.ts";
import { type Outside, startOutside } from "./outside.ts";
import { PROTOCOLS, type VendorProtocol } from "./protocols.ts";
import { markdownReport, type Tried, table } from "./report.ts";
import { type ClientResult, hashSources, Results, type ScenarioResult } from "./result.ts";
import { runScenario } from "./run-scenario.ts";

const USAGE = `usage: npm run clients -- [--only CLIENT] [--protocol PROTOCOL] [--scenario WORDS] [--again] [--write] [--keep] [--list]

Installs pinned versions of real clients from npm, PyPI, the Go proxy and Maven into a cache (~/.cache/camino-clients, or CAMINO_CLIENTS_CACHE),
runs each against a gateway of this working copy and prints a table. Without filters it writes docs/clients.md.
--only      clients whose id contains this (may be given several times)
--protocol  vendors of this protocol: ${PROTOCOLS.join(", ")}
--scenario  scenarios whose name contains the words; their results are not kept
--again     runs what has been tried with these versions and sources, too
--write     writes docs/clients.md from the newest results of all clients, whatever was run now
--keep      leaves the folders in which the clients worked
--list      lists clients and scenarios, and runs nothing`;

const OPTIONS = {
  only: { type: "string", multiple: true },
  protocol: { type: "string", multiple: true },
  scenario: { type: "string" },
  again: { type: "boolean" },
  write: { type: "boolean" },
  keep: { type: "boolean" },
  list: { type: "boolean" },
  help: { type: "boolean" },
} as const;

interface Values {
  readonly only: readonly string[];
  readonly protocol: readonly string[];
  readonly scenario?: string;
  readonly again?: boolean;
  readonly write?: boolean;
  readonly keep?: boolean;
  readonly list?: boolean;
  readonly help?: boolean;
}

const REPORT = join(import.meta.dir, "../../docs/clients.md");

async function main(): Promise<number> {
  let values: Values;
  try {
    values = { only: [], protocol: [], ...parseArgs({ options: OPTIONS }).values };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return 2;
  }
  const clients = CLIENTS.filter(({ id }) => values.only.length === 0 || values.only.some((part) => id.includes(part)));
  const unknown = values.protocol.find((name) => !PROTOCOLS.some((protocol) => protocol === name));
  if (values.help || unknown !== undefined || clients.length === 0) {
    if (unknown !== undefined) console.error(`No vendor speaks '${unknown}'.`);
    if (clients.length === 0) console.error(`No client's id contains ${values.only.join(" or ")}.`);
    console.error(USAGE);
    return values.help ? 0 : 2;
  }
  if (values.list) {
    for (const { id, scenarios } of clients) console.log(`${id}: ${scenarios.map(({ name }) => name).join("; ")}`);
    return 0;
  }
  return await run(clients, values);
}

interface Run {
  readonly values: Values;
  readonly outside: Outside;
  readonly results: Results;
  readonly sources: string;
  /** Aborted by Ctrl-C: all processes that were started are ended before the run ends. */
  readonly stopping: AbortSignal;
}

/** Runs the clients one after the other. Returns the exit status: 1 when any scenario failed. */
async function run(clients: readonly Client[], values: Values): Promise<number> {
  const outside = await startOutside();
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const stopping = stop.signal;
  const context: Run = { values, outside, results: new Results(CACHE), sources: await hashSources(), stopping };
  const tried: Tried[] = [];
  let lacking = 0;
  try {
    for (const client of clients) {
      if (stopping.aborted) break;
      const result = await tryClient(client, context);
      tried.push(result ?? { client, results: new Map() });
      if (result === null) lacking += 1;
    }
  } finally {
    await outside.stop();
  }
  if (stopping.aborted) return 130;
  console.log(`\n${table(tried)}`);
  const all = values.only.length === 0 && values.protocol.length === 0 && values.scenario === undefined;
  if (all || values.write) await Bun.write(REPORT, markdownReport(await newest(context.results)));
  const failed = tried.some(({ results }) =>
    [...results.values()].some(({ scenarios }) => scenarios.some(({ outcome }) => outcome === "fails")),
  );
  return failed || lacking > 0 ? 1 : 0;
}

async function newest(results: Results): Promise<Tried[]> {
  const tried: Tried[] = [];
  for (const client of CLIENTS) {
    const found = new Map<VendorProtocol, ClientResult>();
    for (const protocol of PROTOCOLS) {
      const result = await results.find(client.id, versionOf(client), protocol);
      if (result !== null) found.set(protocol, result);
    }
    tried.push({ client, results: found });
  }
  return tried;
}

/** Null where the client cannot be installed, which is printed: the other clients are tried all the same. */
async function tryClient(client: Client, context: Run): Promise<Tried | null> {
  const { values, results, sources } = context;
  const version = versionOf(client);
  const found = new Map<VendorProtocol, ClientResult>();
  let installed: Installed | null = null;
  for (const protocol of PROTOCOLS) {
    if (context.stopping.aborted) break;
    if (values.protocol.length > 0 && !values.protocol.includes(protocol)) continue;
    const known = await results.find(client.id, version, protocol);
    if (known?.sources === sources && !values.again && values.scenario === undefined) {
      console.log(`${client.name} ${version}, ${protocol}: as on ${known.date}`);
      found.set(protocol, known);
      continue;
    }
    installed ??= await install(client);
    if (installed === null) return null;
    const scenarios = await tryProtocol({ client, protocol, installed }, context);
    const date = new Date().toISOString().slice(0, 10);
    const result: ClientResult = { client: client.id, version, protocol, date, sources, scenarios };
    if (values.scenario === undefined && !context.stopping.aborted) await results.keep(result);
    found.set(protocol, result);
  }
  return { client, results: found };
}

async function install(client: Client): Promise<Installed | null> {
  console.log(`installing ${client.name} ${versionOf(client)} …`);
  try {
    return await installClient(client, CACHE);
  } catch (error) {
    console.log(`  ✗ ${error instanceof Error ? error.message : String(error)}`.replace(/\n/g, "\n    "));
    return null;
  }
}

interface Trial {
  readonly client: Client;
  readonly protocol: VendorProtocol;
  readonly installed: Installed;
}

/** Starts a gateway for each trial, so that no trial sees what another has left behind. */
async function tryProtocol({ client, protocol, installed }: Trial, context: Run): Promise<ScenarioResult[]> {
  const { outside, values, stopping } = context;
  await using deployment = await startDeployment({ ...KINDS, ...client.models });
  const done: ScenarioResult[] = [];
  console.log(`${client.name}, ${protocol}`);
  for (const scenario of client.scenarios) {
    if (stopping.aborted) break;
    if (!scenario.name.includes(values.scenario ?? "")) continue;
    const started = performance.now();
    const keep = values.keep === true;
    const result = await runScenario(scenario, { protocol, installed, deployment, outside, keep, stopping });
    done.push(result);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const asked = result.asked === undefined ? "" : ` (asked for ${result.asked.join(", ")})`;
    console.log(`  ${MARKS[result.outcome]} ${scenario.name}, ${seconds} s${asked}`);
    if (result.why !== "") console.log(result.why.replace(/^/gm, "      "));
  }
  return done;
}

const MARKS: Readonly<Record<ScenarioResult["outcome"], string>> = { works: "✓", fails: "✗", impossible: "–" };

process.exitCode = await main();
