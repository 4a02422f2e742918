import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CohereClient, CohereClientV2 } from "cohere-ai";
import { type Simulator, startSimulator } from "../../../simulator/server.ts";
import { type Gateway, startGateway, type TestKey } from "../../support/gateway.ts";
import { endedReceipt } from "../../support/receipts.ts";

/** `POST /v1/rerank` and `/v2/rerank` (docs/api.md 4.18, docs/rulings.md 214): by every dialect, with Cohere's own client unmodified. */

const VENDOR_KEY = "sk-vendor-0123456789";
const QUERY = "When do trains leave?";
const DOCUMENTS = ["Cats sleep all day.", "When it rains trains leave late.", "Trains wait."];
const ORDER = [1, 2, 0];
/** Micro units of a search, and of a token. */
const [PER_SEARCH, PER_TOKEN] = [2_000, 3];
const DIALECTS = ["cohere", "jina", "voyage", "tei"] as const;

let simulator: Simulator;
let gateway: Gateway;
let key: TestKey;

beforeAll(async () => {
  simulator = await startSimulator({ api_key: VENDOR_KEY });
  gateway = await startGateway({ config: configuration() });
  key = await gateway.newKey({ credit: "1000", rpm: 100_000 });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await simulator.stop();
});

const BY_SEARCH = { searches: "2.00" };
const BY_TOKENS = { input: "3.00" };

function configuration(): string {
  const model = (upstream_model: string, price: object = BY_SEARCH) => ({ kind: "rerank", price, upstream_model });
  const ranking = (path: string, dialect?: string) => ({
    ...{ protocol: "rerank", base_url: `${simulator.url}${path}`, api_key: VENDOR_KEY },
    ...(dialect !== undefined && { dialect }),
  });
  const odd = ["slow", "short", "shifted", "many", "uncounted", "400", "429", "500", "cut", "truncated"];
  return JSON.stringify({
    catalog: "none",
    vendors: {
      cohere: ranking("/v2"),
      jina: ranking("/jina/v1"),
      voyage: ranking("/voyage/v1"),
      tei: ranking("/tei/rank-tokens", "tei"),
      like_jina: ranking("/jina/v1", "jina"),
      leaves: { ...ranking("/v2"), on_disconnect: "abort" },
      stalls: { ...ranking("/v2"), timeouts: { first_byte: "300ms", idle: "300ms" } },
      chat: { protocol: "chat-completions", base_url: simulator.base_url, api_key: VENDOR_KEY },
    },
    models: {
      "cohere/searches": model("rank"),
      ...Object.fromEntries(DIALECTS.map((name) => [`${name}/tokens`, model("rank-tokens", BY_TOKENS)])),
      "tei/free": model("rank-tokens", { input: 0 }),
      "tei/searches": model("rank-tokens"),
      "like_jina/unsorted": model("rank-unsorted", BY_TOKENS),
      "cohere/no-usage": model("rank-no-usage", BY_TOKENS),
      "cohere/billions": model("rank-tokens@usage=huge", BY_TOKENS),
      ...Object.fromEntries(odd.map((name) => [`cohere/${name}`, model(`rank-${name}`)])),
      "cohere/falls": { ...model("rank-500"), fallbacks: ["voyage/tokens"] },
      "cohere/short-falls": { ...model("rank-short"), fallbacks: ["jina/tokens"] },
      "leaves/slow": model("rank-slow"),
      "stalls/slow": model("rank-slow"),
      "stalls/stalls": model("rank-stalls"),
      "chat/chats": { price: { input: 1, output: 1 }, upstream_model: "echo", capabilities: { thinking: false } },
    },
  });
}

interface Ranking {
  readonly id: string;
  readonly model: string;
  readonly results: { index: number; relevance_score: number; document?: Record<string, unknown> }[];
  readonly meta: { billed_units: { search_units?: number; input_tokens?: number } };
  readonly usage: { search_units?: number; total_tokens?: number; cost: number };
  readonly error: { code: string; param: string | null; message: string };
}

function post(body: object, init: RequestInit = {}, by = key): Promise<Response> {
  const { headers, ...rest } = init;
  return fetch(`${gateway.url}/v1/rerank`, {
    method: "POST",
    headers: { authorization: `Bearer ${by.key}`, ...headers },
    body: JSON.stringify({ query: QUERY, documents: DOCUMENTS, ...body }),
    ...rest,
  });
}

