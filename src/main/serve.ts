import { hostname } from "node:os";
import { join } from "node:path";
import { createAuthenticator } from "../access/authenticator.ts";
import { deriveSubKeys } from "../access/sub-keys.ts";
import { SIMULATOR_ID } from "../catalog/vendors/simulated-vendor.ts";
import type { Configuration } from "../core/catalog.ts";
import { systemClock } from "../core/clock.ts";
import { DEFAULT_CONSOLE_SETTINGS, transportHeaders } from "../core/console-settings.ts";
import { newId, randomBase62 } from "../core/ids.ts";
import type { Store } from "../core/ports.ts";
import { consolePages } from "../http/console-pages.ts";
import type { EdgeDeps } from "../http/context.ts";
import type { OperationsServer } from "../http/operations-server.ts";
import { type RunningServer, startServer } from "../http/server.ts";
import { createLogs, type Log } from "../observe/log.ts";
import { Metrics } from "../observe/metrics.ts";
import { livePipeline } from "../pipeline/live-pipeline.ts";
import { UsageEstimator } from "../pipeline/generation/estimate-usage.ts";
import { Breakers } from "../routing/breaker.ts";
import { RouteMeters } from "../routing/route-meters.ts";
import { fetchOnlySettings } from "../upstream/fetch-only-settings.ts";
import { Upstream } from "../upstream/send.ts";
import { administrationOf } from "./administration.ts";
import { adminToken } from "./admin-token.ts";
import { bannerText, SIGN_IN_COMMAND } from "./banner.ts";
import { consoleApi } from "./console-api.ts";
import { databaseUrl } from "./database-url.ts";
import { DataDirectory } from "./data-directory.ts";
import { type Demo, prepareDemo } from "./demo.ts";
import { type FirstSignIn, firstSignIn, mayShowLink } from "./first-sign-in.ts";
import { openLedger } from "./open-ledger.ts";
import { openLargeBodies } from "./open-large-bodies.ts";
import { openMemory } from "./open-memory.ts";
import { openVendors } from "./open-vendors.ts";
import { operationsAccess, operationsSettings, serveApart } from "./operations.ts";
import { clientProtocols, decisionProtocols, decisionVendorOf, vendorCodecOf, adapterBetween } from "./protocols.ts";
import { readConfiguration } from "./read-configuration.ts";
import { type Environment, readSettings, type ServeOptions } from "./settings.ts";
import { drainOnSignal } from "./shutdown.ts";
import { TIMINGS, type Timings } from "./timings.ts";
import { openUpkeep } from "./upkeep.ts";

/** The folder into which `npm run build:console` writes the console. */
const CONSOLE_FOLDER = join(import.meta.dir, "../../console/dist");

export interface ServeContext {
  readonly env: Environment;
  readonly version: string;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly timings?: Timings;
}

