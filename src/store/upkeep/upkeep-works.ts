import type { UpkeepStore } from "../../core/operations/upkeep.ts";
import { noteWrongRow, wrongRows } from "../recovery/incidents.ts";
import type { WorksOf } from "../sql/port.ts";
import { closeDays, makeSums } from "../sums/make-sums.ts";
import { dropCircuitChanges, writeCircuitChanges } from "../traffic/circuit-changes.ts";
import { readTrafficSlice } from "../traffic/read-slice.ts";
import { dropRefusals, writeRefusals } from "../traffic/refusals.ts";
import { dropRefusedRequests, writeRefusedRequests } from "../traffic/refused-requests.ts";
import { dropVendorSlots } from "../traffic/vendor-slots.ts";
import { dropTraffic, recountTraffic, writeTrafficSlice } from "../traffic/write-slice.ts";
import { beatChore, claimChore, endChore, openChore, readChore } from "./chores.ts";
import { dropMonth, noteMonth } from "./drop-months.ts";
import { dropAnswers, dropRequests } from "./drop-old.ts";
import { dropTagValues, unneededTagValues } from "./drop-tag-values.ts";
import { makeMonths } from "./make-months.ts";
import { shareVendorSpending } from "./vendor-spending.ts";

export const UPKEEP_WORKS: WorksOf<UpkeepStore> = {
  ...{ readChore, openChore, claimChore, beatChore, endChore },
  ...{ writeTrafficSlice, recountTraffic, dropTraffic },
  ...{ makeMonths, noteMonth, dropMonth, dropRequests, dropAnswers, unneededTagValues, dropTagValues },
  ...{ readTrafficSlice, writeRefusals, dropRefusals, writeRefusedRequests, dropRefusedRequests, noteWrongRow },
  ...{ wrongRows, shareVendorSpending, writeCircuitChanges, dropCircuitChanges, dropVendorSlots, closeDays },
  ...{ makeSums },
};
