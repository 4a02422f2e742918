import type { Ask } from "./ask.ts";
import type { Performance } from "./performance.ts";
import { countTokens } from "./tokens.ts";

/** The most beginnings of prompts that are kept: prompts are free text. */
const MOST_PREFIXES = 100_000;

/** The prompt cache of a vendor, separate for each credential: a prompt that begins like an earlier one reads its beginning from the cache. */
export class PromptCache {
  readonly #known = new Set<string>();

  /** The performance with the longest known beginning of its prompt read from the cache. All of its beginnings are known from now on. */
  read(ask: Ask, performance: Performance, credential: string): Performance {
    const { usage } = performance;
    let tokens = 0;
    let cache_read = 0;
    let digest = Bun.hash(`${credential}\n${ask.model.full}`).toString(36);
    for (const text of ask.prompt) {
      tokens += countTokens(text);
      digest = Bun.hash(`${digest}\n${text}`).toString(36);
      if (this.#known.has(digest)) cache_read = tokens;
      else this.#keep(digest);
    }
    cache_read = Math.min(cache_read, usage.input);
    return { ...performance, usage: { ...usage, input: usage.input - cache_read, cache_read } };
  }

  #keep(digest: string): void {
    if (this.#known.size >= MOST_PREFIXES) this.#known.clear();
    this.#known.add(digest);
  }
}

/** The credential that a request carries; empty where it has none. */
export function credentialOf(headers: Headers): string {
  const own = headers.get("x-api-key") ?? headers.get("api-key") ?? headers.get("x-goog-api-key");
  return own ?? headers.get("authorization")?.replace(/^Bearer /, "") ?? "";
}
