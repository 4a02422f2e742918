import { type Candidate, type RouteGroup, weightOf } from "./candidates.ts";

/** A candidate's name among those of its model, the same on every node and after a restart. */
export function candidateId({ route, credential }: Candidate): string {
  return `${route.vendor}\n${route.upstream_model}\n${credential?.name ?? ""}`;
}

/**
 * The order in which a conversation goes to the candidates of a model, by rendezvous hashing (docs/rulings.md 181): the same on every
 * node, shared out by weight, and where a candidate is added or taken away only the conversations move that are its own.
 */
export function rankCandidates<Each extends Candidate>(group: RouteGroup<Each>, conversation: number): Each[] {
  return group
    .map((candidate) => ({ candidate, distance: distanceOf(candidate, conversation) }))
    .toSorted((one, other) => one.distance - other.distance)
    .map(({ candidate }) => candidate);
}

function distanceOf(candidate: Candidate, conversation: number): number {
  const share = (shortHash(candidateId(candidate), conversation) + 1) / (2 ** 53 + 1);
  return -Math.log(share) / weightOf(candidate);
}

/** A hash of 53 bits, which a number holds exactly. */
export function shortHash(text: string, seed: number): number {
  return Number(BigInt.asUintN(53, BigInt(Bun.hash(text, seed))));
}
