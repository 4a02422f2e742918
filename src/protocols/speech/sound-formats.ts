import type { OutputMedia } from "../../core/answer/exchange.ts";

/** The formats in which speech is asked for, with the type of an answer in each. */
export const SOUND_TYPES = {
  mp3: "audio/mpeg",
  opus: "audio/opus",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm",
} as const;
export type SoundFormat = keyof typeof SOUND_TYPES;
export const SOUND_FORMATS = Object.keys(SOUND_TYPES) as readonly SoundFormat[];
/** The format of a request that names none. */
export const USUAL_FORMAT: SoundFormat = "mp3";

/** Bytes of a second of speech, about: what vendors send today. Sound of 16 bits at 24,000 a second has 48,000. */
const BYTES_PER_SECOND: Readonly<Record<SoundFormat, number>> = {
  mp3: 16_000,
  opus: 8_000,
  aac: 16_000,
  flac: 30_000,
  wav: 48_000,
  pcm: 48_000,
};
/** Vendors of today make 20 to 25 tokens for a second of speech; an estimate takes the fewest. */
const TOKENS_PER_SECOND = 20;

/** The estimated tokens of speech of this size, which are charged where a vendor that counts tokens tells none. */
export function soundMedia(bytes: number, format: SoundFormat): OutputMedia | undefined {
  if (bytes === 0) return undefined;
  return { part: "output_audio", tokens: Math.ceil((bytes / BYTES_PER_SECOND[format]) * TOKENS_PER_SECOND) };
}

const SAMPLE_BYTES = 2;
const HEADER_BYTES = 44;

/** The header of a WAV file of one channel of 16-bit samples. */
export function wavHeader(data_bytes: number, samples_per_second: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write("RIFF", 0);
  header.writeUInt32LE(HEADER_BYTES - 8 + data_bytes, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(samples_per_second, 24);
  header.writeUInt32LE(samples_per_second * SAMPLE_BYTES, 28);
  header.writeUInt16LE(SAMPLE_BYTES, 32);
  header.writeUInt16LE(SAMPLE_BYTES * 8, 34);
  header.write("data", 36);
  header.writeUInt32LE(data_bytes, 40);
  return header;
}
