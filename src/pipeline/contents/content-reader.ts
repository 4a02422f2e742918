import type { ContentCipher } from "../../access/content-cipher.ts";
import type { ContentEntry, ContentQuery, ContentStore, KeptSegment } from "../../core/answer/contents.ts";
import type { KeptContent } from "./said.ts";
import { openSegment, sealContents } from "./segment.ts";

/** How many contents a search looks at before it gives back what it has found; the next page goes on from there. */
const MOST_SEARCHED = 1000;
/** How often a deletion looks again for contents that others have changed in between. */
const MOST_TRIES = 20;
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
    const [entry] = await this.#store.findContents(account_id, { request_id }, 1);
    if (entry === undefined) return null;
    const opened = await this.open(account_id, [entry]);
    return opened.has(request_id) ? { entry, content: opened.get(request_id) ?? null } : null;
  }

  /** What these said, by their requests' ids. Without those whose segment is gone meanwhile. */
  async open(account_id: string, entries: readonly ContentEntry[]): Promise<ReadonlyMap<string, KeptContent | null>> {
    const opened = new Map<string, KeptContent | null>();
    const by_segment = Map.groupBy(entries, ({ segment_id }) => segment_id);
    for (const { segment_id, content } of await this.#store.readSegments(account_id, [...by_segment.keys()])) {
      const contents = await openSegment(this.#cipher, { account_id, segment_id }, content);
      for (const { request_id } of by_segment.get(segment_id) ?? [])
        opened.set(request_id, contents?.get(request_id) ?? null);
    }
    return opened;
  }

  /** Deletes what one request said, or all that is kept of one end user. Resolves with how many contents went. */
  async remove(
    account_id: string,
    which: { readonly request_id: string } | { readonly user: string },
  ): Promise<number> {
    const found_by = "request_id" in which ? which : { user_key: this.#cipher.userKeyOf(account_id, which.user) };
    let total = 0;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const found = await this.#store.findContents(account_id, found_by, STEP);
      if (found.length === 0) return total;
      const before = total;
      const by_segment = Map.groupBy(found, ({ segment_id }) => segment_id);
      const segments = await this.#store.readSegments(account_id, [...by_segment.keys()]);
      for (const segment of segments)
        total += await this.#cut(account_id, segment, by_segment.get(segment.segment_id) ?? []);
      if (total > before) tries = 0;
    }
    throw new Error("contents that are to be deleted are changed by others all the time");
  }

  /** Writes a segment anew without some of its contents. Resolves with how many went: none where others changed it meanwhile. */
  async #cut(account_id: string, segment: KeptSegment, gone: readonly ContentEntry[]): Promise<number> {
    const { segment_id, version } = segment;
    const place = { account_id, segment_id };
    const opened = await openSegment(this.#cipher, place, segment.content);
    // A segment that cannot be opened is deleted whole: nothing can be cut out of it.
    const left = new Map(opened ?? []);
    for (const { request_id } of gone) left.delete(request_id);
    const content = left.size === 0 ? null : await sealContents(this.#cipher, place, left);
    const cut = { segment_id, version, content, left_ids: [...left.keys()], gone };
    return (await this.#store.cutSegment(account_id, cut)) ? gone.length : 0;
  }

  async #withWords(
    account_id: string,
    entries: readonly ContentEntry[],
    words: readonly string[],
  ): Promise<ContentEntry[]> {
    if (entries.length === 0) return [];
    const opened = await this.open(account_id, entries);
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
