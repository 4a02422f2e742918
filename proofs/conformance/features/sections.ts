import type { Section } from "../feature.ts";
import { caches } from "./caches.ts";
import { conversations } from "./conversations.ts";
import { endings } from "./endings.ts";
import { failures } from "./failures.ts";
import { formats } from "./formats.ts";
import { media } from "./media.ts";
import { reasoning } from "./reasoning.ts";
import { settings } from "./settings.ts";
import { tools } from "./tools.ts";

/** The whole matrix, in the order of reports. */
export const SECTIONS: readonly Section[] = [
  conversations,
  tools,
  media,
  formats,
  endings,
  reasoning,
  caches,
  settings,
  failures,
];
