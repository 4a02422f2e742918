import { hostname } from "node:os";
import { type Authenticator, createAuthenticator } from "../access/authenticator.ts";
import { deriveSubKeys } from "../access/sub-keys.ts";
import { openUpkeep } from "../chores/upkeep.ts";
import type { CliDeps, ServeOptions } from "../cli/shared/deps.ts";
import type { Configuration } from "../core/catalog/catalog.ts";
import type { CellSettings } from "../core/catalog/cell-settings.ts";
import { DEFAULT_CONSOLE_SETTINGS, transportHeaders } from "../core/catalog/console-settings.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import type { Environment } from "../core/environment.ts";
import { newId } from "../core/ids.ts";
import { ALONE, type WorkerGroup } from "../core/worker-group.ts";
import type { EdgeDeps } from "../http/context.ts";
import { createLogs, type Log } from "../observe/log.ts";
import { Metrics } from "../observe/metrics.ts";
import { RefusalBook } from "../observe/refusal-book.ts";
import { livePipeline, type PipelineDeps } from "../pipeline/call/deps.ts";
import { makeHooks } from "../pipeline/hooks/hooks.ts";
import { UsageEstimator } from "../pipeline/usage/estimate-usage.ts";
import { Breakers } from "../routing/breaker.ts";
import { RouteMeters } from "../routing/route-meters.ts";
import type { TelemetryParts } from "../telemetry/open-telemetry.ts";
import { fetchOnlySettings } from "../upstream/fetch-only-settings.ts";
import { Upstream } from "../upstream/send.ts";
import type { ClientTimeouts } from "../wire/server/client-timeouts.ts";
import { administrationOf } from "./administration.ts";
import { builtPages } from "./built-pages.ts";
import { consoleApi } from "./console-api.ts";
import { hasDemo } from "./greeting/demo.ts";
import { announce, introduce } from "./introduce.ts";
import { listen } from "./listen.ts";
import { Meanwhile } from "./listen-meanwhile.ts";
import { openDeliveries } from "./open-deliveries.ts";
import { openLargeBodies } from "./open-large-bodies.ts";
import { openLedger } from "./open-ledger.ts";
import { openMemories } from "./open-memory.ts";
import { openVendors } from "./open-vendors.ts";
import { operationsAccess, operationsSettings } from "./operations.ts";
import {
  adapterBetween,
  clientProtocols,
  converterOf,
  decisionProtocols,
  decisionVendorOf,
  modelProtocols,
  vendorCodecOf,
} from "./protocols.ts";
import { openConfiguration } from "./read-configuration.ts";
import { openReload } from "./reload.ts";
import { begin, metricsOfAll, vitalsOf } from "./serve-as-worker.ts";
import { adminToken } from "./settings/admin-token.ts";
import { readCells } from "./settings/cells.ts";
import { DataDirectory, databaseUrl } from "./settings/data-directory.ts";
import { ownSecret } from "./settings/own-secret.ts";
import { logTarget, readSettings, type Settings } from "./settings/settings.ts";
import { drainOnOrder, signalOrders } from "./shutdown.ts";
import { TIMINGS, type Timings } from "./timings.ts";
import type { WorkerLink } from "./workers/worker-link.ts";

/** How long the end of the gateway waits for answers that are on their way to a hook. */
const PATIENCE_MS = 5000;

export interface ServeContext extends Pick<CliDeps, "env" | "version" | "stdout" | "stderr"> {
  readonly timings?: Timings;
  /** The way to the gateway's other processes; absent where this is the only one. */
  readonly link?: WorkerLink;
}

const PROTOCOLS = { adapterBetween, decisionVendorOf, vendorCodecOf, converterOf };

