import { createApiKey, type NewApiKey } from "../../access/api-key.ts";
import type { DrawText } from "../../core/ids.ts";
import type { ConsoleDeps } from "./route.ts";

/** A new key of an account, which says in which cell it lives where there are cells. */
export async function drawKey(
  { keys, cellOf }: Pick<ConsoleDeps, "keys" | "cellOf">,
  account_id: string,
  draw?: DrawText,
): Promise<NewApiKey> {
  return createApiKey(keys, draw, cellOf === undefined ? null : await cellOf(account_id));
}
