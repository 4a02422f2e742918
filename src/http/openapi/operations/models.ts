import { EmbeddingList, EmbeddingRequest } from "../../../protocols/embeddings/wire-request.ts";
import embeddings from "../examples/embeddings.json" with { type: "json" };
import { EMBEDDING_CODES } from "./codes.ts";
import { jsonContent, type OperationRow } from "./operation.ts";
import { BILLED_PARAMETERS } from "./parameters.ts";
import { SNIPPETS } from "./snippets.ts";

/** The operations of models that do not chat (docs/api.md 4.12). */
export const MODEL_OPERATIONS: readonly OperationRow[] = [
  {
    tag: "Embeddings",
    route: "embeddings",
    operation_id: "createEmbeddings",
    summary: "Embeddings",
    description:
      "Turns texts into vectors, in the shape of OpenAI's embeddings. Billed by input tokens; answered whole or not at all.",
    credential: "bearer",
    parameters: BILLED_PARAMETERS,
    headers: ["CaminoRequestId", "CaminoIgnored", "IdempotentReplayed", "RateLimit"],
    request: { schema: EmbeddingRequest, examples: embeddings.requests },
    answer: "A vector for each input, in the inputs' order.",
    contents: [jsonContent(EmbeddingList, embeddings.answer)],
    errors: EMBEDDING_CODES,
    samples: SNIPPETS.embeddings,
  },
];
