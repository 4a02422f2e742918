import { SIMULATED_CREATED } from "./ids.ts";
import { findSimulatedModel, SIMULATED_MODELS, type SimulatedModel } from "./models.ts";

/** `GET /v1/models` in the union of both public shapes. */
export function modelList(): object {
  const data = SIMULATED_MODELS.map(wireModel);
  return {
    object: "list",
    data,
    has_more: false,
    first_id: SIMULATED_MODELS[0]?.id ?? null,
    last_id: SIMULATED_MODELS.at(-1)?.id ?? null,
  };
}

/** `GET /v1/models/{id}`; undefined for an unknown model. */
export function modelDetail(id: string): object | undefined {
  const model = findSimulatedModel(id);
  return model === undefined ? undefined : wireModel(model);
}

function wireModel(model: SimulatedModel): object {
  return {
    id: model.id,
    object: "model",
    type: "model",
    created: SIMULATED_CREATED,
    created_at: new Date(SIMULATED_CREATED * 1000).toISOString(),
    owned_by: "simulator",
    display_name: model.display_name,
    description: model.behaviour,
  };
}
