import type { ContentSettings } from "../core/catalog/content-settings.ts";
import { MS_PER_DAY } from "../core/clock.ts";
import { KEPT_DAYS, MOST_TAG_VALUES, type UpkeepSettings } from "../core/operations/upkeep.ts";
import type { Store } from "../core/store/ports.ts";
import type { Log } from "../observe/log.ts";
import { type BackgroundChore, beating } from "./background-chore.ts";

/** Between two steps of a deletion. */
const STEP_REST_MS = 100;
/** Segments, of up to 128 contents each. */
const CONTENTS_STEP = 16;
/** How often in a row a month is tried to be dropped while requests are being read: a report takes half a minute at most. */
const DROPS_TRIED = 40;
const DROP_REST_MS = 1000;

interface RetentionParts {
  readonly store: Pick<Store, "deliveries" | "responses" | "upkeep">;
  readonly settings: Pick<UpkeepSettings, "request_days" | "answer_bytes">;
  readonly content: Pick<ContentSettings, "keep_ms" | "most_bytes">;
  readonly node_id: string;
  readonly log: Log;
  /** The chore that the deletions are a part of, and stop with. */
  readonly chore: Pick<BackgroundChore, "rest">;
  /** The wall clock. */
  readonly now_ms: () => number;
}

/** Deletes what is older than it is kept (docs/design/audit.md), in small steps with pauses. */
export class Retention {
  readonly #parts: RetentionParts;
  /** How far the oldest month is noted: a later run goes on from there. */
  #noted_id = "";

  constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  /** Does what is due. The caller has claimed the chore `retention`. */
  async run(): Promise<void> {
    const { store, node_id, log, now_ms, settings, content } = this.#parts;
    const { upkeep } = store;
    const { request_days, answer_bytes } = settings;
    const keptSince = (days: number): number => now_ms() - days * MS_PER_DAY;
    let requests = 0;
    if (request_days !== null) {
      // Whole days go: a day's usage is compared with all of its requests, or with the entries.
      const kept_since_ms = Math.floor(now_ms() / MS_PER_DAY - request_days) * MS_PER_DAY;
      await this.#dropMonths(kept_since_ms);
      requests = await this.#repeat(() => upkeep.dropRequests(kept_since_ms));
    }
    const answers = await this.#repeat(() => upkeep.dropAnswers(answer_bytes));
    await this.#repeat(() =>
      store.responses.trimContents(now_ms() - content.keep_ms, content.most_bytes, CONTENTS_STEP),
    );
    await this.#repeat(() => upkeep.dropRefusals(keptSince(KEPT_DAYS.refusals)));
    await this.#repeat(() => upkeep.dropRefusedRequests(keptSince(KEPT_DAYS.refusals)));
    await this.#repeat(() => upkeep.dropCircuitChanges(keptSince(KEPT_DAYS.circuit_changes)));
    await this.#repeat(() => upkeep.dropVendorSlots(keptSince(KEPT_DAYS.vendor_slots)));
    await this.#repeat(() => upkeep.dropTraffic(keptSince(KEPT_DAYS.traffic_hours)));
    await this.#repeat(async () => {
      const unneeded = await upkeep.unneededTagValues(MOST_TAG_VALUES);
      return unneeded === null ? 0 : await upkeep.dropTagValues(unneeded);
    });
    await this.#repeat(() =>
      store.deliveries.dropDeliveries(keptSince(KEPT_DAYS.deliveries), keptSince(KEPT_DAYS.usage_deliveries)),
    );
    await upkeep.endChore("retention", node_id, JSON.stringify({ requests, answers }));
    if (requests + answers > 0) log.info({ requests, answers }, "deleted old requests and kept answers");
  }

  /** Drops the months that are past, each when all of it is noted. */
  async #dropMonths(kept_since_ms: number): Promise<void> {
    const { store, log, chore } = this.#parts;
    let waited = 0;
    await this.#repeat(async () => {
      const noted = await store.upkeep.noteMonth(kept_since_ms, this.#noted_id);
      if (noted === null) return 0;
      this.#noted_id = noted.last_id;
      if (noted.requests > 0) return noted.requests;
      if (await store.upkeep.dropMonth(noted, kept_since_ms)) {
        waited = 0;
        log.info({ month: noted.month }, "dropped a month of old requests");
        return 1;
      }
      waited += 1;
      if (waited === DROPS_TRIED) return 0;
      await chore.rest(DROP_REST_MS);
      return 1;
    });
  }

  async #repeat(step: () => Promise<number>): Promise<number> {
    const { store, node_id, chore } = this.#parts;
    const isOurs = beating(store.upkeep, "retention", node_id);
    let total = 0;
    for (;;) {
      const count = await step();
      total += count;
      if (count === 0) return total;
      await chore.rest(STEP_REST_MS);
      if (!(await isOurs())) return total;
    }
  }
}
