import { expect } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Static, TSchema } from "typebox";
import { Errors } from "typebox/value";
import { ErrorBody } from "../../../../contract/common.ts";
import type { Gateway } from "../../../support/gateway.ts";

/** Calls a gateway's console API as an administrator, over HTTP. */
export class ConsoleCaller {
  readonly #gateway: Pick<Gateway, "url">;
  readonly #token: string;
  /** The body of every answer, as text. */
  readonly told: string[] = [];

  private constructor(gateway: Pick<Gateway, "url">, token: string) {
    this.#gateway = gateway;
    this.#token = token;
  }

  static async of(gateway: Pick<Gateway, "url" | "data">): Promise<ConsoleCaller> {
    return new ConsoleCaller(gateway, (await readFile(join(gateway.data, "admin-token"), "utf8")).trim());
  }

  /** The body of an answer that must be a success and agree with the contract. */
  async read<Schema extends TSchema>(schema: Schema, call: string, body?: unknown): Promise<Static<Schema>> {
    return await this.#read(200, schema, call, body);
  }

  /** The error of an answer that must be a refusal with this status. */
  async refusal(status: number, call: string, body?: unknown): Promise<Static<typeof ErrorBody>["error"]> {
    return (await this.#read(status, ErrorBody, call, body)).error;
  }

  /** Sends `METHOD /path`. */
  send(call: string, body?: unknown): Promise<Response> {
    const [method = "", path = ""] = call.split(" ");
    return fetch(`${this.#gateway.url}/console/api${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async #read<Schema extends TSchema>(
    status: number,
    schema: Schema,
    call: string,
    body: unknown,
  ): Promise<Static<Schema>> {
    const response = await this.send(call, body);
    const text = await response.text();
    this.told.push(text);
    expect({ call, status: response.status, text: response.status === status ? "" : text }).toEqual({
      call,
      status,
      text: "",
    });
    const parsed: unknown = JSON.parse(text);
    expect(
      [...Errors(schema, parsed)].map(({ instancePath, message }) => `${call} ${instancePath} ${message}`),
    ).toEqual([]);
    return parsed as Static<Schema>;
  }
}
