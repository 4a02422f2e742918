import type { UpkeepStore } from "../../core/upkeep.ts";
import { portOf, type RunMethod, type WorksOf } from "../sql/port.ts";
import { beatChore, claimChore, endChore, openChore, readChore } from "./chores.ts";
import { dropAnswers, dropRequests } from "./drop-old.ts";

export type UpkeepMethod = keyof UpkeepStore;

export const UPKEEP_WORKS: WorksOf<UpkeepStore> = {
  readChore,
  openChore,
  claimChore,
  beatChore,
  endChore,
  dropRequests,
  dropAnswers,
};

/** Each method runs in one transaction, with the books' own writer. */
export function upkeepStore(run: RunMethod<UpkeepMethod>): UpkeepStore {
  return portOf(UPKEEP_WORKS, run);
}
