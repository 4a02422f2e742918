/** A file of sound that was sent, in a form common to all vendors. */
export interface AskedHearing {
  readonly seconds: number;
  readonly prompt: string;
  readonly format: string;
  readonly translates: boolean;
}

const MP3_BYTES_PER_SECOND = 16_000;
const TOKENS_PER_SECOND = 10;

/** How long a file is: a WAV file by its header, any other as MP3 of 128 kbit/s. */
export function secondsOf(file: Uint8Array): number {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (bytes.toString("latin1", 0, 4) !== "RIFF") return bytes.length / MP3_BYTES_PER_SECOND;
  return (bytes.length - 44) / bytes.readUInt32LE(28);
}

export function soundTokens(seconds: number): number {
  return Math.ceil(seconds * TOKENS_PER_SECOND);
}

/** What is heard: the simulator cannot listen, and says how long it would have. */
export function heardText({ seconds, translates }: AskedHearing): string {
  return `${translates ? "In English: a" : "A"} recording of ${seconds.toFixed(1)} seconds.`;
}