async function ask(body: object, headers: Record<string, string> = {}) {
  const answer = await post(body, { headers });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Ranking };
}

type Answer = Awaited<ReturnType<typeof ask>>;

const receiptOf = ({ headers }: Pick<Answer, "headers">) =>
  endedReceipt(gateway, key.key, headers.get("x-camino-request-id") ?? "");
const placesIn = ({ results }: Pick<Ranking, "results">) => results.map(({ index }) => index);

describe("Cohere's own client", () => {
  test("of version 2 has texts ranked, for a search", async () => {
    const client = new CohereClientV2({ environment: gateway.url, token: key.key, maxRetries: 0 });
    const { data, rawResponse } = await client
      .rerank({ model: "cohere/searches", query: QUERY, documents: DOCUMENTS, topN: 2, maxTokensPerDoc: 512 })
      .withRawResponse();
    expect(placesIn({ results: data.results as never })).toEqual(ORDER.slice(0, 2));
    expect(data.meta?.billedUnits?.searchUnits).toBe(1);
    expect(simulator.log.last?.body).toEqual({
      ...{ model: "rank", query: QUERY, documents: DOCUMENTS, top_n: 2, max_tokens_per_doc: 512 },
    });
    const receipt = await receiptOf({ headers: rawResponse.headers as unknown as Headers });
    expect(receipt).toMatchObject({ endpoint: "rerank", charge_micro: PER_SEARCH, hold_micro: PER_SEARCH });
    expect(receipt.usage).toMatchObject({ units: { searches: 1 } });
    expect(await gateway.admin("GET", `/requests/${receipt.id}`)).toMatchObject({
      lines: [{ class: "searches", unit: "search", count: 1, amount_micro: PER_SEARCH }],
    });
  });

  // BerriAI/litellm, joonsoome/embed-rerank#11: a `document` of null where none was asked for breaks strict readers.
  test("of version 1 sends objects, and gets them back only where it asks for them", async () => {
    const client = new CohereClient({ environment: gateway.url, token: key.key, maxRetries: 0 });
    const documents = DOCUMENTS.map((text, index) => ({ text, page: String(index) }));
    const asked = { model: "voyage/tokens", query: QUERY, documents, topN: 1 };
    const plain = await client.rerank(asked);
    expect(plain.results).toEqual([{ index: 1, relevanceScore: expect.any(Number) as number }]);
    const given = await client.rerank({ ...asked, returnDocuments: true });
    expect(given.results[0]?.document).toMatchObject({ text: DOCUMENTS[1] });
    expect(simulator.log.last?.body).toEqual({ model: "rank-tokens", query: QUERY, documents: DOCUMENTS, top_k: 1 });
  });
});

describe.each([...DIALECTS])("a vendor like %s", (name) => {
  test("ranks all documents, the most relevant first, and tokens are charged exactly", async () => {
    const answer = await ask({ model: `${name}/tokens`, return_documents: true });
    expect([answer.status, answer.body.model, placesIn(answer.body)]).toEqual([200, `${name}/tokens`, ORDER]);
    expect(answer.body.results[0]?.document).toEqual({ text: DOCUMENTS[1] });
    const { total_tokens = 0, cost } = answer.body.usage;
    expect(total_tokens).toBeGreaterThan(0);
    expect(cost).toBe((total_tokens * PER_TOKEN) / 1e6);
    const receipt = await receiptOf(answer);
    expect(receipt).toMatchObject({ estimated: name === "tei", charge_micro: total_tokens * PER_TOKEN });
    expect(receipt.charge_micro).toBeLessThanOrEqual(receipt.hold_micro);
  });

  // diegosouzapw/OmniRoute#12523: more than there are documents is a 400 of Voyage's.
  test("takes a number of results beyond the documents for all of them", async () => {
    expect(placesIn((await ask({ model: `${name}/tokens`, top_n: 50 })).body)).toEqual(ORDER);
  });

  // mudler/LocalAI#6700, #7189: servers that ignore the number, and do not sort.
  test("gives no more results than were asked for", async () => {
    expect(placesIn((await ask({ model: `${name}/tokens`, top_n: 1 })).body)).toEqual(ORDER.slice(0, 1));
  });

  // HKUDS/LightRAG#1813: a member of another vendor's is a 422 of Cohere's.
  test("is not sent what it does not know, and the client is told", async () => {
    const answer = await ask({ model: `${name}/tokens`, max_chunks_per_doc: 3, top_k: 2 });
    expect([answer.status, answer.headers.get("x-camino-ignored")]).toEqual([200, "max_chunks_per_doc, top_k"]);
  });
});

