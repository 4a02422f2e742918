import { failures, makerOf, PLAIN, type SimulatedModel } from "./simulated-model.ts";

const ranker = makerOf("rankings", {
  kind: "rerank",
  content: "rank",
  output_modalities: ["ranking"],
  context_length: 32_000,
  capabilities: { ...PLAIN, streaming: false },
});

const BY_SEARCH = { input: "0.00", output: "0.00", cache_read: "0.00", cache_write: "0.00", searches: "2.00" };

export const RANKING_MODELS: readonly SimulatedModel[] = [
  ranker("rank", "Ranks texts by the words that they share with the query. Priced by searches.", { price: BY_SEARCH }),
  ranker("rank-tokens", "Ranks, and is priced by the tokens of its input."),
  ranker("rank-uncounted", "Counts nothing (@counts=0).", { presets: { counts: "0" } }),
  ranker("rank-no-usage", "Reports no usage.", { usage: "none" }),
  ranker("rank-short", "Leaves the last result out (@short=1).", { presets: { short: "1" } }),
  ranker("rank-unsorted", "Ranks in the order of the input, and sends all (@order=input).", {
    presets: { order: "input" },
  }),
  ranker("rank-shifted", "Names places one too far (@shift=1).", { presets: { shift: "1" } }),
  ranker("rank-many", "Counts 500 searches (@searches=500).", { presets: { searches: "500" }, price: BY_SEARCH }),
  ...failures(ranker, "rank"),
  ranker("rank-slow", "Waits 500 ms (@first_ms=N) before it answers.", { first_ms: 500 }),
  ranker("rank-cut", "Closes the connection after half of the answer.", { fault: "cut-mid" }),
  ranker("rank-stalls", "Falls silent in the middle of the answer.", { fault: "stall-mid" }),
  ranker("rank-truncated", "JSON that breaks off.", { fault: "bad-json" }),
];
