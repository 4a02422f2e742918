import { chunked } from "../../suites/http-wire/support/requests.ts";
import { Draw } from "../../torture/draw.ts";
import { mutateBytes } from "../inputs/mutate-bytes.ts";
import { HTTP_WORDS } from "../inputs/odd-values.ts";
import { type KeyChoice, type PlannedStep, RESPONSE_ID } from "./fuzz-case.ts";

export interface Writing {
  /** The batch's keys; those that are none have no entry. */
  readonly keys: Readonly<Partial<Record<KeyChoice, string>>>;
  /** The id of a response that the case was answered with before. */
  readonly response_id: string | null;
}

const NO_RESPONSE = "resp_0000000000000000000000";
const WRONG_KEY = "cm-0000000000000000000000000000000000000000000";

/** A planned request as bytes. */
export function writeStep(step: PlannedStep, { keys, response_id }: Writing): Buffer {
  const named = (text: string): string => text.replaceAll(RESPONSE_ID, response_id ?? NO_RESPONSE);
  const body = step.body?.includes(RESPONSE_ID) === true ? Buffer.from(named(step.body.toString())) : step.body;
  const framing =
    body === null ? [] : [step.chunk_sizes === null ? `content-length: ${body.length}` : "transfer-encoding: chunked"];
  const lines = [
    `${step.method} ${named(step.target)} HTTP/1.1`,
    "host: x",
    ...credential(step, keys),
    ...step.headers,
    ...framing,
  ];
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  const content = body === null ? [] : [step.chunk_sizes === null ? body : chunked(body, ...step.chunk_sizes)];
  const bytes = Buffer.concat([head, ...content]);
  if (step.mutation_seed === null) return bytes;
  return mutateBytes(bytes, new Draw(step.mutation_seed), { words: HTTP_WORDS, most_bytes: 1024 * 1024 });
}

function credential({ key, route }: PlannedStep, keys: Writing["keys"]): string[] {
  if (key === "none") return [];
  const text = keys[key] ?? WRONG_KEY;
  return route.startsWith("messages") ? [`x-api-key: ${text}`] : [`authorization: Bearer ${text}`];
}
