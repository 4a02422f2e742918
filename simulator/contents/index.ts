import type { Ask } from "../ask.ts";
import type { Performance } from "../performance.ts";
import { agent } from "./agent.ts";
import { bench } from "./bench.ts";
import { decide } from "./decide.ts";
import { draw } from "./draw.ts";
import { echo } from "./echo.ts";
import { embed } from "./embed.ts";
import { everything } from "./everything.ts";
import { filter } from "./filter.ts";
import { hidden } from "./hidden.ts";
import { json } from "./json.ts";
import { judge } from "./judge.ts";
import { listen } from "./listen.ts";
import { long } from "./long.ts";
import { moderate } from "./moderate.ts";
import { rank } from "./rank.ts";
import { reason } from "./reason.ts";
import { refuse } from "./refuse.ts";
import { speak } from "./speak.ts";
import { stop } from "./stop.ts";
import { tools } from "./tools.ts";
import { unicode } from "./unicode.ts";
import { vision } from "./vision.ts";

/** The contents by name: each makes the answer to a request, independently of the protocol. */
export const CONTENTS = {
  agent,
  bench,
  decide,
  draw,
  echo,
  embed,
  everything,
  filter,
  hidden,
  json,
  judge,
  listen,
  long,
  moderate,
  rank,
  reason,
  refuse,
  speak,
  stop,
  tools,
  unicode,
  vision,
} as const satisfies Record<string, (ask: Ask) => Performance>;

export type ContentName = keyof typeof CONTENTS;
