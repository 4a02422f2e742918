import type { GenerationEndpoint } from "../../../src/core/endpoints.ts";
import { mutateFrames } from "../inputs/mutate-frames.ts";
import { JSON_WORDS, SSE_WORDS } from "../inputs/odd-values.ts";
import { streamedBy, wholeBy } from "../reading/answer-by.ts";
import { chosen, type Mutilations } from "../reading/mutilate.ts";
import { mutilatedWhole, wholeOf } from "../reading/mutilate-wholes.ts";
import { type Reading, readBySdk, sorted } from "../reading/sdk-readers.ts";
import { recordedStream, SHAPES, type StreamShape } from "../reading/shapes.ts";
import { mutateText } from "./json-members.ts";
import { expectSame, type FuzzTarget } from "./target.ts";
import { STYLES } from "./ways.ts";

/**
 * The first byte of an input chooses a client's style and a vendor's shape, the second what the others are: a mutilation that loses nothing, of
 * a stream or of an answer in one piece, or the vendor's bytes themselves.
 */
export const reading: FuzzTarget = {
  name: "reading",
  promise:
    "official clients read what a vendor mutilated to its end, or are told why not, and lose nothing that it said",
  words: [...SSE_WORDS, ...JSON_WORDS],
  seeds,
  run,
  mutate: (input, draw, other) => {
    const rest = input.subarray(HEAD);
    const kind = kindOf(input);
    if (kind === "stream") return joined(input, mutateFrames(rest, draw, other.subarray(HEAD)));
    if (kind === "whole") return joined(input, mutateText(rest, draw, other.subarray(HEAD)));
    return joined(input, Buffer.from(Array.from({ length: MOST_CHOICES }, () => draw.whole(0, 255))));
  },
};

const HEAD = 2;
const KINDS = ["mutilated-stream", "mutilated-whole", "stream", "whole"] as const;
/** So many bytes choose a mutilation. */
const MOST_CHOICES = 16;

function kindOf(input: Buffer): (typeof KINDS)[number] {
  return KINDS[(input[1] ?? 0) % KINDS.length] ?? "stream";
}

function joined(input: Buffer, rest: Buffer): Buffer {
  return Buffer.concat([input.subarray(0, HEAD), rest]);
}

function seeds(): Buffer[] {
  return STYLES.flatMap((_, style) =>
    SHAPES.flatMap((shape, at) => {
      const head = (kind: number): Buffer => Buffer.from([style + STYLES.length * at, kind]);
      return [
        ...[0, 1].map((kind) => Buffer.concat([head(kind), Buffer.alloc(MOST_CHOICES)])),
        ...shape.recorded.map((name) => Buffer.concat([head(2), Buffer.from(recordedStream(shape, name))])),
        Buffer.concat([head(3), Buffer.from(JSON.stringify(wholeOf(shape.vendor).body()))]),
      ];
    }),
  );
}

async function run(input: Buffer): Promise<void> {
  const head = input[0] ?? 0;
  const style = chosen<GenerationEndpoint>(STYLES, head) ?? "messages";
  const shape = chosen(SHAPES, Math.floor(head / STYLES.length));
  if (shape === undefined) return;
  const way = { style, vendor: shape.vendor };
  const rest = input.subarray(HEAD);
  switch (kindOf(input)) {
    case "stream":
      // Frames on the hot path are searched, not read. Those that are no JSON are the client's to refuse, and no vendor writes a key twice or
      // with escapes.
      if (!isOfPlainJson(rest)) return;
      return void (await readBySdk(style, streamedBy(way, Buffer.from(rest))));
    case "whole":
      return void (await readBySdk(style, wholeBy(way, Buffer.from(rest))));
    case "mutilated-stream": {
      const { stream, expected } = shape.mutilate(...mutilationOf(shape, rest));
      return expectRead(style, expected, streamedBy(way, stream));
    }
    case "mutilated-whole": {
      const members = [1, 4, 7].map((at) => [rest[at] ?? 0, rest[at + 1] ?? 0, rest[at + 2] ?? 0] as const);
      const { body, expected } = mutilatedWhole(wholeOf(shape.vendor), { members, cut: (rest[0] ?? 0) % 3 });
      return expectRead(style, expected, wholeBy(way, body));
    }
  }
}

function isOfPlainJson(stream: Buffer): boolean {
  const lines = stream.toString().split(/\r\n|\r|\n/);
  return lines.every((line) => {
    if (line === "" || /^(event|id|retry)?:/.test(line) || /^data: ?\[DONE\]$/.test(line)) return true;
    try {
      return line.startsWith("data:") && isPlain(line.slice("data:".length));
    } catch {
      return false;
    }
  });
}

/** Whether a text is JSON of an object or a list in which each key stands once and as it is. */
function isPlain(text: string): boolean {
  const value: unknown = JSON.parse(text);
  const keys = text.match(/"(?:[^"\\]|\\.)*"(?=[ \t]*:)/g) ?? [];
  return typeof value === "object" && keys.length === countKeys(value) && !keys.some((key) => key.includes("\\"));
}

function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const held = Object.values(value).reduce<number>((count, one) => count + countKeys(one), 0);
  return held + (Array.isArray(value) ? 0 : Object.keys(value).length);
}

async function expectRead(style: GenerationEndpoint, expected: Reading, answered: Parameters<typeof readBySdk>[1]) {
  expectSame(
    `what a client of ${style} has and what was said`,
    sorted(await readBySdk(style, answered)),
    sorted(expected),
  );
}

function mutilationOf(shape: StreamShape, bytes: Buffer): [recorded: string, how: Mutilations] {
  const choice = (at: number) => [bytes[at + 1] ?? 0, bytes[at + 2] ?? 0] as const;
  const small = chosen(Object.keys(shape.small), bytes[1] ?? 0) ?? "";
  const large = chosen(Object.keys(shape.large), bytes[4] ?? 0) ?? "";
  const how = { small: [[small, ...choice(1)]], large: [large, ...choice(4)] } as const;
  return [recordedStream(shape, chosen(shape.recorded, bytes[0] ?? 0) ?? ""), how];
}
