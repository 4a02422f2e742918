import type { Draw } from "../../torture/draw.ts";

/** A head whose lines are these, one byte a character. */
export function headOf(...lines: readonly string[]): Buffer {
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}

/** A body in chunks of random sizes. */
export function inChunks(body: Buffer, draw: Draw): Buffer {
  const parts: Buffer[] = [];
  const most = draw.one([1, 7, 100, 4000]);
  for (let at = 0; at < body.length; ) {
    const size = Math.min(body.length - at, draw.whole(Math.ceil(most / 4), most));
    const extension = draw.chance(0.02) ? ";x=y" : "";
    parts.push(Buffer.from(`${size.toString(16)}${extension}\r\n`), body.subarray(at, at + size), Buffer.from("\r\n"));
    at += size;
  }
  return Buffer.concat([...parts, Buffer.from(draw.chance(0.1) ? "0\r\nx-trailer: y\r\n\r\n" : "0\r\n\r\n")]);
}
