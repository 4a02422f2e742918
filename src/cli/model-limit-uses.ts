import { type ModelLimitUse, ModelLimitUses } from "../../contract/budgets.ts";
import type { CallOptions } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";

/** The limits by model of a key, or of an account and the gateway, with their use, as a part of what is shown; nothing where there are none. */
export async function modelLimitUses(
  deps: CliDeps,
  options: CallOptions,
  path: readonly string[],
): Promise<{ readonly model_limits?: ModelLimitUse[] }> {
  const { callGateway } = await import("./shared/gateway-client.ts");
  const call = { method: "GET", path: [...path, "model-limits"], answer: ModelLimitUses } as const;
  const { data } = await callGateway(deps, options, call);
  return data.length === 0 ? {} : { model_limits: data };
}
