import type { Work } from "../sql/work.ts";
import type { Deadline } from "./deadline.ts";

/** Makes a work anew for each try, since a generator runs once. */
export type MakeWork<Result> = () => Work<Result>;

/** One connection, for the checks before its first use. */
export interface Session {
  read<Result>(make: MakeWork<Result>): Promise<Result>;
  write<Result>(make: MakeWork<Result>): Promise<Result>;
}

/** One try of a transaction: whether its COMMIT was sent, and whether it was given up. */
export interface TransactionAttempt {
  commit_sent: boolean;
  over: boolean;
  readonly deadline: Deadline;
}

/** Throws where the work was given up: a server that wakes up later must not commit it. */
export function requireTime(attempt: TransactionAttempt): void {
  if (attempt.over) throw givenUp();
  attempt.deadline.require();
}

export function givenUp(): Error {
  return new Error("the work was given up");
}
