import { readFileSync } from "node:fs";
import { plainData, plainFrame } from "../../../src/protocols/chat-completions/data-frames.ts";
import { normalizeDataLines } from "../../../src/protocols/shared/data-lines.ts";
import { dataText, eventName, SseFrames } from "../../../src/protocols/shared/sse-frames.ts";
import { fixtureFiles } from "../inputs/fixtures.ts";
import { SSE_WORDS } from "../inputs/odd-values.ts";
import { Broken, expectSame, expectThat, type FuzzTarget, piecesOf } from "./target.ts";

/** One event as the standard defines it. */
interface Event {
  readonly name: string;
  readonly data: string;
}

export const sseFrames: FuzzTarget = {
  name: "sse",
  promise: "the frames of a stream are the same in pieces of any size, and are the events that the standard defines",
  words: SSE_WORDS,
  seeds: () => fixtureFiles(".sse").map((path) => readFileSync(path)),
  run,
};

function run(input: Buffer): void {
  const whole = framesOf([Buffer.from(input)]);
  const pieces = framesOf(piecesOf(input));
  expectSame("the frames of the whole and of the pieces", textsOf(whole), textsOf(pieces));
  if (whole.fault !== null) return;
  const events = whole.frames.flatMap((frame): Event[] => {
    const data = dataText(frame);
    return data === null ? [] : [{ name: eventName(frame), data }];
  });
  expectSame("the events and the standard's", events, referenceEvents(input));
  for (const frame of whole.frames) checkFrame(frame);
}

interface Split {
  readonly frames: readonly Buffer[];
  readonly fault: SseFrames["fault"];
}

function textsOf({ frames, fault }: Split): unknown {
  return { frames: frames.map((frame) => frame.toString("latin1")), fault };
}

function framesOf(pieces: readonly Buffer[]): Split {
  const frames = new SseFrames();
  const found: Buffer[] = [];
  for (const piece of pieces) {
    frames.feed(piece);
    for (let frame = frames.next(); frame !== null; frame = frames.next()) found.push(Buffer.from(frame));
  }
  const last = frames.end();
  return { frames: last === null ? found : [...found, last], fault: frames.fault };
}

const DATA = Buffer.from("data:");

/** What is made of a frame for clients means what the frame means. */
function checkFrame(frame: Buffer): void {
  expectThat(frame.length > 0, "a frame is empty");
  const data = dataText(frame);
  const even = normalizeDataLines(frame);
  expectThat(sameButBlanks(dataText(even), data), `even data lines say something else: ${even.toString("latin1")}`);
  // A field that the standard does not know, and that looks like data at two places: the gateway looks at these alone.
  if (/^d...: /s.test(frame.toString("latin1", 0, 6)) && !frame.subarray(0, 5).equals(DATA)) return;
  const plain = plainFrame(frame);
  if (plain === null) return expectThat(data === null || data.trim() === "", "a frame with data was dropped");
  // JSON in place of a stream, which the standard reads as fields without a meaning.
  const said = data === null && /^[{[]/.test(frame.toString("latin1", 0, 1)) ? frame.toString() : data;
  const written = plain.toString("latin1");
  if (!/^data: [^ \t\n\r][^\n\r]*\n\n$/.test(written) && written !== "data: \n\n")
    throw new Broken(`a plain frame is ${JSON.stringify(written)}`);
  expectThat(sameButBlanks(plainData(plain), said), `a plain frame says something else: ${JSON.stringify(written)}`);
}

function sameButBlanks(one: string | null, other: string | null): boolean {
  return one?.replaceAll(/[ \t\n\r]+/g, "") === other?.replaceAll(/[ \t\n\r]+/g, "");
}

/** The events of a stream, read line by line as the standard says. An event at the end may lack its blank line. */
function referenceEvents(input: Buffer): Event[] {
  const text = input.toString("latin1").replace(/^\xef\xbb\xbf/, "");
  const events: Event[] = [];
  let name = "";
  let data: string[] = [];
  for (const line of [...text.split(/\r\n|\n|\r/), ""]) {
    if (line === "") {
      if (data.length > 0) events.push({ name, data: data.join("\n") });
      name = "";
      data = [];
      continue;
    }
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = Buffer.from(colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, ""), "latin1").toString();
    if (field === "event") name = value;
    else if (field === "data") data.push(value);
  }
  return events;
}
