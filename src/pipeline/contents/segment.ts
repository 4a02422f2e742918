import type { ContentCipher } from "../../access/content-cipher.ts";
import type { ContentSegment, NewContent } from "../../core/answer/contents.ts";
import { packed, unpacked } from "../../core/packed.ts";
import type { KeptContent } from "./said.ts";

/** zstd's quickest level compresses as well as the default on several contents together. */
const LEVEL = 1;

/** What a segment holds: the contents of its requests, by their ids. */
export type SegmentContents = ReadonlyMap<string, KeptContent>;

/** A content that is to be kept, as text, with what it is found by. */
export interface WrittenContent {
  readonly facts: Omit<NewContent, "bytes">;
  /** JSON of a KeptContent. */
  readonly text: string;
}

/** Compresses and encrypts contents of an account as one. */
export async function segmentOf(
  cipher: ContentCipher,
  account_id: string,
  written: readonly WrittenContent[],
): Promise<ContentSegment> {
  const [first] = written;
  if (first === undefined) throw new Error("a segment holds at least one content");
  const segment_id = first.facts.request_id;
  const parts = written.map(({ facts, text }) => `${JSON.stringify(facts.request_id)}:${text}`);
  const content = await seal(cipher, { account_id, segment_id }, `{${parts.join(",")}}`);
  const length = written.reduce((sum, { text }) => sum + text.length, 0);
  const entries = written.map(({ facts, text }) => ({
    ...facts,
    bytes: Math.ceil((content.byteLength * text.length) / length),
  }));
  return { account_id, segment_id, content, entries };
}

interface SegmentIds {
  readonly account_id: string;
  readonly segment_id: string;
}

/** The bytes of a segment that is to hold these contents. */
export function sealContents(cipher: ContentCipher, place: SegmentIds, contents: SegmentContents): Promise<Uint8Array> {
  return seal(cipher, place, JSON.stringify(Object.fromEntries(contents)));
}

async function seal(cipher: ContentCipher, { account_id, segment_id }: SegmentIds, text: string): Promise<Uint8Array> {
  return await cipher.encrypt(account_id, segment_id, await packed(Buffer.from(text), LEVEL));
}

/** Null for a segment that cannot be read: it was changed, or encrypted under another secret, or for another account. */
export async function openSegment(
  cipher: ContentCipher,
  { account_id, segment_id }: SegmentIds,
  content: Uint8Array,
): Promise<SegmentContents | null> {
  const bytes = await cipher.decrypt(account_id, segment_id, content);
  if (bytes === null) return null;
  const contents: Record<string, KeptContent> = JSON.parse((await unpacked(bytes)).toString("utf8"));
  return new Map(Object.entries(contents));
}
