import { certificateProblem } from "../../wire/client/upstream-error.ts";

/** Why a server could not be reached: what is wrong with its certificate, or the system's error code such as ECONNREFUSED, where the error has a code. */
export function unreachableBecause(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  if (thrown.name === "TimeoutError") return "no answer in time";
  if (!("code" in thrown && typeof thrown.code === "string")) return thrown.message;
  return certificateProblem(thrown.code) ?? thrown.code;
}
