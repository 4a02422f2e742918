import type { Configuration } from "../core/catalog/catalog.ts";
import { type ContentSettings, DEFAULT_CONTENT } from "../core/catalog/content-settings.ts";
import { type Clock, MS_PER_DAY } from "../core/clock.ts";
import { type AuditOutcome, type AuditState, DEFAULT_UPKEEP, type UpkeepSettings } from "../core/operations/upkeep.ts";
import type { Store } from "../core/store/ports.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { BackgroundChore, beating, begin } from "./background-chore.ts";
import { Retention } from "./retention.ts";
import { daySummer } from "./sum-days.ts";

const RETENTION_EVERY_MS = 10 * 60_000;
/** After a slice of an audit the node rests four times as long as it took, and at least this. */
const REST_FACTOR = 4;
const LEAST_REST_MS = 20;
/** Months are made long before their time. */
const MONTHS_EVERY_MS = 6 * 3_600_000;
const SHOWN_PROBLEMS = 10;
const MS_PER_HOUR = 3_600_000;

interface UpkeepParts {
  readonly store: Store;
  readonly settings: UpkeepSettings | undefined;
  /** How long contents are kept; absent: as `DEFAULT_CONTENT` says. */
  readonly content?: ContentSettings | undefined;
  readonly node_id: string;
  readonly log: Log;
  readonly metrics: Metrics;
  /** How often it is looked whether there is something to do. */
  readonly every_ms: number;
  /** The wall clock. */
  readonly now_ms: () => number;
}

/**
 * Audits the books once a day and deletes what is old (docs/design/audit.md), in small steps with pauses: no call waits for them. One node of a
 * database at a time does a chore; all show its outcome.
 */
export class Upkeep {
  readonly #parts: UpkeepParts;
  readonly #settings: UpkeepSettings;
  readonly #chore: BackgroundChore;
  readonly #retention: Retention;
  /** The last outcome is being read for the first time. */
  #reading: Promise<void> = Promise.resolve();
  #auditing = false;
  #last: AuditOutcome | null = null;
  #retained_ms = 0;
  #is_opened = false;
  /** When all coming months were there, by the wall clock. */
  #months_ms = 0;

  constructor(parts: UpkeepParts) {
    this.#parts = parts;
    this.#settings = parts.settings ?? DEFAULT_UPKEEP;
    const { metrics, log } = parts;
    this.#chore = new BackgroundChore({
      every_ms: parts.every_ms,
      work: () => this.#look().finally(() => (this.#auditing = false)),
      onFailure: (thrown) => log.error({ err: thrown }, "the audit or the deletion of old requests failed"),
    });
    const { store, node_id, now_ms, content = DEFAULT_CONTENT } = parts;
    this.#retention = new Retention({
      ...{ store, node_id, log, now_ms, settings: this.#settings, content, chore: this.#chore },
    });
    metrics.gauge(
      "camino_audit_problems",
      "Problems that the last audit of the books found; -1 before the first.",
      () => (this.#last === null ? -1 : this.#last.problems),
    );
    metrics.gauge(
      "camino_audit_timestamp_seconds",
      "When the last audit of the books ended, Unix time; 0 before the first.",
      () => (this.#last === null ? 0 : Math.round(this.#last.at_ms / 1000)),
    );
  }

  get state(): AuditState {
    return { hour: this.#settings.audit_hour, running: this.#auditing, last: this.#last };
  }

  /** Shows what the last audit found, also one before a restart, and looks from time to time what is due. */
  start(): void {
    this.#reading = this.#readOutcome().catch((thrown) => {
      this.#parts.log.warn({ err: thrown }, "the outcome of the last audit could not be read");
    });
    this.#chore.start();
  }

  /** Does what is due, unless something is being done. Resolves when it is done; never rejects. */
  look(): Promise<void> {
    return this.#chore.run();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#chore.stop(), this.#reading]);
  }

  async #look(): Promise<void> {
    const { store, node_id, now_ms } = this.#parts;
    if (!this.#is_opened) {
      await store.upkeep.openChore("audit", node_id);
      await store.upkeep.openChore("retention", node_id);
      this.#is_opened = true;
    }
    await this.#readOutcome();
    // Every node does so: a missing month must not wait for a node that died.
    if (now_ms() - this.#months_ms >= MONTHS_EVERY_MS) await this.#makeMonths();
    const { audit_hour } = this.#settings;
    if (
      audit_hour !== null &&
      (await store.upkeep.claimChore("audit", node_id, lastTimeOfHour(now_ms(), audit_hour)))
    ) {
      await this.#audit();
    }
    if (now_ms() - this.#retained_ms >= RETENTION_EVERY_MS) {
      this.#retained_ms = now_ms();
      if (await store.upkeep.claimChore("retention", node_id, now_ms() - RETENTION_EVERY_MS / 2))
        await this.#retention.run();
    }
  }

  async #makeMonths(): Promise<void> {
    const { store, log, now_ms } = this.#parts;
    if (await store.upkeep.makeMonths()) this.#months_ms = now_ms();
    else log.info("the coming months' parts of the requests are not made yet: somebody reads, and it is tried again");
  }

  /** The outcome of whichever node did the last audit. */
  async #readOutcome(): Promise<void> {
    const chore = await this.#parts.store.upkeep.readChore("audit");
    if (chore?.result != null) this.#last = JSON.parse(chore.result) as AuditOutcome;
  }

  async #audit(): Promise<void> {
    const { store, node_id, log } = this.#parts;
    this.#auditing = true;
    const isOurs = beating(store.upkeep, "audit", node_id);
    const report = await store.audit({
      pause: async (slice_ms) => {
        await this.#chore.rest(Math.max(LEAST_REST_MS, slice_ms * REST_FACTOR));
        if (!(await isOurs())) throw new Error("another node has taken over the audit");
      },
    });
    const { accounts, requests, problems, more, started_ms, ended_ms } = report;
    const outcome: AuditOutcome = {
      ...{ at_ms: ended_ms, duration_ms: ended_ms - started_ms, accounts, requests },
      problems: problems.length + more,
      first: problems.slice(0, SHOWN_PROBLEMS),
    };
    await store.upkeep.endChore("audit", node_id, JSON.stringify(outcome));
    this.#last = outcome;
    const { first, ...told } = outcome;
    if (outcome.problems === 0) log.info(told, "the books are right");
    else log.error({ ...told, first }, "the audit found problems in the books: see camino audit");
  }
}

/** Starts the upkeep of a database, and the sums of its days. */
export function openUpkeep(
  parts: Omit<UpkeepParts, "settings" | "content" | "now_ms"> & { readonly clock: Pick<Clock, "now_ms"> },
  { upkeep: settings, content_log: content }: Pick<Configuration, "upkeep" | "content_log">,
  opened: AsyncDisposableStack,
): Upkeep {
  const upkeep = begin(new Upkeep({ ...parts, settings, content, now_ms: parts.clock.now_ms }), opened);
  begin(daySummer(parts), opened);
  return upkeep;
}

/** When it was last this hour of the day, UTC. */
export function lastTimeOfHour(now_ms: number, hour: number): number {
  const today_ms = Math.floor(now_ms / MS_PER_DAY) * MS_PER_DAY + hour * MS_PER_HOUR;
  return today_ms <= now_ms ? today_ms : today_ms - MS_PER_DAY;
}
