import type { VendorList } from "../../../../contract/vendors.ts";
import { LIVE_MS, useApi } from "../../api/use-api.ts";
import { TextLink } from "../../kit/row-link.tsx";
import { Notice } from "../../kit/states.tsx";
import { Time } from "../../kit/values.tsx";
import { LimitUses } from "../admin-vendors/limit-uses.tsx";

const REASONS = { limited: "limited its rate", refused: "refused it", forbidden: "forbade it" } as const;

/** The keys that rest on this node and the limits of vendors that are reached: requests pass these by. */
export function VendorTroubles() {
  const vendors = useApi("GET /vendors", {}, { refresh_ms: LIVE_MS });
  const troubled = (vendors.data?.data ?? []).filter(hasTrouble);
  return (
    <>
      {troubled.map(({ id, name, credential: { keys }, limits }) => (
        <Notice key={id} tone="warn">
          <TextLink to="/admin/vendors/$id" params={{ id }} search={{}}>
            {name}
          </TextLink>
          {keys
            .filter(({ state }) => state === "resting")
            .map((key) => (
              <p key={key.name}>
                {key.name} rests, as the vendor {key.reason === null ? "refused it" : REASONS[key.reason]}
                {key.rests_until === null ? (
                  "; a next request tries it"
                ) : (
                  <>
                    , until <Time at={key.rests_until} />
                  </>
                )}
                .
              </p>
            ))}
          {reachedOf(limits).length > 0 && <LimitUses limits={reachedOf(limits)} />}
          {keys
            .filter((key) => reachedOf(key.limits).length > 0)
            .map((key) => (
              <div key={key.name} className="flex flex-wrap gap-x-2">
                {key.name}: <LimitUses limits={reachedOf(key.limits)} />
              </div>
            ))}
        </Notice>
      ))}
    </>
  );
}

type Summary = VendorList["data"][number];

function reachedOf(limits: Summary["limits"]): Summary["limits"] {
  return limits.filter(({ used, share }) => used >= share);
}

function hasTrouble({ credential: { keys }, limits }: Summary): boolean {
  if (reachedOf(limits).length > 0) return true;
  return keys.some((key) => key.state === "resting" || reachedOf(key.limits).length > 0);
}
