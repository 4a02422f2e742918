/** The parts of a message of protobuf, by their numbers: how each is called, and how its bytes are read. */
export type Shape = Readonly<Record<number, readonly [name: string, type: FieldType, is_list?: "list"]>>;
export type FieldType = "text" | "hex" | "bool" | "int" | "double" | "fixed64" | "fixed32" | Shape | (() => Shape);

export type Message = { readonly [name: string]: unknown };

/** Reads a message. Fields that the shape does not know are passed over, as the format asks for; what breaks off throws. */
export function readMessage(bytes: Uint8Array, shape: Shape): Message {
  const reader = new Reader(bytes);
  const message: Record<string, unknown> = {};
  for (const [name, , is_list] of Object.values(shape)) if (is_list) message[name] = [];
  while (!reader.atEnd) {
    const tag = Number(reader.varint());
    const wire = tag & 7;
    const field = shape[tag >> 3];
    const raw = reader.take(wire);
    if (field === undefined) continue;
    const [name, type, is_list] = field;
    const list = message[name];
    if (is_list === undefined || !Array.isArray(list)) message[name] = readValue(raw, type);
    // Numbers of a list come packed in one piece.
    else if (typeof type === "string" && raw instanceof Uint8Array && type !== "text" && type !== "hex")
      list.push(...packed(raw, type));
    else list.push(readValue(raw, type));
  }
  return message;
}

function packed(raw: Uint8Array, type: string): unknown[] {
  const reader = new Reader(raw);
  const values: unknown[] = [];
  while (!reader.atEnd)
    values.push(readValue(reader.take(type === "int" ? 0 : type === "fixed32" ? 5 : 1), type as FieldType));
  return values;
}

function readValue(raw: Uint8Array | bigint, type: FieldType): unknown {
  if (typeof raw === "bigint") return type === "bool" ? raw !== 0n : Number(BigInt.asIntN(64, raw));
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  if (type === "text") return new TextDecoder("utf-8", { fatal: true }).decode(raw);
  if (type === "hex") return Buffer.from(raw).toString("hex");
  if (type === "double") return view.getFloat64(0, true);
  if (type === "fixed64") return view.getBigUint64(0, true);
  if (type === "fixed32") return view.getUint32(0, true);
  if (typeof type === "string") throw new Error("a text, a number or bytes have the wrong form");
  return readMessage(raw, typeof type === "function" ? type() : type);
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.byteLength;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new Error("a message breaks off");
      this.#at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  /** The bytes of a value by its wire type, or its number where it is one. */
  take(wire: number): Uint8Array | bigint {
    if (wire === 0) return this.varint();
    const length = wire === 1 ? 8 : wire === 5 ? 4 : wire === 2 ? Number(this.varint()) : Number.NaN;
    if (!(this.#at + length <= this.#bytes.byteLength)) throw new Error(`a field of wire type ${wire} breaks off`);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}
