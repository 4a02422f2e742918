import { crc32 } from "node:zlib";
import type { Draw } from "../../torture/draw.ts";
import { mutateTree, namesIn, type Tree, textOf, treeOf } from "./json-tree.ts";

/** A stream of server-sent events, or of binary events, with some of its events changed, moved, repeated or left out. */
export function mutateFrames(stream: Buffer, draw: Draw, other: Buffer): Buffer {
  if (isBinary(stream))
    return joinBinary(changed(binaryFrames(stream), draw, binaryFrames(other)), () => draw.chance(0.02));
  const frames = changed(textFrames(stream), draw, textFrames(other));
  const text = frames.join(draw.chance(0.1) ? "\n\n: keep\n\n" : "\n\n");
  const line_end = draw.weighted([
    { weight: 8, end: "\n" },
    { weight: 1, end: "\r\n" },
    { weight: 1, end: "\r" },
  ]).end;
  return Buffer.from((draw.chance(0.05) ? "\ufeff" : "") + text.replaceAll("\n", line_end));
}

function textFrames(stream: Buffer): string[] {
  return isBinary(stream) ? [] : stream.toString().replaceAll("\r\n", "\n").split("\n\n");
}

function changed(frames: readonly string[], draw: Draw, others: readonly string[]): string[] {
  const made = [...frames];
  for (let steps = draw.whole(1, 3); steps > 0 && made.length > 0; steps -= 1) {
    const at = draw.whole(0, made.length - 1);
    const frame = made[at] as string;
    switch (draw.whole(0, 7)) {
      case 0:
        made.splice(at, 1);
        break;
      case 1:
        made.splice(draw.whole(0, made.length), 0, frame);
        break;
      case 2:
        made.splice(draw.whole(0, made.length - 1), 0, ...made.splice(at, 1));
        break;
      case 3:
        if (others.length > 0) made.splice(at, 0, draw.one(others));
        break;
      case 4:
        made.length = at + 1;
        break;
      default:
        made[at] = withOtherData(frame, draw, others);
    }
  }
  return made;
}

/** The stream with the JSON of one of its events changed in place; `event` counts those that have JSON, from 0, around and around. */
export function withEventChanged(stream: Buffer, event: number, change: (tree: Tree) => void): Buffer {
  const frames = isBinary(stream) ? binaryFrames(stream) : textFrames(stream);
  const with_json = frames.flatMap((frame, at) => (jsonIn(frame) === null ? [] : [at]));
  const at = with_json[event % Math.max(1, with_json.length)];
  if (at !== undefined) frames[at] = withJson(frames[at] ?? "", change);
  return isBinary(stream) ? joinBinary(frames, () => false) : Buffer.from(frames.join("\n\n"));
}

function jsonIn(frame: string): unknown {
  const start = frame.indexOf("{");
  return start === -1 ? null : parsedFrom(frame.slice(start));
}

function withJson(frame: string, change: (tree: Tree) => void): string {
  const tree = treeOf(jsonIn(frame));
  change(tree);
  return frame.slice(0, frame.indexOf("{")) + textOf(tree);
}

/** The frame with its JSON changed as a tree; a frame without JSON stays. */
function withOtherData(frame: string, draw: Draw, others: readonly string[]): string {
  const start = frame.indexOf("{");
  const parsed = parsedFrom(frame.slice(start));
  if (start === -1 || parsed === null) return frame;
  const tree = treeOf(parsed);
  const second = others.length === 0 ? null : parsedFrom(draw.one(others).replace(/^[^{]*/, ""));
  mutateTree(tree, draw, {
    names: namesIn([tree]),
    most_repeats: 20,
    ...(second !== null && { other: treeOf(second) }),
  });
  return frame.slice(0, start) + textOf(tree);
}

function parsedFrom(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

const PRELUDE = 12;

/** Whether the stream begins with a message of `application/vnd.amazon.eventstream`. */
function isBinary(stream: Buffer): boolean {
  return stream.length > PRELUDE && stream[0] === 0 && crc32(stream.subarray(0, 8)) === stream.readUInt32BE(8);
}

/** Each message as latin1: its headers' length in four characters of hex, its headers, its payload. */
function binaryFrames(stream: Buffer): string[] {
  const frames: string[] = [];
  for (let at = 0; stream.length - at > PRELUDE; ) {
    const length = stream.readUInt32BE(at);
    const headers = stream.readUInt32BE(at + 4);
    if (length < PRELUDE + headers + 4 || at + length > stream.length) break;
    const hex = headers.toString(16).padStart(4, "0");
    frames.push(hex + stream.toString("latin1", at + PRELUDE, at + length - 4));
    at += length;
  }
  return frames;
}

/** The messages with lengths and checksums that are right, but for those whose checksum is to be wrong. */
function joinBinary(frames: readonly string[], isWrong: () => boolean): Buffer {
  return Buffer.concat(
    frames.map((frame) => {
      const content = Buffer.from(frame.slice(4), "latin1");
      const headers = Math.min(Number.parseInt(frame.slice(0, 4), 16), content.length);
      const message = Buffer.alloc(PRELUDE + content.length + 4);
      message.writeUInt32BE(message.length, 0);
      message.writeUInt32BE(headers, 4);
      message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
      content.copy(message, PRELUDE);
      const wrong = isWrong() ? 1 : 0;
      message.writeUInt32BE((crc32(message.subarray(0, -4)) ^ wrong) >>> 0, message.length - 4);
      return message;
    }),
  );
}
