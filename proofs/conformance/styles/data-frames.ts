import { type Fields, isFields } from "../read-fields.ts";

/** The JSON objects of a stream that its grammar has accepted, without `[DONE]` and comments. */
export function dataOf(stream: string): Fields[] {
  return stream
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line): unknown => JSON.parse(line.slice("data: ".length)))
    .filter(isFields);
}
