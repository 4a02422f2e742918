import type { Work } from "../sql/work.ts";

/** A work is made anew for each try: a generator runs once. */
export type MakeWork<Result> = () => Work<Result>;

/** One connection, as who greets it may use it. */
export interface Session {
  read<Result>(make: MakeWork<Result>): Promise<Result>;
  write<Result>(make: MakeWork<Result>): Promise<Result>;
}
