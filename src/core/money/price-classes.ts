/**
 * The classes that a price may name (docs/adr/0018), as data: the configuration's schema, holds, charges, receipts, the
 * console and the readers of published lists all use these two tables. The four classes that every request has are
 * fields of their own (`ClassPrices`, `Usage`); the tables list the rare classes.
 */

/** The four classes whose tokens make up every request. */
export type MainClass = "input" | "cache_read" | "cache_write" | "output";

/**
 * Parts of the four classes: tokens that are counted in their class and may have a price apart. The parts of a class never
 * overlap; a part without a price is charged as its class.
 */
export const TOKEN_PARTS = {
  input_audio: "input",
  input_image: "input",
  input_video: "input",
  cache_read_audio: "cache_read",
  cache_read_image: "cache_read",
  cache_read_video: "cache_read",
  /** Tokens that the vendor caches for an hour instead of five minutes. */
  cache_write_1h: "cache_write",
  /** Tokens that the vendor caches for twelve hours (OpenAI, instead of half an hour). */
  cache_write_12h: "cache_write",
  output_audio: "output",
  output_image: "output",
  output_video: "output",
  /** Counted in `Usage.reasoning_tokens`, which every usage has. */
  output_reasoning: "output",
} as const satisfies Readonly<Record<string, MainClass>>;
export type TokenPart = keyof typeof TOKEN_PARTS;

/** Charges by the call of a vendor's own tool, or by its session, instead of by tokens. */
const CALL_CLASSES = {
  web_search: "a search of the web",
  file_search: "a search of the vendor's file store",
  collections_search: "a search of a collection of documents",
  x_search: "a search of posts on X",
  maps_search: "a search of places on a map",
  code_interpreter: "a session of the vendor's code interpreter",
  code_execution: "a run of code at the vendor",
} as const satisfies Readonly<Record<string, string>>;
export type CallClass = keyof typeof CALL_CLASSES;

/**
 * Charges by what a request has beside tokens, by the name of the price: what is counted, and how much of it the price is for. A count
 * of sound is in whole seconds, and its price is for a minute. Images may cost different prices by size and quality: each is a list of its
 * own (`PriceVariants.images`).
 */
export const UNIT_PRICES = {
  input_characters: { counts: "input_characters", unit: "character", per: 1_000_000n },
  input_minutes: { counts: "input_seconds", unit: "second", per: 60n },
  images: { counts: "images", unit: "image", per: 1n },
  searches: { counts: "searches", unit: "search", per: 1000n },
} as const satisfies Readonly<Record<string, { counts: string; unit: string; per: bigint }>>;
export type UnitPrice = keyof typeof UNIT_PRICES;
export type UnitCount = (typeof UNIT_PRICES)[UnitPrice]["counts"];
export type PricedUnit = (typeof UNIT_PRICES)[UnitPrice]["unit"];

const LIFETIMES: Readonly<Record<string, TokenPart>> = { "1h": "cache_write_1h", "12h": "cache_write_12h" };
/** The lifetimes that vendors give to what they cache where nobody asks for another: the class of cache writes is theirs. */
const USUAL_LIFETIMES: ReadonlySet<string> = new Set(["5m", "30m"]);

/** The price class of cache writes that are kept this long: `usual` is the class itself; null where there is none. */
export function lifetimeClass(lifetime: string): TokenPart | "usual" | null {
  if (USUAL_LIFETIMES.has(lifetime)) return "usual";
  return Object.hasOwn(LIFETIMES, lifetime) ? (LIFETIMES[lifetime] ?? null) : null;
}

/** The lifetime in the name of a count: `ephemeral_12h_input_tokens`, `ttl_30m_tokens`, `cache_write_1h`; null for none. */
export function lifetimeIn(name: string): string | null {
  return /(?:^|_)(\d{1,4}[smhd])(?:_|$)/.exec(name)?.[1] ?? null;
}

export const PART_NAMES = Object.keys(TOKEN_PARTS) as readonly TokenPart[];
export const CALL_NAMES = Object.keys(CALL_CLASSES) as readonly CallClass[];

export const UNIT_NAMES = Object.keys(UNIT_PRICES) as readonly UnitPrice[];

/** What is counted beside tokens: each unit once. */
export const UNIT_COUNTS = [...new Set(Object.values(UNIT_PRICES).map(({ counts }) => counts))] as readonly UnitCount[];
export const NO_UNITS: Readonly<Record<UnitCount, 0>> = {
  input_characters: 0,
  input_seconds: 0,
  images: 0,
  searches: 0,
};

export type PartCounts = Readonly<Partial<Record<TokenPart, number>>>;
export type CallCounts = Readonly<Partial<Record<CallClass, number>>>;
export type UnitCounts = Readonly<Partial<Record<UnitCount, number>>>;
