/** cohere-ai: ranking by its newer and its older client. */

import { CohereClient, CohereClientV2 } from "cohere-ai";
import { expect, KEY, refusal, runAll, URL_ } from "./checks.mjs";

const settings = { environment: URL_, token: KEY, maxRetries: 0 };
const asked = {
  model: "ranking/rank",
  query: "When do trains leave?",
  documents: ["Cats sleep.", "Trains leave hourly.", "Trains are long."],
};

const best = ({ results }) => results.map(({ index }) => index);

await runAll({
  "ranks by /v2": async () => {
    const answer = await new CohereClientV2(settings).rerank(asked);
    expect(best(answer)[0] === 1 && answer.results[0].relevanceScore > answer.results[1].relevanceScore, answer);
    expect(answer.meta.billedUnits.searchUnits === 1, answer.meta);
  },
  "ranks by /v1, with the documents": async () => {
    const answer = await new CohereClient(settings).rerank({ ...asked, topN: 2, returnDocuments: true });
    expect(best(answer).length === 2 && answer.results[0].document.text === "Trains leave hourly.", answer);
  },
  "errors have their true status": async () => {
    const error = await refusal(() => new CohereClientV2(settings).rerank({ ...asked, model: "ranking/none" }));
    expect(error.statusCode === 404, error);
  },
});