/** Runs the gateway until it is told to stop, and resolves when everything is settled and closed. */
export async function serve(options: ServeOptions, context: ServeContext): Promise<void> {
  const { timings = TIMINGS, link = null } = context;
  const workers = link ?? ALONE;
  const settings = readSettings(options, context.env);
  const logs = createLogs(settings.log_level, logTarget(options), link?.assignment.number);
  const { log, access_log } = logs;
  const { data, own_secret, admin_token } = await openData(settings.data_path, context.env);
  const keys = deriveSubKeys(own_secret.secret);
  // All parts are closed in the opposite order of their opening, also after a failed start: nothing may keep the process alive.
  await using opened = new AsyncDisposableStack();
  opened.defer(logs.flush);
  const configured = await openConfiguration(settings, context.env, opened, await hasDemo(data));
  const estimator = opened.adopt(new UsageEstimator(), (made) => made.close());
  const node_id = link?.assignment.node_id ?? newId("node");
  const metrics = new Metrics();
  const place = placeOf(settings, data, context, configured.loaded.configuration.cells);
  const operations = operationsSettings(context.env, configured.loaded.configuration.operations);
  const starting = {
    version: context.version,
    client_timeouts: clientTimeouts(timings, configured.loaded.configuration),
  };
  const meanwhile = new Meanwhile({ settings, operations, link, log, exit: process.exit, ...starting }, opened);
  const opening = { ...settings, ...place, ...own_secret, node_id, logs, metrics, meanwhile };
  const opened_ledger = await openLedger(opening, opened);
  const { store, ledger, open_requests, clock } = opened_ledger;
  const kept = { store, node_id, log, metrics, clock, every_ms: timings.upkeep_every_ms };
  const upkeep = openUpkeep(kept, configured.loaded.configuration, opened);
  const breakers = new Breakers(systemClock.monotonic_ms, timings.breaker_pause_ms);
  const upstream = new Upstream(fetchOnlySettings(context.env, (url) => configured.simulator.isAt(url)));
  const shared = { log, processes: workers.processes, store, keys, metrics, clock, upstream };
  const { vendors, elements, ...notes } = await openVendors({ ...configured, breakers, ...shared }, opened);
  const { memory, cache, contents } = openMemories(shared, configured.loaded.configuration, opened);
  const large_bodies = openLargeBodies({ ...shared, memory }, configured.loaded.configuration, opened);
  const pipeline = livePipeline({
    ...{ vendors, ...notes, ledger, memory, cache, contents, estimator, large_bodies, open_requests },
    ...{ breakers, meters: new RouteMeters(systemClock), node_id, log, metrics, clock, upstream, ...PROTOCOLS },
    ...openHooks(shared, configured.loaded.configuration, opened),
  });
  const reload = openReload({ options, env: context.env, simulator: configured.simulator, elements, log }, link);
  const refusal_book = new RefusalBook();
  const facts = { vendors, elements, refusal_book, pipeline, store, timings, upkeep, reload, link, ...starting };
  const administration = administrationOf({ ...facts, server: () => server }, opened);
  const console_settings = configured.loaded.configuration.console ?? DEFAULT_CONSOLE_SETTINGS;
  const authenticator = createAuthenticator({ keys, accounts: store.accounts, clock });
  const edge: EdgeDeps = {
    pipeline,
    authenticator,
    store,
    protocols: { ...clientProtocols, ...modelProtocols },
    decisions: decisionProtocols,
    consoleApi: consoleApi({
      ...{ store, keys, settings: console_settings, version: context.version, administration, admin_token, log, clock },
      keyChanged: tellChanges(authenticator, workers),
      ...{ workers, cache },
      refused_sign_ins: metrics.refused_sign_ins,
      ...openDeliveries({ ...shared, timings }, configured.loaded.configuration, opened),
    }),
    consolePages: builtPages(transportHeaders(console_settings)),
    ...{ log, access_log, metrics, refusals: refusal_book, ...starting },
    ...(await startTelemetry({ ...shared, ...logs, ...starting, node_id }, configured.loaded.configuration, opened)),
    operations: operationsAccess(operations, console_settings, log, { workers, metrics }),
    workers,
    ...(link !== null && { allMetrics: () => metricsOfAll(link, metrics) }),
  };
  const { server, apart } = listen(edge, { settings, operations, link, meanwhile }, opened);
  // Signals are handled before the gateway announces itself.
  const patience = { orders: link ?? signalOrders(), log, patience_ms: timings.drain_patience_ms };
  const drained = drainOnOrder({ server, open_requests }, patience);
  const banner = await introduce({
    ...{ options, env: context.env, host: settings.host, data, store, keys, server, apart, log, console_settings },
    ...{ is_first: link?.assignment.is_first ?? true, first_run: configured.first_run },
    configuration: vendors.current,
  });
  if (link === null) announce(banner, options, context);
  else begin(link, { banner, server, apart, metrics, store, log, vitals: vitalsOf(opened_ledger, server) });
  log.info({ url: server.url, database: store.description, node_id, host: hostname() }, "listening");
  await drained;
  log.info("stopped");
}

/** Where the books are. */
function placeOf(settings: Settings, data: DataDirectory, { env, link }: ServeContext, cells?: CellSettings) {
  return {
    url: databaseUrl(settings, data),
    ledger_socket: link?.assignment.ledger_socket ?? null,
    cells: readCells(env, settings.database_url, cells),
  };
}

/** The data directory with the gateway's own secrets, which are made at their first use. */
async function openData(path: string, env: Environment) {
  const data = await DataDirectory.open(path);
  return { data, own_secret: await ownSecret(env, data), admin_token: await adminToken(env, data) };
}

function clientTimeouts({ client }: Timings, { clients }: Configuration): ClientTimeouts {
  return clients === undefined ? client : { ...client, idle_ms: clients.keep_alive_ms };
}

/** Takes note here, and in the gateway's other processes, that a key was changed. */
function tellChanges(authenticator: Authenticator, workers: WorkerGroup): (key_id: string) => void {
  workers.hear("changed key", (key_id) => authenticator.forget(key_id));
  return (key_id) => {
    authenticator.forget(key_id);
    workers.tell("changed key", key_id);
  };
}

/** Starts what sends to a collector of OpenTelemetry; nothing, and none of its code is loaded, where none is configured. */
async function startTelemetry(
  parts: Omit<TelemetryParts, "settings">,
  { telemetry: settings }: Pick<Configuration, "telemetry">,
  opened: AsyncDisposableStack,
): Promise<Pick<EdgeDeps, "tracing">> {
  if (settings === undefined) return {};
  const { openTelemetry } = await import("../telemetry/open-telemetry.ts");
  const { tracing, close } = openTelemetry({ ...parts, settings });
  opened.defer(close);
  return tracing === undefined ? {} : { tracing };
}

interface HookParts {
  readonly upstream: Upstream;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/** The operator's own servers that are asked about requests and told of answers; nothing where none is configured. */
function openHooks(
  { upstream, log, metrics, clock }: HookParts,
  { hooks: settings, limits }: Pick<Configuration, "hooks" | "limits">,
  opened: AsyncDisposableStack,
): Pick<PipelineDeps, "hooks"> {
  if (settings === undefined) return {};
  const { body_bytes: most_bytes } = limits;
  const hooks = makeHooks(settings, { upstream, log, metrics, monotonic_ms: clock.monotonic_ms, most_bytes });
  opened.defer(() => hooks.after?.close(PATIENCE_MS));
  return { hooks };
}
