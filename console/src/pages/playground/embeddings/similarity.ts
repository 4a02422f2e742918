import { asObject, parse } from "../wire/failure.ts";

/** The vectors of an answer in the shape of `POST /v1/embeddings`, in the order of their texts. */
export function readVectors(text: string): number[][] {
  const { data } = asObject(parse(text));
  const found = Array.isArray(data) ? data.map(asObject) : [];
  return found
    .toSorted((one, other) => Number(one.index ?? 0) - Number(other.index ?? 0))
    .flatMap(({ embedding }) => (Array.isArray(embedding) ? [embedding.map(Number)] : []));
}

/** The cosine of the angle between two vectors: 1 alike, 0 unlike. 0 where one has no direction. */
export function similarity(one: readonly number[], other: readonly number[]): number {
  const dot = one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  const lengths = Math.hypot(...one) * Math.hypot(...other);
  return lengths === 0 ? 0 : dot / lengths;
}
