import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { type Simulator, startSimulator } from "../../../../simulator/server.ts";
import { createApiKey } from "../../../../src/access/api-key.ts";
import { createAuthenticator } from "../../../../src/access/authenticator.ts";
import { deriveSubKeys } from "../../../../src/access/sub-keys.ts";
import { loadWithOrigins } from "../../../../src/catalog/configuration/load-configuration.ts";
import { resolveModel } from "../../../../src/catalog/names/resolve-model.ts";
import { priceAt } from "../../../../src/catalog/prices/price-at.ts";
import { systemClock } from "../../../../src/core/clock.ts";
import { newId } from "../../../../src/core/ids.ts";
import { micro } from "../../../../src/core/money/money.ts";
import type { Store } from "../../../../src/core/store/ports.ts";
import type { EdgeDeps } from "../../../../src/http/context.ts";
import { EdgeCall } from "../../../../src/http/edge-call.ts";
import { startServer } from "../../../../src/http/server.ts";
import { createLedger } from "../../../../src/ledger/ledger.ts";
import { openLargeBodies } from "../../../../src/main/open-large-bodies.ts";
import { openMemories } from "../../../../src/main/open-memory.ts";
import {
  adapterBetween,
  clientProtocols,
  decisionProtocols,
  decisionVendorOf,
  modelProtocols,
  vendorCodecOf,
} from "../../../../src/main/protocols.ts";
import { TIMINGS } from "../../../../src/main/timings.ts";
import { AccessLog } from "../../../../src/observe/access-log.ts";
import { Metrics } from "../../../../src/observe/metrics.ts";
import type { PipelineDeps } from "../../../../src/pipeline/call/deps.ts";
import { OpenRequests } from "../../../../src/pipeline/call/open-requests.ts";
import { UsageEstimator } from "../../../../src/pipeline/usage/estimate-usage.ts";
import { Breakers } from "../../../../src/routing/breaker.ts";
import { KeptRoutes } from "../../../../src/routing/kept-routes.ts";
import { RetryBudget } from "../../../../src/routing/retry-budget.ts";
import { RouteMeters } from "../../../../src/routing/route-meters.ts";
import { VendorLimitBook } from "../../../../src/routing/vendor-limits.ts";
import { openStore } from "../../../../src/store/open-store.ts";
import { newKey } from "../../../../src/store/suite/books.ts";
import { Upstream } from "../../../../src/upstream/send.ts";
import type { UpstreamCall } from "../../../../src/wire/client/call.ts";
import { ClientConnection } from "../../../../src/wire/server/client-connection.ts";
import { FaultInjector } from "./fault-injector.ts";

/** A gateway in the test's own process, any call of whose pipeline can be replaced by an error. */
export interface FaultyGateway extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  readonly account_id: string;
  readonly store: Store;
  readonly simulator: Simulator;
  readonly faults: FaultInjector;
  readonly open_requests: OpenRequests;
  /** The calls to vendors since the last `forgetCalls`. */
  readonly vendor_calls: readonly (UpstreamCall & { readonly isOver: boolean })[];
  forgetCalls(): void;
}