test("an unsorted ranking is sorted, and cut", async () => {
  const answer = await ask({ model: "like_jina/unsorted", top_n: 2 });
  expect(placesIn(answer.body)).toEqual(ORDER.slice(0, 2));
});

test("fields of objects are ranked by in their order, and the objects come back whole", async () => {
  const documents = [
    { title: "Cats", text: "sleep", tags: ["a"] },
    { title: "Trains", text: "leave", tags: ["b"] },
  ];
  const fields = { rank_fields: ["title", "tags", "none"], return_documents: true };
  const answer = await ask({ model: "cohere/searches", documents, ...fields });
  expect(answer.body.results[0]).toMatchObject({ index: 1, document: documents[1] });
  expect(simulator.log.last?.body).toMatchObject({
    documents: ['title: Cats\ntags: ["a"]', 'title: Trains\ntags: ["b"]'],
  });
});

describe("charges", () => {
  // maximhq/bifrost#4239, #4321, BerriAI/litellm#13797: rankings that are charged by searches cost nothing where the vendor counts none.
  test.each([
    ["cohere/searches", DOCUMENTS, 1],
    ["cohere/uncounted", DOCUMENTS, 1],
    ["tei/searches", DOCUMENTS, 1],
    ["cohere/searches", Array.from({ length: 250 }, (_, at) => `text ${at}`), 3],
    ["cohere/uncounted", Array.from({ length: 250 }, (_, at) => `text ${at}`), 3],
    ["cohere/searches", Array.from({ length: 60 }, () => "word ".repeat(700)), 2],
    // A vendor's count beyond what the request can be is not believed.
    ["cohere/many", DOCUMENTS, 1],
  ])("%s charges its searches", async (model, documents, searches) => {
    const answer = await ask({ model, documents, top_n: 1 });
    const charge_micro = searches * PER_SEARCH;
    expect([answer.body.usage, answer.body.meta.billed_units]).toEqual([
      { search_units: searches, cost: charge_micro / 1e6 },
      { search_units: searches },
    ]);
    expect(await receiptOf(answer)).toMatchObject({ charge_micro, estimated: false });
  });

  test.each(["cohere/no-usage", "cohere/billions"])("%s is charged by an estimate within the hold", async (model) => {
    const answer = await ask({ model });
    const receipt = await receiptOf(answer);
    expect(receipt.estimated).toBe(true);
    expect(receipt.charge_micro).toBeWithin(1, receipt.hold_micro + 1);
    expect(answer.body.usage.cost).toBe(receipt.charge_micro / 1e6);
  });

  test("a server that is free and counts nothing is not estimated", async () => {
    const answer = await ask({ model: "tei/free" });
    expect(await receiptOf(answer)).toMatchObject({ charge_micro: 0, hold_micro: 0, estimated: false });
  });

  test("the hold is what the request can cost, and an empty wallet is a 402", async () => {
    const poor = await gateway.newKey({ credit: "0.002", rpm: 1000 });
    const documents = Array.from({ length: 150 }, () => "x");
    const answer = await post({ model: "cohere/searches", documents }, {}, poor);
    expect([answer.status, ((await answer.json()) as Ranking).error.code]).toEqual([402, "insufficient_balance"]);
    expect((await post({ model: "cohere/searches" }, {}, poor)).status).toBe(200);
  });

  test("a repeat is answered from what was kept, and tags are on the receipt", async () => {
    const headers = { "idempotency-key": crypto.randomUUID(), "x-camino-tags": "team=a" };
    const first = await ask({ model: "cohere/searches" }, headers);
    const again = await ask({ model: "cohere/searches" }, headers);
    expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([first.body, "true"]);
    expect(await receiptOf(first)).toMatchObject({ tags: { team: "a" }, charge_micro: PER_SEARCH });
  });

  test("a large request is ranked in another thread, and charged by its searches", async () => {
    const documents = Array.from({ length: 1000 }, (_, at) => `${at} ${"x ".repeat(400)}`);
    const answer = await ask({ model: "cohere/uncounted", documents, top_n: 1 });
    expect(answer.body.usage.search_units).toBe(10);
    expect(await receiptOf(answer)).toMatchObject({ charge_micro: 10 * PER_SEARCH });
  });
});

