/** LangChain's OpenAIEmbeddings in a store, which finds the text that is nearest. */

import { BaseRetriever } from "@langchain/core/retrievers";
import { OpenAIEmbeddings } from "@langchain/openai";
import { expect, KEY, model, runAll, URL_ } from "./checks.mjs";

const embeddings = new OpenAIEmbeddings({
  model: model("embed"),
  apiKey: KEY,
  maxRetries: 0,
  configuration: { baseURL: `${URL_}/v1` },
});
const TEXTS = ["A cat sleeps on the roof.", "Trains to the coast leave hourly.", "Bread is baked at night."];
const cosine = (one, other) => one.reduce((sum, value, at) => sum + value * other[at], 0);

/** A retriever as applications write one: the texts in the order of their likeness. */
class Nearest extends BaseRetriever {
  lc_namespace = ["tried"];
  async _getRelevantDocuments(query) {
    const [asked, vectors] = await Promise.all([embeddings.embedQuery(query), embeddings.embedDocuments(TEXTS)]);
    const ranked = TEXTS.map((pageContent, at) => ({ pageContent, metadata: { score: cosine(asked, vectors[at]) } }));
    return ranked.sort((one, other) => other.metadata.score - one.metadata.score);
  }
}

await runAll({
  "a store finds the nearest text": async () => {
    const [first] = await new Nearest().invoke("When do the trains leave?");
    expect(first.pageContent === TEXTS[1], first);
  },
  "vectors have the length that is asked for": async () => {
    const short = new OpenAIEmbeddings({
      ...{ model: model("embed"), apiKey: KEY, dimensions: 256, maxRetries: 0 },
      configuration: { baseURL: `${URL_}/v1` },
    });
    const vector = await short.embedQuery("one");
    expect(vector.length === 256, vector.length);
  },
});
