import type { ContentCipher } from "../../access/content-cipher.ts";
import type { ContentEntry, ContentQuery, ContentStore } from "../../core/answer/contents.ts";
import { openContent } from "./content-log.ts";
import type { KeptContent } from "./said.ts";

/** How many contents a search looks at before it gives back what it has found; the next page goes on from there. */
const MOST_SEARCHED = 1000;
/** How many are read together: for words, their contents are opened. */
const STEP = 50;

export interface ContentSearch extends Omit<ContentQuery, "user_key"> {
  /** The end user's id, as the requests had it. */
  readonly user?: string;
  readonly tag?: { readonly name: string; readonly value: string };
  /** Words that must all stand in what was sent or answered, in any case. */
  readonly words?: readonly string[];
}

export interface FoundContents {
  readonly entries: readonly ContentEntry[];
  /** From where the next page goes on; null after the last content. */
  readonly next_before: string | null;
}

/** Finds and opens what was said (docs/rulings.md 184). */
export class ContentReader {
  readonly #store: ContentStore;
  readonly #cipher: ContentCipher;

  constructor(store: ContentStore, cipher: ContentCipher) {
    this.#store = store;
    this.#cipher = cipher;
  }

  /** Newest first. A search for words opens contents here: no index knows them. */
  async find({ user, tag, words = [], limit, ...asked }: ContentSearch): Promise<FoundContents> {
    const { account_id } = asked;
    const by_user = user === undefined ? {} : { user_key: this.#cipher.userKeyOf(account_id, user) };
    const entries: ContentEntry[] = [];
    let { before_id } = asked;
    for (let searched = 0; searched < MOST_SEARCHED; ) {
      const place = before_id === undefined ? {} : { before_id };
      const page = await this.#store.listContents({ ...asked, ...by_user, ...place, limit: STEP });
      const fitting = tag === undefined ? page : page.filter((entry) => hasTag(entry, tag));
      const found = words.length === 0 ? fitting : await this.#withWords(account_id, fitting, words);
      for (const entry of found) {
        if (entries.length === limit) return { entries, next_before: entries.at(-1)?.request_id ?? null };
        entries.push(entry);
      }
      if (page.length < STEP) return { entries, next_before: null };
      before_id = page.at(-1)?.request_id;
      searched += page.length;
    }
    return { entries, next_before: before_id ?? null };
  }

  /** What one request said; null where nothing is kept of it. `content` is null where it cannot be opened. */
  async show(
    account_id: string,
    request_id: string,
  ): Promise<{ readonly entry: ContentEntry; readonly content: KeptContent | null } | null> {
    const [entry] = await this.#store.listContents({ account_id, request_id, limit: 1 });
    if (entry === undefined) return null;
    const [read] = await this.#store.readContents(account_id, [request_id]);
    if (read === undefined) return null;
    return { entry, content: await openContent(this.#cipher, account_id, request_id, read.content) };
  }

  async open(account_id: string, request_ids: readonly string[]): Promise<ReadonlyMap<string, KeptContent | null>> {
    const opened = new Map<string, KeptContent | null>();
    for (const { request_id, content } of await this.#store.readContents(account_id, request_ids))
      opened.set(request_id, await openContent(this.#cipher, account_id, request_id, content));
    return opened;
  }

  /** Deletes what one request said, or all that is kept of one end user. Resolves with how many contents went. */
  async remove(
    account_id: string,
    which: { readonly request_id: string } | { readonly user: string },
  ): Promise<number> {
    if ("request_id" in which) return await this.#store.deleteContents(account_id, which, 1);
    const user_key = this.#cipher.userKeyOf(account_id, which.user);
    for (let total = 0; ; ) {
      const count = await this.#store.deleteContents(account_id, { user_key }, STEP);
      total += count;
      if (count < STEP) return total;
    }
  }

  async #withWords(
    account_id: string,
    entries: readonly ContentEntry[],
    words: readonly string[],
  ): Promise<ContentEntry[]> {
    if (entries.length === 0) return [];
    const opened = await this.open(
      account_id,
      entries.map(({ request_id }) => request_id),
    );
    return entries.filter(({ request_id }) => {
      const content = opened.get(request_id);
      if (content == null) return false;
      const text = `${readable(content.sent)}\n${readable(content.answer)}`.toLowerCase();
      return words.every((word) => text.includes(word.toLowerCase()));
    });
  }
}

function hasTag({ tags }: ContentEntry, { name, value }: { readonly name: string; readonly value: string }): boolean {
  const all: Readonly<Record<string, string>> = tags === null ? {} : JSON.parse(tags);
  return (Object.hasOwn(all, name) ? all[name] : "") === value;
}

/** All texts of a JSON, so that words are found as they were said, whatever was escaped. */
function readable(text: string | null): string {
  if (text === null) return "";
  const texts: string[] = [];
  try {
    JSON.parse(text, (_name, value: unknown) => {
      if (typeof value === "string") texts.push(value);
    });
  } catch {
    return text;
  }
  return texts.join("\n");
}
