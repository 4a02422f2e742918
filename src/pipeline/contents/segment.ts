import type { ContentCipher } from "../../access/content-cipher.ts";
import type { ContentSegment, NewContent } from "../../core/answer/contents.ts";
import type { KeptContent } from "./said.ts";

/** zstd's quickest level compresses as well as the default on several contents together. */
const LEVEL = 1;
/** Up to this size compressing takes less time than handing the text to another thread. */
const AT_ONCE_BYTES = 32 * 1024;

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
  written: readonly [WrittenContent, ...WrittenContent[]],
): Promise<ContentSegment> {
  const segment_id = written[0].facts.request_id;
  const parts = written.map(({ facts, text }) => `${JSON.stringify(facts.request_id)}:${text}`);
  const content = await seal(cipher, { account_id, segment_id }, `{${parts.join(",")}}`);
  const length = written.reduce((sum, { text }) => sum + text.length, 0);
  const entries = written.map(({ facts, text }) => ({
    ...facts,
    bytes: Math.ceil((content.byteLength * text.length) / length),
  }));
  return { account_id, segment_id, content, entries };
}

interface Place {
  readonly account_id: string;
  readonly segment_id: string;
}

/** The bytes of a segment that is to hold these contents. */
export function sealContents(cipher: ContentCipher, place: Place, contents: SegmentContents): Promise<Uint8Array> {
  return seal(cipher, place, JSON.stringify(Object.fromEntries(contents)));
}

async function seal(cipher: ContentCipher, { account_id, segment_id }: Place, text: string): Promise<Uint8Array> {
  const plain = Buffer.from(text);
  const options = { level: LEVEL };
  const at_once = plain.byteLength <= AT_ONCE_BYTES;
  const packed = at_once ? Bun.zstdCompressSync(plain, options) : await Bun.zstdCompress(plain, options);
  return await cipher.encrypt(account_id, segment_id, new Uint8Array(packed));
}

/** Null for a segment that cannot be read: it was changed, or encrypted under another secret, or for another account. */
export async function openSegment(
  cipher: ContentCipher,
  { account_id, segment_id }: Place,
  content: Uint8Array,
): Promise<SegmentContents | null> {
  const packed = await cipher.decrypt(account_id, segment_id, content);
  if (packed === null) return null;
  const contents: Record<string, KeptContent> = JSON.parse((await Bun.zstdDecompress(packed)).toString("utf8"));
  return new Map(Object.entries(contents));
}
