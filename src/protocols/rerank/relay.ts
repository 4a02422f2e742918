import type { ClientRequest, Exchange, ProtocolAdapter, Target } from "../../core/answer/exchange.ts";
import type { RankingDialect } from "../../core/catalog/catalog.ts";
import { refuseStream } from "../shared/plain-relay.ts";
import { readVendorError } from "../shared/vendor-error.ts";
import { searchesFor } from "./client.ts";
import { textsOf } from "./document-texts.ts";
import { readRanking } from "./read-ranking.ts";
import type { RerankRequest } from "./wire-request.ts";

/** Rankings by a vendor of the protocol, at its `/rerank`, in the members that its dialect has (docs/rulings.md 214). */
export const relayRerank: ProtocolAdapter = { prepare };

/** How a dialect names a request's members; members of a client that are in none of these are left out, and named. */
interface Dialect {
  readonly documents: "documents" | "texts";
  /** Absent where the vendor ranks by the one model that it has, and all documents. */
  readonly top?: "top_n" | "top_k";
  readonly has_model: boolean;
  /** Members of the client's that the dialect takes as they are. */
  readonly takes: readonly string[];
  /** Long documents are cut, as all hosted vendors do unasked. */
  readonly always?: Readonly<Record<string, boolean>>;
}

const DIALECTS: Readonly<Record<RankingDialect, Dialect>> = {
  cohere: { documents: "documents", top: "top_n", has_model: true, takes: ["max_tokens_per_doc", "priority"] },
  jina: { documents: "documents", top: "top_n", has_model: true, takes: [], always: { return_documents: false } },
  voyage: { documents: "documents", top: "top_k", has_model: true, takes: ["truncation"] },
  tei: { documents: "texts", has_model: false, takes: [], always: { truncate: true } },
};

/** Members that the gateway itself heeds, for every vendor. */
const HEEDED = new Set(["model", "query", "documents", "top_n", "rank_fields", "return_documents"]);

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
    ignored: Object.keys(body).filter((name) => body[name] !== null && !HEEDED.has(name) && !taken.has(name)),
    readWhole: (answer) => readRanking(answer, asked),
    openStream: refuseStream,
    readError: readVendorError,
  };
}
