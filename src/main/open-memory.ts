import { ContentCipher } from "../access/content-cipher.ts";
import { ResponseCipher } from "../access/response-cipher.ts";
import type { SubKeys } from "../access/sub-keys.ts";
import { type Configuration, DEFAULT_CACHE } from "../core/catalog/catalog.ts";
import { DEFAULT_CONTENT } from "../core/catalog/content-settings.ts";
import type { Clock } from "../core/clock.ts";
import type { Store } from "../core/store/ports.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import { AnswerCache } from "../pipeline/cache/answer-cache.ts";
import { ContentLog } from "../pipeline/contents/content-log.ts";
import { ResponseMemory } from "../pipeline/memory/response-memory.ts";

/**
 * How long responses wait, to be written together. SQLite's one writer commits the ledger's batches in between; on
 * PostgreSQL other gateways need the responses at once, and so do a gateway's other processes.
 */
const WRITE_AFTER_MS = { sqlite: 100, postgres: 0 } as const;
/** How long contents wait for others: nobody needs them at once. */
const CONTENTS_AFTER_MS = 100;
/** How long the gateway goes on writing responses when it stops. */
const PATIENCE_MS = 5000;

interface MemoryParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly keys: SubKeys;
  readonly log: Log;
  readonly metrics: Metrics;
  /** How many processes the gateway has that use this database; absent: one. */
  readonly processes?: number;
}

/** The memory of responses, the cache of answers and what was said; each null where the configuration switches it off. */
export function openMemories(parts: MemoryParts, configuration: Configuration, opened: AsyncDisposableStack) {
  return {
    memory: openMemory(parts, configuration, opened),
    cache: openCache(parts, configuration, opened),
    contents: openContents(parts, configuration, opened),
  };
}

/** The memory of responses (docs/adr/0017). */
function openMemory(
  { store, keys, clock, log, metrics, processes = 1 }: MemoryParts,
  { responses: { keep_ms } }: Configuration,
  opened: AsyncDisposableStack,
): ResponseMemory | null {
  if (keep_ms === 0) return null;
  const memory = new ResponseMemory({
    store: store.responses,
    cipher: new ResponseCipher(keys),
    keep_ms,
    write_after_ms: processes > 1 ? 0 : WRITE_AFTER_MS[store.kind],
    clock,
    log,
    metrics,
  });
  opened.defer(() => memory.close(PATIENCE_MS));
  metrics.gauge("camino_stored_responses_waiting", "Responses that wait to be stored.", () => memory.waiting);
  return memory;
}

/** What was said, where somebody switched that on (docs/rulings.md 184). */
function openContents(
  { store, keys, clock, log, metrics }: MemoryParts,
  { content_log: settings = DEFAULT_CONTENT }: Configuration,
  opened: AsyncDisposableStack,
): ContentLog {
  const cipher = new ContentCipher(keys);
  const contents = new ContentLog({
    ...{ store: store.responses, cipher, settings, write_after_ms: CONTENTS_AFTER_MS, clock, log, metrics },
  });
  opened.defer(() => contents.close());
  return contents;
}

/** The cache of answers (docs/rulings.md 183). */
function openCache(
  { store, keys, clock, log, metrics, processes = 1 }: MemoryParts,
  { cache: { keep_bytes } = DEFAULT_CACHE }: Configuration,
  opened: AsyncDisposableStack,
): AnswerCache | null {
  if (keep_bytes === 0) return null;
  const write_after_ms = processes > 1 ? 0 : WRITE_AFTER_MS[store.kind];
  const cipher = new ResponseCipher(keys);
  const cache = new AnswerCache({
    ...{ store: store.responses, cipher, keep_bytes, write_after_ms, clock, log, metrics },
  });
  opened.defer(() => cache.close());
  return cache;
}
