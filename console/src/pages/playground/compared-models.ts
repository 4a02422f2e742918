import type { Model } from "../../../../contract/models.ts";

/** How many models are asked at once: each is a request of its own, which is charged. */
export const MOST_COMPARED = 4;

/** The models that the address names after the first: known chat models, each once, as many as there may be. */
export function comparedModels(models: readonly Model[], model: Model, named: string | undefined): Model[] {
  const ids = new Set((named ?? "").split(",").filter((id) => id !== "" && id !== model.id));
  return [...ids]
    .flatMap((id) => models.find((each) => each.id === id && each.kind === "chat") ?? [])
    .slice(0, MOST_COMPARED - 1);
}
