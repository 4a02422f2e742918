import type { ContentCipher } from "../../access/content-cipher.ts";
import type { ContentRow, ContentStore } from "../../core/answer/contents.ts";
import { byteLength } from "../../core/answer/sent-body.ts";
import type { ContentSettings } from "../../core/catalog/content-settings.ts";
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../observe/log.ts";
import type { Metrics } from "../../observe/metrics.ts";
import { ContentMasker } from "./mask-text.ts";
import { type KeptContent, maskedContent, type Said } from "./said.ts";

/** How much may wait in this process: while the database cannot be written, further contents are dropped. */
const WAITING_BYTES = 32 * 2 ** 20;
/** What an entry counts for beside its texts. */
const ENTRY_BYTES = 1024;
/** The size of one transaction: where there is one writer, the ledger's batches wait for it. */
const BATCH = 16;
const BATCH_BYTES = 2 ** 20;
/** How soon after enough contents were written what is over is removed. */
const TRIM_AFTER_MS = 10_000;
/** To know what is over, the sizes of all contents are added up: not before this share of what may be kept was written here. */
const TRIM_SHARE = 100;
const TRIM_STEP = 1000;
/** Level 3 is zstd's default: it compresses to a third, at hundreds of megabytes a second. */
const LEVEL = 3;
/** Up to this size compressing takes less time than handing the text to another thread. */
const AT_ONCE_BYTES = 32 * 1024;

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
  #waiting: Said[] = [];
  #bytes = 0;
  /** Written since what is over was last removed. */
  #written_bytes = 0;
  #writing: Promise<void> | null = null;
  #trim_timer: Timer | null = null;
  #trimming: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(deps: ContentLogDeps) {
    this.#deps = deps;
    this.#masker = new ContentMasker(deps.settings.masks);
  }

  /** Keeps what was said, in the background. */
  keep(said: Said): void {
    const { metrics, write_after_ms } = this.#deps;
    const bytes = sizeOf(said);
    if (this.#closed || this.#bytes + bytes > WAITING_BYTES) return metrics.contents.add(1, "no_room");
    this.#waiting.push(said);
    this.#bytes += bytes;
    this.#writing ??= Bun.sleep(write_after_ms).then(() => this.#write());
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#trim_timer !== null) clearTimeout(this.#trim_timer);
    await this.#writing;
    await this.#trimming;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      await this.#put(batch);
      this.#waiting = this.#waiting.slice(batch.length);
      for (const said of batch) this.#bytes -= sizeOf(said);
    }
    this.#writing = null;
    const is_due = this.#written_bytes * TRIM_SHARE >= this.#deps.settings.most_bytes;
    if (this.#closed || this.#trim_timer !== null || !is_due) return;
    this.#written_bytes = 0;
    this.#trim_timer = setTimeout(() => {
      this.#trim_timer = null;
      this.#trimming = this.#trimming.then(() => this.trim());
    }, TRIM_AFTER_MS);
    this.#trim_timer.unref();
  }

  #nextBatch(): readonly Said[] {
    let bytes = 0;
    const end = this.#waiting.findIndex((said, index) => {
      bytes += sizeOf(said);
      return index > 0 && (index === BATCH || bytes > BATCH_BYTES);
    });
    return end === -1 ? this.#waiting.slice() : this.#waiting.slice(0, end);
  }

  async #put(batch: readonly Said[]): Promise<void> {
    const { store, metrics, log } = this.#deps;
    const rows: ContentRow[] = [];
    try {
      for (const said of batch) rows.push(await this.#rowOf(said));
      await store.putContents(rows);
      metrics.contents.add(rows.length, "kept");
      for (const { content } of rows) this.#written_bytes += content.byteLength;
    } catch (thrown) {
      metrics.contents.add(batch.length, "failed");
      log.warn({ err: thrown }, "what was said could not be kept: it is dropped");
    }
  }

  async #rowOf(said: Said): Promise<ContentRow> {
    const { cipher } = this.#deps;
    const { account_id, request_id, at_ms, key_id, model, endpoint, status, tags, user } = said;
    const plain = Buffer.from(JSON.stringify(maskedContent(said, this.#masker)));
    const options = { level: LEVEL };
    const at_once = plain.byteLength <= AT_ONCE_BYTES;
    const packed = at_once ? Bun.zstdCompressSync(plain, options) : await Bun.zstdCompress(plain, options);
    return {
      ...{ account_id, request_id, at_ms, key_id, model, endpoint, status, tags },
      user_key: user === null ? null : cipher.userKeyOf(account_id, user),
      content: await cipher.encrypt(account_id, request_id, new Uint8Array(packed)),
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

/** Null for what cannot be read: it was changed, or encrypted under another secret, or for another account. */
export async function openContent(
  cipher: ContentCipher,
  account_id: string,
  request_id: string,
  content: Uint8Array,
): Promise<KeptContent | null> {
  const packed = await cipher.decrypt(account_id, request_id, content);
  return packed === null ? null : JSON.parse((await Bun.zstdDecompress(packed)).toString("utf8"));
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
