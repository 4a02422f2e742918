import type {
  ClientRequest,
  Exchange,
  ProtocolAdapter,
  Target,
  VendorFailure,
  WholeAnswer,
  WholeBody,
} from "../../core/answer/exchange.ts";
import { textOf } from "../../core/answer/sent-body.ts";
import type { RankingDialect } from "../../core/catalog/catalog.ts";
import { randomBase62 } from "../../core/ids.ts";
import { isObject, type JsonRecord } from "../../core/json.ts";
import { isPlausibleCount, NO_USAGE, totalInput, type Usage } from "../../core/money/usage.ts";
import { failedAnswer, invalidAnswer } from "../shared/endings.ts";
import { parseOrNull } from "../shared/parse-json.ts";
import { plainAnswer, refuseStream, untranslated } from "../shared/plain-relay.ts";
import { readErrorObject, readVendorError } from "../shared/vendor-error.ts";
import { searchesFor, textsOf } from "./client.ts";
import type { RankedDocument, RerankRequest } from "./wire-request.ts";

/** What the client asked for: what an answer must have, and how it is shown and charged. */
interface AskedRanking {
  readonly model_id: string;
  readonly documents: readonly RankedDocument[];
  /** How many results were asked for, at most all documents. */
  readonly top: number;
  readonly returns_documents: boolean;
  /** Whether searches are charged, and not tokens. */
  readonly by_search: boolean;
  /** The most searches that the request can be. */
  readonly most_searches: number;
  /** Whether the model is free: then nothing is estimated for a vendor that does not count. */
  readonly is_free: boolean;
}

interface Ranked {
  readonly index: number;
  readonly relevance_score: number;
}

/**
 * Reads a vendor's ranking, in any of the shapes that vendors have, and writes the client's: the most relevant first, and no more than were
 * asked for, however many the vendor sent. An answer fails that has fewer, as a client could not tell what became of the others, or that
 * names a place that no document has. Never throws.
 */
function readRanking(sent: WholeBody, asked: AskedRanking): WholeAnswer {
  const answer = parseOrNull(textOf(sent));
  const found = foundIn(answer);
  if (found === null) return failedAnswer(failureIn(answer));
  const ranked = rankedOf(found, asked.documents.length);
  if (ranked === null) return failedAnswer(NO_RANKING);
  if (ranked.length < asked.top) return failedAnswer(miscounted(ranked.length, asked.top));
  const results = ranked.toSorted((one, other) => other.relevance_score - one.relevance_score).slice(0, asked.top);
  const told = isObject(answer) ? answer : {};
  const { usage, rejected } = usageOf(told, asked);
  const id = typeof told.id === "string" && told.id !== "" ? told.id : `rerank-${randomBase62(22)}`;
  return plainAnswer(usage, rejected, (billed, cost) => write(results, asked, { id, usage: billed ?? usage, cost }));
}

/** Cohere, Jina and servers of one's own call them `results`, Voyage `data`; TEI sends the list alone. */
function foundIn(answer: unknown): readonly unknown[] | null {
  if (Array.isArray(answer)) return answer;
  if (!isObject(answer)) return null;
  const { results = answer.data } = answer;
  return Array.isArray(results) ? results : null;
}

/** Null where a result is no place of a document with its score, or a document has two. */
function rankedOf(found: readonly unknown[], documents: number): Ranked[] | null {
  const seen = new Set<number>();
  const ranked: Ranked[] = [];
  for (const each of found) {
    const result = isObject(each) ? readResult(each) : null;
    if (result === null || result.index >= documents || seen.has(result.index)) return null;
    seen.add(result.index);
    ranked.push(result);
  }
  return ranked;
}

function readResult({ index, relevance_score, score }: JsonRecord): Ranked | null {
  const told = relevance_score ?? score;
  if (!isPlausibleCount(index) || typeof told !== "number" || !Number.isFinite(told)) return null;
  return { index, relevance_score: told };
}

/** A count of nothing for a query is no count (docs/rulings.md 145). */
function usageOf(
  answer: JsonRecord,
  asked: AskedRanking,
): { readonly usage: Usage | null; readonly rejected: unknown } {
  const units = isObject(answer.meta) && isObject(answer.meta.billed_units) ? answer.meta.billed_units : {};
  if (asked.by_search) {
    const told = units.search_units;
    // Where the vendor counts none, the documents alone are counted.
    const searches = isPlausibleCount(told) && told > 0 ? told : searchesFor(asked.documents.length);
    return { usage: { ...NO_USAGE, extra: { units: { searches } } }, rejected: null };
  }
  const usage = isObject(answer.usage) ? answer.usage : {};
  const told = usage.total_tokens ?? usage.prompt_tokens ?? units.input_tokens ?? units.total_tokens;
  if (isPlausibleCount(told) && told > 0) return { usage: { ...NO_USAGE, input_tokens: told }, rejected: null };
  return { usage: asked.is_free ? NO_USAGE : null, rejected: told === undefined || told === 0 ? null : told };
}

