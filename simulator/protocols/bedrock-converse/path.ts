/** The parts of a path `/model/ID/converse-stream`, in which the id is URL-encoded. */
interface ConversePath {
  /** The simulated model, without the maker's name before it. */
  readonly model: string;
  readonly family: Family;
  readonly stream: boolean;
}

/** The maker whose fields a model takes besides Converse's common shape: `anthropic.reason`, `us.amazon.reason`. */
export type Family = "anthropic" | "amazon" | "openai" | "other";

const PATH = /\/model\/([^/]+)\/(converse|converse-stream)$/;
const MAKER = /^(?:[a-z]+\.)?(anthropic|amazon|openai)\./;

/** Reads a path; null for a path of another protocol. */
export function readPath(path: string): ConversePath | null {
  const [, encoded, operation] = PATH.exec(path) ?? [];
  if (encoded === undefined) return null;
  const id = decodeURIComponent(encoded);
  const maker = MAKER.exec(id);
  return {
    model: maker === null ? id : id.slice(maker[0].length),
    family: (maker?.[1] ?? "other") as Family,
    stream: operation === "converse-stream",
  };
}
