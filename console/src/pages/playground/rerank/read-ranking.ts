import { asObject, parse } from "../wire/failure.ts";

export interface RankedText {
  /** The document's place among those that were sent, from 0. */
  readonly index: number;
  readonly text: string;
  readonly score: number;
}

/** The results of an answer in the shape of `POST /v1/rerank`, best first; those of documents that were not sent are left out. */
export function readRanking(text: string, documents: readonly string[]): RankedText[] {
  const { results } = asObject(parse(text));
  const found = Array.isArray(results) ? results.map(asObject) : [];
  return found
    .flatMap(({ index, relevance_score }) => {
      const document = documents[Number(index)];
      return document === undefined ? [] : [{ index: Number(index), text: document, score: Number(relevance_score) }];
    })
    .toSorted((one, other) => other.score - one.score);
}
