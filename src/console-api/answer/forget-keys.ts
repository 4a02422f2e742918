import type { KeyRecord } from "../../core/people/principal.ts";
import type { ConsoleCall } from "./route.ts";

/** Tells this process that keys of an account changed: their records carry settings of the account and its projects. */
export async function forgetKeys(
  { deps }: Pick<ConsoleCall, "deps">,
  account_id: string,
  concerns: (key: KeyRecord) => boolean = () => true,
): Promise<void> {
  if (!deps.keyChanged) return;
  for (const key of await deps.accounts.listKeys(account_id)) if (concerns(key)) deps.keyChanged(key.id);
}
