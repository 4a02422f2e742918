/** The calls beside chat that the bench makes: an application's batch of embeddings, and speech as it streams. */

export const MEDIA = ["embedding", "speech"] as const;
export type Media = (typeof MEDIA)[number];

/** The endpoints' paths below the base URL. */
export const MEDIA_PATHS: Readonly<Record<Media, string>> = { embedding: "/embeddings", speech: "/audio/speech" };

/** As a gateway's catalogue has them. */
export const MEDIA_MODELS: Readonly<Record<Media, object>> = {
  embedding: { kind: "embedding", price: { input: 1 } },
  speech: { kind: "speech", price: { input_characters: 15 } },
};

const INPUTS = 100;
const INPUT_TOKENS = 500;
const DIMENSIONS = 1536;
/** Four bytes of text to a token, as in English. */
const INPUT = "A river finds its way to the sea. "
  .repeat(Math.ceil((INPUT_TOKENS * 4) / 34))
  .slice(0, INPUT_TOKENS * 4);

export function mediaRequest(model: string, media: Media): string {
  if (media === "speech") return JSON.stringify({ model, input: INPUT, voice: "coral", response_format: "wav" });
  const input = Array.from({ length: INPUTS }, (_, index) => `${index} ${INPUT}`);
  // Floats as base64, as OpenAI's SDKs ask for them where nobody says otherwise.
  return JSON.stringify({ model, input, encoding_format: "base64" });
}

/** A vendor's answer to the batch: 100 vectors of 1,536 dimensions, 820 kB. */
export function embeddingAnswer(model: string): string {
  const vector = Buffer.from(Float32Array.from({ length: DIMENSIONS }, (_, at) => Math.sin(at) / 40).buffer);
  const embedding = vector.toString("base64");
  const data = Array.from({ length: INPUTS }, (_, index) => ({ object: "embedding", index, embedding }));
  const tokens = INPUTS * INPUT_TOKENS;
  return JSON.stringify({ object: "list", data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } });
}

/** Half a minute of sound in the pieces in which a vendor sends it: 44 of 16 KiB. */
export const SOUND_PIECES = 44;
export const SOUND_PIECE = new Uint8Array(16 * 1024).map((_, at) => (at * 7) % 251);

/** The error in an answer's body; null when all of it is there. */
export function mediaObjection(text: string, media: Media): string | null {
  if (media === "speech") {
    const missing = SOUND_PIECES * SOUND_PIECE.length - text.length;
    return missing === 0 ? null : `${missing} bytes of sound are missing`;
  }
  if (!text.includes(`"prompt_tokens":${INPUTS * INPUT_TOKENS}`)) return "the usage is missing";
  return text.includes(`"index":${INPUTS - 1}`) ? null : "vectors are missing";
}
