import { hostname } from "node:os";
import { ConfigurationError } from "../catalog/reading/problem.ts";
import { openTrafficCounter } from "../chores/count-traffic.ts";
import type { Upkeep } from "../chores/upkeep.ts";
import {
  type Administration,
  InvalidConfiguration,
  type Reloaded,
  type VendorTestRequest,
} from "../console-api/answer/administration.ts";
import type { Store } from "../core/store/ports.ts";
import type { RunningServer } from "../http/server.ts";
import type { RefusalBook } from "../observe/refusal-book.ts";
import type { PipelineDeps } from "../pipeline/call/deps.ts";
import type { ConfigurationElements } from "../pipeline/configuration/configuration-elements.ts";
import { testVendor, type VendorTestDeps } from "../pipeline/vendors/test-vendor.ts";
import type { VendorCredentials } from "../pipeline/vendors/vendor-credentials.ts";
import { Breakers } from "../routing/breaker.ts";
import { RouteMeters } from "../routing/route-meters.ts";
import { watchEventLoop } from "./event-loop-delay.ts";
import { clientProtocols } from "./protocols.ts";
import { processesOf } from "./serve-as-worker.ts";
import { SettingsError } from "./settings/settings.ts";
import type { Timings } from "./timings.ts";
import type { WorkerLink } from "./workers/worker-link.ts";

interface AdministrationParts {
  readonly vendors: VendorCredentials;
  readonly elements: ConfigurationElements;
  readonly pipeline: PipelineDeps;
  readonly store: Store;
  readonly version: string;
  readonly timings: Timings;
  readonly upkeep: Pick<Upkeep, "state">;
  /** Reads the configuration again, here and in the gateway's other processes. */
  readonly reload: () => Promise<Reloaded>;
  /** The server; a function, as the server is made after the console API on which it depends. */
  readonly server: () => RunningServer;
  readonly link: WorkerLink | null;
  readonly refusal_book: RefusalBook;
}

/** The administrators' views and actions on the running gateway. */
export function administrationOf(parts: AdministrationParts, opened: AsyncDisposableStack): Administration {
  const { vendors, elements, pipeline, store, version, timings, upkeep, reload, server, link, refusal_book } = parts;
  const counted = { store, log: pipeline.log, every_ms: timings.traffic_every_ms, refusal_book };
  const circuits = { circuits: pipeline.breakers.changes, node_id: pipeline.node_id };
  const asked = {
    configuration: () => vendors.current,
    openRequests: () => pipeline.open_requests.count,
    clock: pipeline.clock,
  };
  openTrafficCounter({ ...counted, ...circuits, ...asked }, opened);
  const event_loop = watchEventLoop();
  opened.defer(() => event_loop.stop());
  return {
    vendors,
    elements,
    breakers: pipeline.breakers,
    meters: pipeline.meters,
    vendor_limits: pipeline.vendor_limits,
    reload: () => reload().catch(refused),
    testVendor: (asked) => testVendor(testDeps(pipeline, asked), clientProtocols["chat.completions"], asked),
    store,
    ledger: pipeline.ledger,
    gateway: {
      version,
      node_id: pipeline.node_id,
      host: hostname(),
      pid: process.pid,
      started_ms: pipeline.clock.now_ms(),
      body_timeouts: timings.client,
    },
    running: () => ({ ...server().state(), active_streams: pipeline.open_requests.streams }),
    eventLoopDelay: () => event_loop.current(),
    audit: () => upkeep.state,
    ...(link !== null && { workers: () => processesOf(link) }),
    clock: pipeline.clock,
  };
}

/** A test with a trial credential is not measured, as it says nothing about the credential in use. */
function testDeps(pipeline: PipelineDeps, { configuration, is_trial }: VendorTestRequest): VendorTestDeps {
  const { adapterBetween, decisionVendorOf, priceAt, clock, upstream } = pipeline;
  const measured = is_trial
    ? { meters: new RouteMeters(clock), breakers: new Breakers(clock.monotonic_ms) }
    : { meters: pipeline.meters, breakers: pipeline.breakers };
  return { configuration, adapterBetween, decisionVendorOf, priceAt, clock, upstream, ...measured };
}

/** The refusal of a configuration that cannot be used, as the console's API answers it. */
function refused(thrown: unknown): never {
  const is_told = thrown instanceof ConfigurationError || thrown instanceof SettingsError;
  if (!is_told) throw thrown;
  throw new InvalidConfiguration(`${thrown.message}\nNothing has changed: the configuration that was in force stays.`, {
    cause: thrown,
  });
}
