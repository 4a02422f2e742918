import { type ModelLimitUse, ModelLimitUses } from "../../contract/budgets.ts";
import type { CallOptions } from "./shared/command.ts";
import type { CliDeps } from "./shared/deps.ts";

/** The limits by model of a key, a project or an account, with their use, as a part of what is shown; nothing where there are none. */
export async function modelLimitUses(
  deps: CliDeps,
  options: CallOptions,
  limits: readonly unknown[] | undefined,
  path: readonly string[],
): Promise<{ readonly model_limits?: ModelLimitUse[] }> {
  if (limits === undefined) return {};
  const { callGateway } = await import("./shared/gateway-client.ts");
  const call = { method: "GET", path: [...path, "model-limits"], answer: ModelLimitUses } as const;
  return { model_limits: (await callGateway(deps, options, call)).data };
}
