import { CliFailure } from "./failure.ts";

/** The JSON of a gateway's answer. Throws a CliFailure where the server at the address sends something else. */
export async function readAnswer(response: Response, url: URL): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `What answers at ${url.origin} (status ${response.status}) is not a Camino gateway. Give its address with --url or CAMINO_URL.`;
    throw new CliFailure(message, { code: "not_a_gateway", cause });
  }
}

/** The failure of an answer that has neither the expected shape nor an error's: the gateway is of another version. */
export function unexpectedAnswer(status: number, url: URL): CliFailure {
  const message = `The gateway at ${url.origin} answered with status ${status} in a shape that this command does not know. Use the camino command of the gateway's own version.`;
  return new CliFailure(message, { code: "unexpected_answer" });
}
