import type { ContentCipher } from "../../access/content-cipher.ts";
import type { ContentRow, ContentStore } from "../../core/answer/contents.ts";
import { byteLength } from "../../core/answer/sent-body.ts";
import type { ContentSettings } from "../../core/catalog/content-settings.ts";
import type { Clock } from "../../core/clock.ts";
import { WriteBehind } from "../../core/write-behind.ts";
import type { Log } from "../../observe/log.ts";
import type { Metrics } from "../../observe/metrics.ts";
import { ContentMasker } from "./mask-text.ts";
import { type KeptContent, maskedContent, type Said } from "./said.ts";

/** What an entry counts for beside its texts. */
const ENTRY_BYTES = 1024;
/** How soon after contents were written what is over is removed. */
const TRIM_AFTER_MS = 10_000;
const TRIM_STEP = 1000;
/** zstd's quickest level compresses to a third as well, in three quarters of the default's time. */
const LEVEL = 1;
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
  readonly #waiting: WriteBehind<Said>;
  #trim_timer: Timer | null = null;
  #trimming: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(deps: ContentLogDeps) {
    this.#deps = deps;
    this.#masker = new ContentMasker(deps.settings.masks);
    const { write_after_ms } = deps;
    this.#waiting = new WriteBehind({ bytesOf: sizeOf, put: (batch) => this.#put(batch), write_after_ms });
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
    const rows: ContentRow[] = [];
    try {
      for (const said of batch) rows.push(await this.#rowOf(said));
      await store.putContents(rows);
      metrics.contents.add(rows.length, "kept");
    } catch (thrown) {
      metrics.contents.add(batch.length, "failed");
      log.warn({ err: thrown }, "what was said could not be kept: it is dropped");
    }
    this.#trimSoon();
  }

  #trimSoon(): void {
    if (this.#closed || this.#trim_timer !== null) return;
    this.#trim_timer = setTimeout(() => {
      this.#trim_timer = null;
      this.#trimming = this.#trimming.then(() => this.trim());
    }, TRIM_AFTER_MS);
    this.#trim_timer.unref();
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
