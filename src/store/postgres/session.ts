import type { Work } from "../sql/work.ts";
import type { Deadline } from "./deadline.ts";

/** A work is made anew for each try: a generator runs once. */
export type MakeWork<Result> = () => Work<Result>;

/** One connection, as who greets it may use it. */
export interface Session {
  read<Result>(make: MakeWork<Result>): Promise<Result>;
  write<Result>(make: MakeWork<Result>): Promise<Result>;
}

/** How far a work has come, and whether it still may go on. */
export interface Turn {
  commit_sent: boolean;
  over: boolean;
  readonly deadline: Deadline;
}

/** Throws where a work was given up: it must not be committed when its server wakes up. */
export function requireTime(turn: Turn): void {
  if (turn.over) throw givenUp();
  turn.deadline.require();
}

export function givenUp(): Error {
  return new Error("the work was given up");
}