interface ShownRanking {
  readonly id: string;
  readonly usage: Usage | null;
  readonly cost: string | undefined;
}

function write(results: readonly Ranked[], asked: AskedRanking, { id, usage, cost }: ShownRanking): string {
  const counts = countsOf(usage, asked);
  const shown = {
    id,
    model: asked.model_id,
    results: results.map((result) =>
      asked.returns_documents ? { ...result, document: shownDocument(asked.documents[result.index]) } : result,
    ),
    meta: { billed_units: counts.billed_units },
    usage: { ...counts.usage, ...(cost !== undefined && { cost }) },
  };
  return JSON.stringify(shown);
}

/** A document is given back as it was sent, a text as an object with it (docs/api.md 4.18). */
function shownDocument(document: RankedDocument | undefined): object {
  return typeof document === "string" ? { text: document } : { ...document };
}

function countsOf(usage: Usage | null, { by_search, most_searches }: AskedRanking) {
  if (by_search) {
    const search_units = Math.min(usage?.extra?.units?.searches ?? 1, most_searches);
    return { billed_units: { search_units }, usage: { search_units } };
  }
  const tokens = usage === null ? 0 : totalInput(usage);
  return { billed_units: { input_tokens: tokens }, usage: { prompt_tokens: tokens, total_tokens: tokens } };
}

const NO_RANKING = invalidAnswer("The model service sent what is no ranking of the documents.");

function failureIn(answer: unknown): VendorFailure {
  return isObject(answer) && ("error" in answer || "message" in answer || "detail" in answer)
    ? readErrorObject(answer)
    : NO_RANKING;
}

function miscounted(found: number, top: number): VendorFailure {
  return { ...NO_RANKING, message: `The model service ranked ${found} documents where ${top} were asked for.` };
}

/** Rankings by a vendor of the protocol, at its `/rerank`, in the members that its dialect has (docs/rulings.md 214). */
export const relayRerank: ProtocolAdapter = { prepare };

/** A dialect's names for the members of a request. A client's other members are left out, and listed as ignored. */
interface RankingMembers {
  readonly documents: "documents" | "texts";
  /** Absent where the vendor always ranks all documents. */
  readonly top?: "top_n" | "top_k";
  readonly has_model: boolean;
  /** Members of the client's that the dialect takes as they are. */
  readonly takes: readonly string[];
  /** Long documents are cut, as all hosted vendors do unasked. */
  readonly always?: Readonly<Record<string, boolean>>;
}

const DIALECTS: Readonly<Record<RankingDialect, RankingMembers>> = {
  cohere: { documents: "documents", top: "top_n", has_model: true, takes: ["max_tokens_per_doc", "priority"] },
  jina: { documents: "documents", top: "top_n", has_model: true, takes: [], always: { return_documents: false } },
  voyage: { documents: "documents", top: "top_k", has_model: true, takes: ["truncation"] },
  tei: { documents: "texts", has_model: false, takes: [], always: { truncate: true } },
};

/** Members that the gateway itself heeds, for every vendor. */
const HEEDED = ["model", "query", "documents", "top_n", "rank_fields", "return_documents"];

function prepare(request: ClientRequest, { model, endpoint, upstream_model, price }: Target): Exchange {
  const body = request.body as RerankRequest & Record<string, unknown>;
  const dialect =
    DIALECTS[endpoint.dialect === undefined || endpoint.dialect === "vertex" ? "cohere" : endpoint.dialect];
  const texts = textsOf(body);
  const taken = new Set(dialect.takes.filter((name) => body[name] != null));
  // More than there are documents is a 400 of some vendors, and means all of them.
  const top = Math.min(body.top_n ?? texts.length, texts.length);
  const sent = {
    ...(dialect.has_model && { model: upstream_model }),
    query: body.query,
    [dialect.documents]: texts,
    ...(dialect.top !== undefined && body.top_n != null && { [dialect.top]: top }),
    ...dialect.always,
    ...Object.fromEntries([...taken].map((name) => [name, body[name]])),
  };
  const asked = {
    model_id: model.id,
    documents: body.documents,
    top,
    returns_documents: body.return_documents === true,
    by_search: price?.units_micro?.searches !== undefined,
    most_searches: request.units?.searches ?? searchesFor(texts.length),
    is_free: price?.units_micro === undefined && price?.input_micro_per_mtok === 0,
  };
  return {
    path: "/rerank",
    body: JSON.stringify(sent),
    headers: {},
    ignored: untranslated(body, new Set([...HEEDED, ...taken])),
    readWhole: (answer) => readRanking(answer, asked),
    openStream: refuseStream,
    readError: readVendorError,
  };
}
