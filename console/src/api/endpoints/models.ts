import type { ModelDetail, ModelList, ModelsQuery } from "../../../../contract/models.ts";

export interface ModelEndpoints {
  "GET /models": { query: ModelsQuery; answer: ModelList };
  "GET /models/{vendor}/{name}": { answer: ModelDetail };
}
