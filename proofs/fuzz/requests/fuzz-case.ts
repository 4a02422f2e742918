import type { RouteName } from "../../../src/http/paths/routes.ts";

/** What one client does on one connection. Everything follows from the run's seed and the case's number. */
export interface FuzzCase {
  /** The case's place in the run. */
  readonly number: number;
  /** Which of the batch's models are its own. */
  readonly slot: number;
  readonly seed: number;
  /** Stands in the texts that its vendor sends: nobody else may read it. */
  readonly marker: string;
  /** `bytes`: the requests are changed as bytes, and nobody knows how many there are any more. */
  readonly family: "requests" | "bytes";
  readonly steps: readonly PlannedStep[];
  /** Whether all steps are written at once, without waiting for answers. */
  readonly pipelined: boolean;
}

export interface PlannedStep {
  readonly route: RouteName | "unknown";
  readonly method: string;
  /** `{id}` stands for the id of the first stored response of the case, as in the body. */
  readonly target: string;
  /** Whole lines. */
  readonly headers: readonly string[];
  readonly body: Buffer | null;
  /** Chunks of these sizes in turn; null: with its length. */
  readonly chunk_sizes: readonly number[] | null;
  /** The bytes are written in pieces of this size; null: in one. */
  readonly piece_bytes: number | null;
  /** The client closes the connection so long after its request; null: it stays. */
  readonly leaves_after_ms: number | null;
  /** Changes the written bytes by draws of this seed; null in the family of requests. */
  readonly mutation_seed: number | null;
  /** The vendor whose model was asked for, if the body still says so; null for requests without a model. */
  readonly vendor: string | null;
  readonly key: KeyChoice;
}

/** The keys of a batch, and two that are none. */
export type KeyChoice = "rich" | "other" | "poor" | "narrow" | "wrong" | "none";

/** What stands in a planned request for the id of the first response that the case was answered with, but to the other account. */
export const RESPONSE_ID = "{response_id}";