describe("what fails", () => {
  test.each([
    ["cohere/short", 502, "provider_error"],
    ["cohere/shifted", 502, "provider_error"],
    ["cohere/500", 502, "provider_error"],
    ["cohere/429", 429, "provider_rate_limited"],
    ["cohere/400", 400, "invalid_input"],
    ["cohere/cut", 502, "provider_error"],
    ["cohere/truncated", 502, "provider_error"],
    ["stalls/slow", 502, "provider_error"],
    ["stalls/stalls", 502, "provider_error"],
    ["chat/chats", 400, "model_not_supported_on_endpoint"],
    ["cohere/none", 404, "model_not_found"],
  ])("%s is a %d %s and not charged", async (model, status, code) => {
    const answer = await ask({ model });
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    if (code === "provider_error") expect(await receiptOf(answer)).toMatchObject({ charge_micro: 0 });
  });

  test.each([
    ["cohere/falls", "voyage/tokens"],
    ["cohere/short-falls", "jina/tokens"],
  ])("%s falls back, and is charged once by who ranked", async (model, by) => {
    const answer = await ask({ model });
    expect([answer.body.model, placesIn(answer.body)]).toEqual([by, ORDER]);
    const { total_tokens = 0 } = answer.body.usage;
    expect(await receiptOf(answer)).toMatchObject({ model: by, charge_micro: total_tokens * PER_TOKEN });
  });

  test.each(["leaves/slow", "cohere/slow"])(
    "who leaves %s pays a search at most, and nothing stays held",
    async (model) => {
      const own = await gateway.newKey({ credit: "1", rpm: 1000 });
      const leaving = new AbortController();
      const before = simulator.log.requests.length;
      const left = post({ model }, { signal: leaving.signal }, own).catch(() => null);
      while (simulator.log.requests.length === before) await Bun.sleep(5);
      leaving.abort();
      await left;
      const { data } = await gateway.admin<{ data: { id: string; model: string }[] }>("GET", "/requests");
      const id = data.find((each) => each.model === model)?.id ?? "";
      expect((await endedReceipt(gateway, own.key, id)).charge_micro).toBeLessThanOrEqual(PER_SEARCH);
    },
  );

  // A vendor's own bound comes through in its words.
  test("more documents than a server takes at once is the client's 400, in the server's words", async () => {
    const answer = await ask({ model: "tei/free", documents: Array.from({ length: 33 }, () => "x") });
    expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_input"]);
    expect(answer.body.error.message).toContain("maximum allowed batch size 32");
  });

  test.each([
    [{ query: undefined }, "query"],
    [{ query: "" }, "query"],
    [{ query: ["a"] }, "query"],
    [{ documents: undefined }, "documents"],
    [{ documents: [] }, "documents"],
    [{ documents: "a" }, "documents"],
    [{ documents: ["a", 5] }, "documents[1]"],
    [{ documents: ["a", { image: "https://pictures.example/cat.png" }] }, "documents[1].text"],
    [{ documents: [{ text: "a" }], rank_fields: ["title"] }, "documents[0]"],
    [{ documents: Array.from({ length: 10_001 }, () => "x") }, "documents"],
    [{ top_n: 0 }, "top_n"],
    [{ top_n: 1.5 }, "top_n"],
    [{ return_documents: "yes" }, "return_documents"],
  ])("%j is refused by its place", async (body, place) => {
    const answer = await ask({ model: "cohere/searches", ...body });
    expect([answer.status, answer.body.error.code]).toEqual([400, "invalid_input"]);
    expect(answer.body.error.param ?? "").toStartWith(place);
  });
});
