import type { Attempt } from "../../core/ledger.ts";

/**
 * The values that only a failed attempt, and an attempt after it, have: the ninth value of the short form. It
 * stands last as an object, so that the end of the text shows that no part of it is shared (shared-texts.ts). Its place
 * is behind calls and failures, so these attempts have both, and `one` says that they are single tries.
 */
export interface AttemptDetails {
  readonly at: number;
  readonly said?: string;
  readonly own?: 1;
  readonly one?: 1;
}

/** Null for an attempt without values beyond those of every attempt. */
export function attemptDetails({ started_ms, said, said_to_operator, calls }: Attempt): AttemptDetails | null {
  if (started_ms === undefined) return null;
  return {
    at: started_ms,
    ...(said !== undefined && { said }),
    ...(said_to_operator === true && { own: 1 as const }),
    ...(calls === undefined && { one: 1 as const }),
  };
}

/** The calls and failures of an attempt that has such values. */
export function countsOf({ calls = 1, failures, error }: Attempt): readonly [calls: number, failures: number] {
  return [calls, failures ?? (error === null ? 0 : 1)];
}

/** The members of an attempt that come from its last three values. */
export function detailMembers(
  details: AttemptDetails | undefined,
  calls: number | undefined,
  failures: number | undefined,
): Pick<Attempt, "started_ms" | "said" | "said_to_operator" | "calls" | "failures"> {
  const counted = calls === undefined || failures === undefined || details?.one === 1 ? {} : { calls, failures };
  if (details === undefined) return counted;
  return {
    started_ms: details.at,
    ...(details.said !== undefined && { said: details.said }),
    ...(details.own === 1 && { said_to_operator: true as const }),
    ...counted,
  };
}
