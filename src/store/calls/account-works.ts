import type { AccountStore } from "../../core/store/ports.ts";
import * as accountLimits from "../accounts/account-limits.ts";
import * as accountSums from "../accounts/account-sums.ts";
import * as accounts from "../accounts/accounts.ts";
import * as autoTopUps from "../accounts/auto-top-ups.ts";
import * as budgetUse from "../accounts/budget-use.ts";
import * as contentSwitches from "../accounts/content-switches.ts";
import * as entries from "../accounts/entries.ts";
import * as exploreUsage from "../accounts/explore-usage.ts";
import * as keyTags from "../accounts/key-tags.ts";
import * as keys from "../accounts/keys.ts";
import * as overview from "../accounts/overview.ts";
import * as playgroundKeys from "../accounts/playground-keys.ts";
import * as projects from "../accounts/projects.ts";
import * as raises from "../accounts/raises.ts";
import * as requests from "../accounts/requests.ts";
import * as tagValues from "../accounts/tag-values.ts";
import * as usage from "../accounts/usage.ts";
import * as marks from "../sql/marks.ts";
import * as page from "../sql/page.ts";
import * as circuitChanges from "../traffic/circuit-changes.ts";
import * as refusals from "../traffic/refusals.ts";
import * as refusedRequests from "../traffic/refused-requests.ts";
import * as reportTraffic from "../traffic/report-traffic.ts";
import * as vendorSlots from "../traffic/vendor-slots.ts";
import { ACCOUNT_KINDS } from "./account-calls.ts";
import { worksOf } from "./works-of.ts";

export const ACCOUNT_WORKS = worksOf<AccountStore>(ACCOUNT_KINDS, {
  ...{ ...accounts, ...accountLimits, ...accountSums, ...budgetUse, ...raises, ...autoTopUps, ...entries },
  ...{ ...keys, ...keyTags, ...playgroundKeys, ...projects, ...tagValues, ...contentSwitches, ...requests },
  ...{ ...usage, ...exploreUsage, ...overview, ...marks, ...page },
  ...{ ...circuitChanges, ...refusals, ...refusedRequests, ...reportTraffic, ...vendorSlots },
});
