import { GatewayError } from "../../../src/core/errors.ts";
import { formParts } from "../../../src/http/form-parts.ts";
import { readFields } from "../../../src/protocols/transcription/form-fields.ts";
import { expectThat, type FuzzTarget } from "./target.ts";

/** The first line of an input is the content type; what follows is the form. */
export const forms: FuzzTarget = {
  name: "forms",
  promise: "a form is separated into parts that are in it, or refused",
  words: [
    "--b",
    "\r\n--b\r\n",
    "\r\n--b--",
    "--",
    "\r\n",
    "\r\n\r\n",
    'content-disposition: form-data; name="',
    '"',
    ";",
    "name=x",
    "\0",
  ],
  seeds,
  run,
};

function seeds(): Buffer[] {
  const type = "multipart/form-data; boundary=b";
  const part = (head: string, data: string): string =>
    `--b\r\ncontent-disposition: form-data; ${head}\r\n\r\n${data}\r\n`;
  const texts = [
    `${type}\n${part('name="request"', '{"model":"m"}')}--b--\r\n`,
    `${type}\n${part('name="request"\r\ncontent-type: application/json', "{}")}${part('filename="a;name=x"; name=a', "\xff\0\r\n-")}--b--`,
    `${type}\n${part('name="file"; filename="a.wav"', "RIFF")}${part('name="model"', "m")}${part('name="stream"', "true")}--b--`,
    `multipart/form-data; charset=x; boundary="b b"\n--b b\r\nContent-Disposition: form-data;name="é"\r\n\r\n\r\n--b b--`,
  ];
  return texts.map((text) => Buffer.from(text, "latin1"));
}

const CODES: ReadonlySet<string> = new Set(["invalid_json", "invalid_input", "request_too_large"]);

function run(input: Buffer): void {
  const end = input.indexOf(10);
  const content_type = input.toString("latin1", 0, end === -1 ? input.length : end);
  const body = end === -1 ? Buffer.alloc(0) : input.subarray(end + 1);
  try {
    const parts = formParts(body, content_type);
    for (const { name, data } of parts) {
      expectThat(typeof name === "string" && body.includes(data), "a part's data are not in the form");
      expectThat(data.length < body.length, "a part is larger than its form");
    }
    const { model, file } = readFields(parts);
    expectThat(model !== "" && file.data.length > 0, "a form without a model or a file was read");
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || !CODES.has(thrown.code)) throw thrown;
  }
}
