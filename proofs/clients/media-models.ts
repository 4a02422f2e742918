import { PROTOCOLS, type VendorProtocol } from "./protocols.ts";

/** The protocols whose vendors embed, and those whose vendors draw and speak. */
const EMBED: readonly VendorProtocol[] = ["chat-completions", "gemini", "bedrock-converse"];
const DRAW: readonly VendorProtocol[] = ["chat-completions", "gemini"];

const BY_TOKENS = { input: 1, output: 4 };

/**
 * The models of each deployment that do not converse: `gemini/embed`, `gemini/draw`, `gemini/speak`, `chat-completions/listen`, and `ranking/rank` of
 * a vendor like Cohere.
 */
export function mediaModels(): [string, object][] {
  const tokens = { price: BY_TOKENS, max_completion_tokens: 8000 };
  return [
    ...EMBED.map((protocol): [string, object] => {
      const upstream_model = protocol === "bedrock-converse" ? "us.cohere.embed-v4:0.embed" : "embed";
      return [`${protocol}/embed`, { kind: "embedding", price: { input: 1 }, upstream_model }];
    }),
    ...DRAW.flatMap((protocol): [string, object][] => [
      [`${protocol}/draw`, { kind: "image", upstream_model: "draw-tokens", ...tokens }],
      [`${protocol}/speak`, { kind: "speech", upstream_model: "speak-tokens", ...tokens }],
    ]),
    ["chat-completions/listen", { kind: "transcription", upstream_model: "listen-tokens", ...tokens }],
    ["ranking/rank", { kind: "rerank", price: { searches: 2 }, upstream_model: "rank" }],
  ];
}

/** Vendor protocols in which embeddings, images and speech, dictation, or a client for ranking are not tried, each with the reason. */
export const NO_EMBEDDINGS = without(
  EMBED,
  "embeddings are tried with vendors of chat completions, Gemini and Bedrock",
);
export const NO_DRAWING = without(DRAW, "images are tried with vendors of chat completions and Gemini");
export const NO_LISTENING = without(
  ["chat-completions"],
  "speech and dictation are tried with vendors of chat completions",
);
export const NO_RANKING = without(["chat-completions"], "ranking has its own vendors and protocol, and is tried once");

function without(protocols: readonly VendorProtocol[], why: string): Partial<Record<VendorProtocol, string>> {
  return Object.fromEntries(PROTOCOLS.filter((each) => !protocols.includes(each)).map((each) => [each, why]));
}
