import { litellm } from "./litellm.ts";
import type { Peer } from "./peer.ts";
import { portkey } from "./portkey.ts";

/** Every peer that a registry brings. proofs/bench/peers/README.md says which others there are, and why they are not here. */
export const PEERS: readonly Peer[] = [litellm, portkey];
