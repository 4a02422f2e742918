/** What a path asks for: `/v1beta/models/NAME:streamGenerateContent`, below Vertex AI's projects as well. */
export interface GeminiPath {
  readonly model: string;
  readonly stream: boolean;
  /** Vertex AI, which knows no ids of calls. */
  readonly vertex: boolean;
}

const PATH = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

/** Null for a path of another protocol. */
export function readPath(path: string): GeminiPath | null {
  const [, model, method] = PATH.exec(path) ?? [];
  if (model === undefined) return null;
  return {
    model: decodeURIComponent(model),
    stream: method === "streamGenerateContent",
    vertex: path.includes("/projects/"),
  };
}
