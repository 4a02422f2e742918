import { added } from "./added.ts";
import { cells } from "./cells.ts";
import { coldStart } from "./cold-start.ts";
import { extras } from "./extras.ts";
import { idle } from "./idle.ts";
import { keys } from "./keys.ts";
import type { Lane } from "./lane.ts";
import { media } from "./media.ts";
import { million } from "./million.ts";
import { openLoop } from "./open-loop.ts";
import { openStreams } from "./open-streams.ts";
import { outside } from "./outside.ts";
import { postgres } from "./postgres.ts";
import { twoGateways } from "./two-gateways.ts";
import { young } from "./young.ts";

/** Every lane that is measured only when somebody asks for it, in the order of the table. */
export const LANES: readonly Lane[] = [
  keys,
  young,
  postgres,
  twoGateways,
  cells,
  openLoop,
  added,
  extras,
  outside,
  coldStart,
  idle,
  openStreams,
  media,
  million,
];
