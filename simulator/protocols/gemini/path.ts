/** The parts of a path `/v1beta/models/NAME:streamGenerateContent`, also below a Vertex AI project. */
interface GeminiPath {
  readonly model: string;
  readonly stream: boolean;
  /** Whether the path is Vertex AI's, which has no call ids. */
  readonly vertex: boolean;
}

const PATH = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

/** Reads a path; null for a path of another protocol. */
export function readPath(path: string): GeminiPath | null {
  const [, model, method] = PATH.exec(path) ?? [];
  if (model === undefined) return null;
  return {
    model: decodeURIComponent(model),
    stream: method === "streamGenerateContent",
    vertex: path.includes("/projects/"),
  };
}