/** `config` is the configuration without the vendors' address. */
export async function startFaultyGateway(config: (base_url: string) => object): Promise<FaultyGateway> {
  await using opened = new AsyncDisposableStack();
  const faults = new FaultInjector();
  const simulator = await startSimulator();
  opened.defer(() => simulator.stop());
  const data = await mkdtemp(join(tmpdir(), "camino-faults-"));
  opened.defer(() => rm(data, { recursive: true, force: true }));
  const node_id = newId("node");
  const store = await openStore({ url: `sqlite:${join(data, "camino.db")}`, node_id });
  opened.defer(() => store.close());
  const file_text = JSON.stringify(config(simulator.base_url));
  const { configuration } = loadWithOrigins({ file_text, file_name: "camino.yaml", env: {} });
  const keys = deriveSubKeys("a secret of the test's own");
  const { key, account_id } = await customer(store, keys);

  const log = pino({ level: "silent" });
  const metrics = new Metrics();
  const ledger = createLedger({ store: store.ledger, log });
  opened.defer(() => ledger.drain());
  const estimator = new UsageEstimator();
  opened.defer(() => estimator.close());
  const open_requests = new OpenRequests();
  const { memory } = openMemories({ store, keys, log, metrics, clock: systemClock }, configuration, opened);
  const vendor_calls: (UpstreamCall & { readonly isOver: boolean })[] = [];
  const upstream = new Upstream();
  const start = upstream.start.bind(upstream);
  upstream.start = (request) => {
    const call = start(request);
    vendor_calls.push(call as UpstreamCall & { readonly isOver: boolean });
    return call;
  };
  const budget = new RetryBudget(systemClock.monotonic_ms);
  const pipeline: PipelineDeps = {
    configuration,
    ledger: faults.wrap("ledger", ledger),
    // Two levels: the call, and the reply that it resolves with.
    upstream: faults.wrap("upstream", upstream, 2),
    vendor_limits: new VendorLimitBook(systemClock.now_ms),
    kept_routes: new KeptRoutes(systemClock.monotonic_ms),
    breakers: faults.wrap("breakers", new Breakers(systemClock.monotonic_ms)),
    meters: faults.wrap("meters", new RouteMeters(systemClock), 1),
    retryBudgetOf: () => faults.wrap("budget", budget),
    // The exchange, and the answer that it opens.
    adapterBetween: (client, vendor) => wrapped(faults, "way", adapterBetween(client, vendor), 2),
    decisionVendorOf: (protocol) => wrapped(faults, "decisions", decisionVendorOf(protocol), 0),
    cache: null,
    contents: null,
    converterOf: () => null,
    vendorCodecOf: (protocol) => wrapped(faults, "codec", vendorCodecOf(protocol), 1),
    resolveModel: (record, name) => resolveModel(configuration, record, name)?.model ?? null,
    priceAt,
    memory: memory === null ? null : faults.wrap("memory", memory),
    estimator: faults.wrap("estimator", estimator),
    // The body that is kept, and its exchange.
    large_bodies: faults.wrap("large_bodies", openLargeBodies({ memory, log }, configuration, opened), 2),
    // A list in memory, by which the test itself sees what is open.
    open_requests,
    clock: faults.wrap("clock", systemClock),
    random: () => 0.5,
    node_id,
    log: faults.wrap("log", log),
    metrics: faults.wrap("metrics", metrics, 1),
  };
  const edge = edgeDeps({ pipeline, store, keys, faults });
  for (const method of ["write", "learn"]) faults.wrapMethod(EdgeCall, method);
  for (const method of ["answer", "send"]) faults.wrapMethod(ClientConnection, method);
  const server = startServer(edge, { hostname: "127.0.0.1", port: 0 });
  opened.defer(() => server.cut());
  const closing = opened.move();
  return {
    ...{ url: server.url, key, account_id, store, simulator, faults, open_requests, vendor_calls },
    forgetCalls: () => {
      vendor_calls.length = 0;
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

function wrapped<Target extends object>(
  faults: FaultInjector,
  name: string,
  target: Target | null,
  depth: number,
): Target | null {
  return target === null ? null : faults.wrap(name, target, depth);
}

async function customer(store: Store, keys: ReturnType<typeof deriveSubKeys>) {
  const account_id = newId("acct");
  const { accounts } = store;
  await accounts.createAccount({ id: account_id, email: "somebody@example.com", name: "Somebody" });
  const amount_micro = micro(1_000_000_000);
  await accounts.addEntry({ account_id, kind: "credit", amount_micro, note: "", actor: "test" });
  const { key, hash, hint } = createApiKey(keys);
  await accounts.createKey(newKey(account_id, { hash, hint, rpm: 1_000_000, concurrent: 10_000 }));
  return { key, account_id };
}

function edgeDeps(parts: {
  pipeline: PipelineDeps;
  store: Store;
  keys: ReturnType<typeof deriveSubKeys>;
  faults: FaultInjector;
}): EdgeDeps {
  const { pipeline, store, keys, faults } = parts;
  const nothing = () => {
    throw new Error("the console is not part of this test");
  };
  return {
    pipeline,
    authenticator: createAuthenticator({ keys, accounts: store.accounts }),
    store,
    protocols: { ...clientProtocols, ...modelProtocols },
    decisions: decisionProtocols,
    consoleApi: nothing,
    consolePages: { answer: nothing },
    log: pipeline.log,
    access_log: faults.wrap("access_log", new AccessLog(null)),
    metrics: pipeline.metrics,
    version: "test",
    client_timeouts: TIMINGS.client,
    operations: { apart: false, token: null, behind_proxy: false },
  };
}
