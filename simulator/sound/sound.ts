import { words } from "../performance.ts";

/** A request for speech in a form common to all vendors. */
export interface AskedSpeech {
  readonly text: string;
  readonly format: "mp3" | "wav" | "pcm";
  /** Whether the sound is asked for in events. */
  readonly events: boolean;
}

export const SAMPLE_RATE = 24_000;
const SECONDS_PER_WORD = 0.25;
const SAMPLES_PER_WORD = SAMPLE_RATE * SECONDS_PER_WORD;
const SAMPLE_BYTES = 2;
/** Frames of MP3 (MPEG 1, layer III, 128 kbit/s, 44,100 Hz, one channel), each of 1,152 samples. */
const MP3_FRAME_BYTES = 417;
const MP3_FRAMES_PER_WORD = 10;
const MP3_HEAD = [0xff, 0xfb, 0x90, 0xc4] as const;
const TOKENS_PER_SECOND = 20;

/** The sound of a text in pieces, a word each, after a head where the format has one: a tone for each word, and silence in MP3. */
export function soundOf({ text, format }: AskedSpeech): Uint8Array[] {
  const spoken = wordsOf(text);
  if (format === "mp3") return spoken.map(() => silentFrames());
  const tones = spoken.map(toneOf);
  return format === "pcm" ? tones : [wavHead(tones.length * SAMPLES_PER_WORD * SAMPLE_BYTES), ...tones];
}

/** How long a text is when it is spoken. */
function spokenSeconds(text: string): number {
  return wordsOf(text).length * SECONDS_PER_WORD;
}

export function spokenTokens(text: string): number {
  return Math.ceil(spokenSeconds(text) * TOKENS_PER_SECOND);
}

/** A text has a word, whatever it has. */
function wordsOf(text: string): string[] {
  const found = words(text);
  return found.length === 0 ? [text] : found;
}

/** A tone between A3 and A4 that is the word's own, swelling and fading. */
function toneOf(word: string): Uint8Array {
  const hertz = 220 + (Number(Bun.hash.xxHash32(word.trim().toLowerCase())) % 220);
  const bytes = Buffer.alloc(SAMPLES_PER_WORD * SAMPLE_BYTES);
  for (let at = 0; at < SAMPLES_PER_WORD; at += 1) {
    const loudness = Math.sin((Math.PI * at) / SAMPLES_PER_WORD) * 8000;
    bytes.writeInt16LE(Math.round(loudness * Math.sin((2 * Math.PI * hertz * at) / SAMPLE_RATE)), at * SAMPLE_BYTES);
  }
  return bytes;
}

function wavHead(data_bytes: number): Uint8Array {
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + data_bytes, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(SAMPLE_RATE, 24);
  head.writeUInt32LE(SAMPLE_RATE * SAMPLE_BYTES, 28);
  head.writeUInt16LE(SAMPLE_BYTES, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(data_bytes, 40);
  return head;
}

function silentFrames(): Uint8Array {
  const frames = Buffer.alloc(MP3_FRAME_BYTES * MP3_FRAMES_PER_WORD);
  for (let frame = 0; frame < MP3_FRAMES_PER_WORD; frame += 1) frames.set(MP3_HEAD, frame * MP3_FRAME_BYTES);
  return frames;
}

/** A file of sound that was sent, in a form common to all vendors. */
export interface AskedHearing {
  readonly seconds: number;
  readonly prompt: string;
  readonly format: string;
  readonly translates: boolean;
}

const MP3_BYTES_PER_SECOND = 16_000;
const HEARD_TOKENS_PER_SECOND = 10;

/** How long a file is: a WAV file by its header, any other as MP3 of 128 kbit/s. */
export function secondsOf(file: Uint8Array): number {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (bytes.toString("latin1", 0, 4) !== "RIFF") return bytes.length / MP3_BYTES_PER_SECOND;
  return (bytes.length - 44) / bytes.readUInt32LE(28);
}

export function soundTokens(seconds: number): number {
  return Math.ceil(seconds * HEARD_TOKENS_PER_SECOND);
}

/** What is heard: the simulator cannot listen, and says how long it would have. */
export function heardText({ seconds, translates }: AskedHearing): string {
  return `${translates ? "In English: a" : "A"} recording of ${seconds.toFixed(1)} seconds.`;
}
