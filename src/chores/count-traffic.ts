import { upstreamPrices } from "../catalog/bundled/route-cost.ts";
import type { Configuration } from "../core/catalog/catalog.ts";
import type { Clock } from "../core/clock.ts";
import type { RefusalSum, RefusedRequest } from "../core/operations/refusals.ts";
import { routeName, type TrafficSlice, type UpstreamPrices } from "../core/operations/traffic.ts";
import type { Store } from "../core/store/ports.ts";
import type { Log } from "../observe/log.ts";
import type { RefusalBook } from "../observe/refusal-book.ts";
import type { CircuitChanges } from "../routing/circuit-changes.ts";
import { BackgroundChore, begin } from "./background-chore.ts";
import { FIRST_PACE, trafficPace } from "./traffic-pace.ts";

/** Between two slices the node rests at least so long. */
const LEAST_REST_MS = 20;
const IDLE_WRITE_MS = 60_000;
/** How many sums of refusals wait for a database that is away. */
const MOST_UNWRITTEN = 10_000;
/** How many refused requests wait for a database that is away, and how many are written at once. */
const MOST_REFUSED = 4000;
const REFUSED_AT_ONCE = 250;

interface TrafficCounterParts {
  readonly store: Pick<Store, "upkeep">;
  readonly log: Log;
  /** How often finished requests are counted. */
  readonly every_ms: number;
  readonly configuration: () => Configuration;
  readonly refusal_book: RefusalBook;
  /** The changes of this process's circuits that are to be written under its node's id. */
  readonly circuits: Pick<CircuitChanges, "unwritten" | "written">;
  readonly node_id: string;
  readonly openRequests: () => number;
  readonly clock: Pick<Clock, "now_ms">;
}

/**
 * Sums up finished requests by hour and day (docs/design/reports.md), in small slices with pauses, so that no call waits for it. Each slice is written
 * by one node of the database.
 */
class TrafficCounter {
  readonly #parts: TrafficCounterParts;
  readonly #chore: BackgroundChore;
  #written_ms = 0;
  /** Refusals that could not be written yet. */
  #unwritten: readonly RefusalSum[] = [];
  #refused: readonly RefusedRequest[] = [];
  #priced: { readonly of: Configuration; readonly prices_json: string } | null = null;

  constructor(parts: TrafficCounterParts) {
    this.#parts = parts;
    this.#chore = new BackgroundChore({
      every_ms: parts.every_ms,
      work: () => this.#count(),
      onFailure: (thrown) => parts.log.warn({ err: thrown }, "traffic could not be counted"),
    });
  }

  start(): void {
    this.#chore.start();
  }

  async stop(): Promise<void> {
    await this.#chore.stop();
    const { log } = this.#parts;
    await this.#writeRefusals().catch((thrown) => log.warn({ err: thrown }, "refusals could not be written"));
    await this.#writeCircuits().catch((thrown) => log.warn({ err: thrown }, "circuits could not be written"));
  }

  /** Writes the refusals. While the database is away they are kept for the next time, as far as there is room. */
  async #writeRefusals(): Promise<void> {
    const { refusal_book, store, log } = this.#parts;
    await this.#writeRefused();
    const sums = [...this.#unwritten, ...refusal_book.take()];
    if (sums.length === 0) return;
    this.#unwritten = sums.slice(0, MOST_UNWRITTEN);
    if (sums.length > MOST_UNWRITTEN) log.warn({ lost: sums.length - MOST_UNWRITTEN }, "refusals could not be kept");
    await store.upkeep.writeRefusals(this.#unwritten);
    this.#unwritten = [];
  }

  /** Writes refused requests one by one, in small steps: no call waits for a flood's. While the database is away the newest are kept. */
  async #writeRefused(): Promise<void> {
    const { refusal_book, store } = this.#parts;
    this.#refused = [...this.#refused, ...refusal_book.takeRequests()].slice(-MOST_REFUSED);
    while (this.#refused.length > 0) {
      await store.upkeep.writeRefusedRequests(this.#refused.slice(0, REFUSED_AT_ONCE));
      this.#refused = this.#refused.slice(REFUSED_AT_ONCE);
      if (this.#refused.length > 0) await this.#chore.rest(LEAST_REST_MS);
    }
  }

  /** Writes the changes of circuits. While the database is away the newest are kept for the next time. */
  async #writeCircuits(): Promise<void> {
    const { circuits, node_id, store } = this.#parts;
    const changes = circuits.unwritten();
    const last = changes.at(-1);
    if (last === undefined) return;
    await store.upkeep.writeCircuitChanges(node_id, changes);
    circuits.written(last.no);
  }

  async #count(): Promise<void> {
    const { store, clock, openRequests } = this.#parts;
    const { upkeep } = store;
    await this.#writeRefusals();
    await this.#writeCircuits();
    let { slice: limit } = FIRST_PACE;
    // The first slice has the embedded database write its waiting decisions; requests that end meanwhile are counted the next time.
    for (let written_only = false; ; written_only = true) {
      const began_ms = performance.now();
      const slice = await upkeep.readTrafficSlice({ limit, prices_json: this.#pricesJson(), written_only });
      if (!this.#isWorthWriting(slice)) return;
      // Another node has counted on: it goes on alone.
      if (!(await upkeep.writeTrafficSlice(slice))) return;
      this.#written_ms = slice.counted_ms;
      if (!slice.has_more) return;
      const pace = trafficPace(openRequests(), clock.now_ms() - slice.counted_ms);
      limit = pace.slice;
      await this.#chore.rest(Math.max(LEAST_REST_MS, (performance.now() - began_ms) * pace.rest_factor));
    }
  }

  /** A gateway without calls writes once a minute how far it has counted, and nothing else. */
  #isWorthWriting({ cells, wait, settled, counted_ms }: TrafficSlice): boolean {
    return cells.length + wait.length + settled.length > 0 || counted_ms - this.#written_ms >= IDLE_WRITE_MS;
  }

  #pricesJson(): string {
    const configuration = this.#parts.configuration();
    if (this.#priced?.of === configuration) return this.#priced.prices_json;
    const prices: Record<string, UpstreamPrices[string]> = {};
    for (const { id, routes } of configuration.models.values()) {
      for (const route of routes) {
        const known = upstreamPrices(route, configuration);
        if (known.length > 0) prices[routeName(id, route)] = known;
      }
    }
    const prices_json = JSON.stringify(prices);
    this.#priced = { of: configuration, prices_json };
    return prices_json;
  }
}

export function openTrafficCounter(parts: TrafficCounterParts, opened: AsyncDisposableStack): void {
  begin(new TrafficCounter(parts), opened);
}
