import { randomBase62 } from "../../core/ids.ts";

/** The id of a vendor's call, or one of our own where it has none: a client cannot give the result of a call without an id. */
export function callIdOf(told: unknown, prefix: "call" | "toolu" | "tooluse"): string {
  return typeof told === "string" && told !== "" ? told : `${prefix}_${randomBase62(22)}`;
}

/** The name of a vendor's call; empty where it is no text. */
export function callNameOf(told: unknown): string {
  return typeof told === "string" ? told : "";
}
