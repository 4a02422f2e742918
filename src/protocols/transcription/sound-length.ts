import type { IFormat } from "music-metadata";

/** How long a file of sound is, by its header and by its bytes. */
export interface SoundLength {
  /** The most seconds that the file can have: the hold covers them, and a vendor's count above them is not believed. */
  readonly most_seconds: number;
  /** The length that its header tells, if it can be believed, else the usual length of so many bytes: it is charged where a vendor counts nothing. */
  readonly likely_seconds: number;
}

/** The lowest usual rate, of speech in Opus: 6 kbit/s. */
const LEAST_BYTES_PER_SECOND = 750;
/** 512 kbit/s, beyond every lossy format of sound; with pictures, 40 Mbit/s. */
const MOST_BYTES_PER_SECOND = 64_000;
const MOST_WITH_PICTURES = 5_000_000;
/** 128 kbit/s. */
const USUAL_BYTES_PER_SECOND = 16_000;
/** The most bytes of a file that are headers, tags and tables. */
const BESIDE_BYTES = 512 * 1024;

/** Reads a file's header. Never rejects: a file that cannot be read is as long as its bytes allow (docs/rulings.md 228). */
export async function lengthOfSound(file: Uint8Array, content_type: string | null): Promise<SoundLength> {
  const bytes = file.byteLength;
  const format = await readHeader(file, content_type);
  const rate = samplesRate(format);
  const most_of_bytes = Math.ceil(bytes / (rate ?? LEAST_BYTES_PER_SECOND));
  const told = format?.duration;
  if (told === undefined || !(told > 0) || !holds(told, bytes, format, rate))
    return { most_seconds: most_of_bytes, likely_seconds: Math.ceil(bytes / (rate ?? USUAL_BYTES_PER_SECOND)) };
  const seconds = Math.max(1, Math.ceil(Math.min(told, bytes / LEAST_BYTES_PER_SECOND + 1)));
  return { most_seconds: seconds, likely_seconds: seconds };
}

/** Loaded with the first file of sound: a gateway that gets none need not hold the library in memory. */
const musicMetadata = () => import("music-metadata");

async function readHeader(file: Uint8Array, mimeType: string | null): Promise<IFormat | null> {
  try {
    const { parseBuffer } = await musicMetadata();
    const info = mimeType === null ? {} : { mimeType };
    const { format } = await parseBuffer(file, info, { duration: false, skipCovers: true, skipPostHeaders: true });
    return format;
  } catch {
    return null;
  }
}

/** Bytes of a second of raw samples; null for compressed sound, whose rate varies. */
function samplesRate(format: IFormat | null): number | null {
  const { codec, sampleRate, numberOfChannels, bitsPerSample } = format ?? {};
  if (codec === undefined || !/^PCM/i.test(codec)) return null;
  const rate = ((sampleRate ?? 0) * (numberOfChannels ?? 0) * (bitsPerSample ?? 0)) / 8;
  return rate > LEAST_BYTES_PER_SECOND ? rate : null;
}

/** Whether so many seconds can have so many bytes: a header that says less is not believed. */
function holds(seconds: number, bytes: number, format: IFormat | null, rate: number | null): boolean {
  const { hasVideo, lossless, sampleRate = 0, numberOfChannels = 0, bitsPerSample = 0 } = format ?? {};
  const unpacked = lossless === true ? (sampleRate * numberOfChannels * bitsPerSample) / 8 : 0;
  const most = rate ?? Math.max(unpacked, hasVideo === true ? MOST_WITH_PICTURES : MOST_BYTES_PER_SECOND);
  return seconds * most + BESIDE_BYTES >= bytes;
}