/** Runs the gateway until it is told to stop, and resolves when everything is settled and closed. */
export async function serve(options: ServeOptions, context: ServeContext): Promise<void> {
  const { timings = TIMINGS } = context;
  const settings = readSettings(options, context.env);
  const logs = createLogs(settings.log_level, logTarget(options));
  const { log, access_log } = logs;
  const data = await DataDirectory.open(settings.data_path);
  const secret = context.env.CAMINO_SECRET ?? (await data.generated("secret", () => randomBase62(48)));
  const admin_token = await adminToken(context.env, data);
  const keys = deriveSubKeys(secret);
  // Everything that was opened is closed in the opposite order, also after a failed start: nothing may keep the process
  // alive.
  await using opened = new AsyncDisposableStack();
  opened.defer(logs.flush);
  const configured = await readConfiguration(settings, context.env);
  opened.defer(async () => configured.simulator?.stop());
  const estimator = new UsageEstimator();
  opened.defer(() => estimator.close());
  const node_id = newId("node");
  const metrics = new Metrics();
  const opened_ledger = await openLedger({ url: databaseUrl(settings, data), node_id, logs, metrics }, opened);
  const { store, ledger, open_requests } = opened_ledger;
  const kept = { store, node_id, log, metrics, every_ms: timings.upkeep_every_ms };
  const upkeep = openUpkeep(kept, configured.loaded.configuration.upkeep, opened);
  const breakers = new Breakers(systemClock.monotonic_ms, timings.breaker_pause_ms);
  const meters = new RouteMeters(systemClock);
  const vendors = await openVendors({ ...configured, store, keys, breakers, log }, opened);
  const memory = openMemory({ store, keys, log, metrics }, configured.loaded.configuration, opened);
  const large_bodies = openLargeBodies({ memory, log }, opened);
  const pipeline = livePipeline({
    ...{ vendors, ledger, memory, estimator, large_bodies, open_requests, breakers, meters, node_id, log, metrics },
    ...{ adapterBetween, decisionVendorOf, vendorCodecOf },
    upstream: new Upstream(fetchOnlySettings(context.env)),
    clock: systemClock,
  });
  const facts = { vendors, pipeline, store, version: context.version, timings, upkeep };
  const administration = administrationOf({ ...facts, server: () => server }, opened);
  const operations = operationsSettings(context.env, configured.loaded.configuration.operations);
  const console_settings = configured.loaded.configuration.console ?? DEFAULT_CONSOLE_SETTINGS;
  const authenticator = createAuthenticator({ keys, accounts: store.accounts });
  const edge: EdgeDeps = {
    pipeline,
    authenticator,
    store,
    protocols: clientProtocols,
    decisions: decisionProtocols,
    consoleApi: consoleApi({
      ...{ store, keys, settings: console_settings, version: context.version, administration, admin_token, log },
      keyChanged: authenticator.forget,
    }),
    consolePages: consolePages(CONSOLE_FOLDER, transportHeaders(console_settings)),
    log,
    access_log,
    metrics,
    version: context.version,
    client_timeouts: timings.client,
    operations: operationsAccess(operations, console_settings, log),
  };
  const server = startServer(edge, { hostname: settings.host, port: settings.port });
  opened.defer(() => server.cut());
  const apart = serveApart(edge, { hostname: operations.host ?? settings.host, port: operations.port }, server);
  opened.defer(() => apart?.cut());
  // Signals are handled before the gateway announces itself.
  const drained = drainOnSignal({ server, open_requests }, log, timings.drain_patience_ms);
  // With a credential from the console the gateway is configured, and its models are real.
  const is_first_run = configured.first_run && vendors.current.vendors.has(SIMULATOR_ID);
  const demo = is_first_run ? await prepareDemo(store, keys, data) : null;
  const origin = console_settings.public_url ?? server.url;
  const may_show = mayShowLink({ options, env: context.env, host: settings.host, is_first_run });
  const sign_in = await firstSignIn(store, keys, { origin, account: demo?.email ?? null, may_show });
  const configuration = vendors.current;
  announce({ options, context, server, apart, store, configuration, demo, origin, sign_in, log });
  log.info({ url: server.url, database: store.description, node_id, host: hostname() }, "listening");
  await drained;
  log.info("stopped");
}

/** Where the log goes. With `--json`, stdout has one JSON document only, so the log goes to stderr. */
function logTarget(options: ServeOptions): "stdout" | "stderr" | "terminal" {
  if (options.json) return "stderr";
  return process.stdout.isTTY ? "terminal" : "stdout";
}

function announce(started: {
  options: ServeOptions;
  context: ServeContext;
  server: RunningServer;
  store: Store;
  configuration: Configuration;
  demo: Demo | null;
  origin: string;
  sign_in: FirstSignIn;
  apart: OperationsServer | null;
  log: Log;
}): void {
  const { options, context, server, apart, store, configuration, demo, origin, sign_in, log } = started;
  if (sign_in === "hidden") log.warn({ command: SIGN_IN_COMMAND }, "no administrator can sign in yet");
  const banner = {
    url: server.url,
    console: `${origin}/console/`,
    sign_in_link: sign_in === "hidden" ? null : sign_in,
    sign_in_hidden: sign_in === "hidden",
    operations_url: apart?.url ?? null,
    database: store.description,
    currency: configuration.currency,
    models: configuration.models.size,
    vendors: [...configuration.vendors.values()].map(({ name }) => name),
    demo,
  };
  if (options.json) context.stdout(`${JSON.stringify({ ...banner, pid: process.pid })}\n`);
  else context.stderr(bannerText(banner));
}
