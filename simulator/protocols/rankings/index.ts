import { type Ask, BadRequest } from "../../ask.ts";
import { onlyFields } from "../../decisions/read-strict.ts";
import { nextSerial } from "../../ids.ts";
import type { ModelName } from "../../model-name.ts";
import { findSimulatedModel } from "../../models.ts";
import { type Performance, reportUsage } from "../../performance.ts";
import { plainAsk } from "../../plain-ask.ts";
import { type AskedRanking, type RankedText, type RankingHouse, rankTexts } from "../../rankings/ranking.ts";
import { countTokens } from "../../tokens.ts";
import { dataFrame, type VendorProtocol } from "../protocol.ts";
import type { Json } from "../read.ts";

/**
 * Rankings as Cohere (`/v1/rerank`, `/v2/rerank`), Jina (below `/jina`), Voyage (below `/voyage`) and a server of text-embeddings-inference
 * (below `/tei/MODEL`, as such a server has one model) give them, each with its own members and as strict as it is.
 */
export const rankings: VendorProtocol = {
  protocol: "rerank",
  stream_content_type: "application/json",
  accepts: (path) => path.endsWith("/rerank"),
  modelOf: (body, path) => (typeof body.model === "string" ? body.model : /^\/tei\/([^/]+)\//.exec(path)?.[1]),
  wantsStream: () => false,
  readAsk: (model, body, _headers, path) => readAsk(model, body, houseOf(path)),
  whole,
  frames: () => [],
  errorBody: ({ message }) => ({ id: `error-${nextSerial()}`, message }),
  errorFrame: ({ message }) => dataFrame("terminal", JSON.stringify({ message })),
};

function houseOf(path: string): RankingHouse {
  const [, first] = path.split("/");
  return first === "jina" || first === "voyage" || first === "tei" ? first : "cohere";
}

const FIELDS: Readonly<Record<RankingHouse, readonly string[]>> = {
  cohere: ["model", "query", "documents", "top_n", "max_tokens_per_doc", "priority"],
  jina: ["model", "query", "documents", "top_n", "return_documents"],
  voyage: ["model", "query", "documents", "top_k", "return_documents", "truncation"],
  tei: ["query", "texts", "raw_scores", "return_text", "truncate", "truncation_direction"],
};

const MOST_TEXTS: Readonly<Record<RankingHouse, number>> = { cohere: 10_000, jina: 2048, voyage: 1000, tei: 32 };

function readAsk(model: ModelName, body: Json, house: RankingHouse): Ask {
  if (findSimulatedModel(model.name)?.kind !== "rerank")
    throw new BadRequest(`model '${model.full}' not found, make sure the correct model ID was used.`, "model");
  onlyFields(body, FIELDS[house], "");
  const ranking = readRanking(body, house);
  return plainAsk(model, body, {
    prompt: [ranking.query, ...ranking.texts],
    last_user_text: ranking.query,
    ranking,
  });
}

function readRanking(body: Json, house: RankingHouse): AskedRanking {
  const place = house === "tei" ? "texts" : "documents";
  const { query, [place]: texts } = body;
  if (typeof query !== "string" || query === "")
    throw new BadRequest("invalid request: query must not be empty", "query");
  if (!Array.isArray(texts) || texts.length === 0 || !texts.every((text) => typeof text === "string"))
    throw new BadRequest(`invalid request: ${place} must be a list of strings that is not empty`, place);
  if (texts.length > MOST_TEXTS[house])
    throw new BadRequest(`batch size ${texts.length} > maximum allowed batch size ${MOST_TEXTS[house]}`, place);
  const top = body.top_n ?? body.top_k ?? null;
  if (top !== null && (!Number.isInteger(top) || Number(top) < 1 || (house === "voyage" && Number(top) > texts.length)))
    throw new BadRequest("invalid request: the number of results must be from 1 to that of the documents", "top_n");
  return {
    ...{ house, query, texts, top: top === null ? null : Number(top) },
    returns_documents: body.return_documents === true || body.return_text === true,
  };
}

function whole({ serial, model, ranking }: Ask, { usage, usage_reporting }: Performance): object {
  if (ranking === undefined) throw new Error("nothing is to be ranked");
  const { params } = model;
  const found = rankTexts(ranking);
  const is_unsorted = params.text("order", "") === "input";
  const kept = is_unsorted
    ? found.toSorted((one, other) => one.index - other.index)
    : found.slice(0, ranking.top ?? found.length);
  if (params.text("short", "") === "1") kept.pop();
  const results = kept.map((each) => written(each, ranking, params.count("shift", 0)));
  if (ranking.house === "tei") return results;
  if (usage_reporting.omitted || params.text("counts", "1") !== "1")
    return { id: `rank-${serial}`, model: model.full, results };
  if (ranking.house === "cohere") {
    const search_units = params.count("searches", searchesFor(ranking));
    const billed_units = reportUsage({ search_units, input_tokens: usage.input }, usage_reporting);
    return { id: `rank-${serial}`, results, meta: { api_version: { version: "2" }, billed_units } };
  }
  const counts = reportUsage({ total_tokens: usage.input }, usage_reporting);
  const list = ranking.house === "voyage" ? { object: "list", data: results } : { results };
  return { model: model.full, ...list, usage: counts };
}

function written(
  { index, score }: RankedText,
  { house, texts, returns_documents }: AskedRanking,
  shift: number,
): object {
  const at = index + shift;
  if (house === "tei") return { index: at, score };
  return { index: at, relevance_score: score, ...(returns_documents && { document: { text: texts[index] } }) };
}

/** A hundred texts are a search; a text of more than 500 tokens with the query counts as several. */
function searchesFor({ query, texts }: AskedRanking): number {
  const query_tokens = countTokens(query);
  const chunks = texts.reduce((sum, text) => sum + Math.max(1, Math.ceil((query_tokens + countTokens(text)) / 500)), 0);
  return Math.ceil(chunks / 100);
}
