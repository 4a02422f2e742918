import type { ContentCipher } from "../../access/content-cipher.ts";
import type { ContentSegment, ContentStore } from "../../core/answer/contents.ts";
import { byteLength } from "../../core/answer/sent-body.ts";
import type { ContentSettings } from "../../core/catalog/content-settings.ts";
import type { Clock } from "../../core/clock.ts";
import { WriteBehind } from "../../core/write-behind.ts";
import type { Log } from "../../observe/log.ts";
import type { Metrics } from "../../observe/metrics.ts";
import { ContentMasker } from "./mask-text.ts";
import { maskedContent, type Said } from "./said.ts";
import { segmentOf, type WrittenContent } from "./segment.ts";

/** The memory that an entry counts for, beside its texts. */
const ENTRY_BYTES = 1024;
/** How soon after contents were written what is over is removed. */
const TRIM_AFTER_MS = 10_000;
/** How many segments one step removes. */
const TRIM_STEP = 16;
/** The most contents that are written together: with more, each costs less, and the turn in which they are masked is longer. */
const MOST_TOGETHER = 128;

export interface ContentLogDeps {
  readonly store: ContentStore;
  readonly cipher: ContentCipher;
  readonly settings: ContentSettings;
  readonly write_after_ms: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "contents">;
}

/**
 * What was said, where somebody switched that on (docs/rulings.md 184). No request waits for it: what was said is masked, encrypted and
 * written behind its answer. What cannot be written is counted, and the call goes on.
 */
export class ContentLog {
  readonly #deps: ContentLogDeps;
  readonly #masker: ContentMasker;
  readonly #waiting: WriteBehind<Said>;
  #trim_timer: Timer | null = null;
  #trimming: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(deps: ContentLogDeps) {
    this.#deps = deps;
    this.#masker = new ContentMasker(deps.settings.masks);
    const { write_after_ms } = deps;
    this.#waiting = new WriteBehind({
      ...{ bytesOf: sizeOf, put: (batch) => this.#put(batch), write_after_ms, most: MOST_TOGETHER },
    });
  }

  keep(said: Said): void {
    if (!this.#waiting.add(said.request_id, said)) this.#deps.metrics.contents.add(1, "no_room");
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#trim_timer !== null) clearTimeout(this.#trim_timer);
    await this.#waiting.close();
    await this.#trimming;
  }

  async #put(batch: readonly Said[]): Promise<void> {
    const { store, metrics, log } = this.#deps;
    try {
      await store.putContents(await this.#segmentsOf(batch));
      metrics.contents.add(batch.length, "kept");
    } catch (thrown) {
      metrics.contents.add(batch.length, "failed");
      log.warn({ err: thrown }, "what was said could not be kept: it is dropped");
    }
    this.#trimSoon();
  }

  async #segmentsOf(batch: readonly Said[]): Promise<ContentSegment[]> {
    const segments: ContentSegment[] = [];
    for (const [account_id, all] of Map.groupBy(batch, (said) => said.account_id)) {
      const written = all.map((said) => this.#write(said));
      segments.push(await segmentOf(this.#deps.cipher, account_id, written));
    }
    return segments;
  }

  #trimSoon(): void {
    if (this.#closed || this.#trim_timer !== null) return;
    this.#trim_timer = setTimeout(() => {
      this.#trim_timer = null;
      this.#trimming = this.#trimming.then(() => this.trim());
    }, TRIM_AFTER_MS);
    this.#trim_timer.unref();
  }

  #write(said: Said): WrittenContent {
    const { account_id, request_id, at_ms, key_id, model, endpoint, status, tags, user } = said;
    const user_key = user === null ? null : this.#deps.cipher.userKeyOf(account_id, user);
    return {
      facts: { request_id, at_ms, key_id, model, endpoint, status, tags, user_key },
      text: JSON.stringify(maskedContent(said, this.#masker)),
    };
  }

  /** Removes what is over, in small steps between which the ledger's batches run. */
  async trim(): Promise<void> {
    const { store, settings, clock, log } = this.#deps;
    const { keep_ms, most_bytes } = settings;
    try {
      const since_ms = clock.now_ms() - keep_ms;
      while (!this.#closed && (await store.trimContents(since_ms, most_bytes, TRIM_STEP)) === TRIM_STEP);
    } catch (thrown) {
      log.warn({ err: thrown }, "contents that are over could not be removed");
    }
  }
}

function sizeOf({ sent, answer }: Said): number {
  return ENTRY_BYTES + (sent === null ? 0 : bytesOf(sent)) + (answer === null ? 0 : byteLength(answer));
}

function bytesOf(sent: NonNullable<Said["sent"]>): number {
  if (typeof sent === "string" || sent instanceof Uint8Array) return byteLength(sent);
  let bytes = 0;
  for (const each of sent) bytes += each.length;
  return bytes;
}
