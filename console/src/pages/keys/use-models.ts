import type { Model } from "../../../../contract/models.ts";
import { useApi } from "../../api/use-api.ts";
import type { ComboboxOption } from "../../kit/matching.ts";

const NO_MODELS: readonly Model[] = [];

/** The catalogue, and its models as options of a Combobox. */
export function useModels(kind: "all" | "chat" = "all") {
  const models = useApi("GET /models", { query: { kind } }).data?.data ?? NO_MODELS;
  return { models, options: models.map(modelOption) };
}

const DOES: Readonly<Record<Model["kind"], string | null>> = {
  chat: null,
  embedding: "embeds",
  rerank: "ranks",
  moderation: "judges",
  speech: "speaks",
  image: "draws",
  transcription: "transcribes",
  decision: "decides",
};

function modelOption({ id, display_name, kind }: Model): ComboboxOption {
  const does = DOES[kind];
  const note = does === null ? display_name : `${display_name} · ${does}`;
  return { value: id, label: id, note };
}
