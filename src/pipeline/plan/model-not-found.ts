import { GatewayError } from "../../core/errors.ts";
import type { KeyRecord } from "../../core/people/principal.ts";

/** The end of the 404 for the first run's demo key, which a user may try with a real model. */
const FOR_SIMULATOR = " This key is for simulated models (sim/…) alone: make another key for other models.";

function isForSimulator({ models }: Pick<KeyRecord, "models">): boolean {
  return models !== null && models.length > 0 && models.every((pattern) => pattern.startsWith("sim/"));
}

/** The 404 for a model: the same whether it does not exist or the key may not use it (docs/rulings.md 17). */
export function modelNotFound(name: string, key: Pick<KeyRecord, "models">): GatewayError {
  const message = `The model ${JSON.stringify(name.slice(0, 200))} does not exist or you may not use it.`;
  return new GatewayError("model_not_found", `${message}${isForSimulator(key) ? FOR_SIMULATOR : ""}`, {
    param: "model",
  });
}
