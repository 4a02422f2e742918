/** Checks of a library against the gateway: one line of JSON for each, as the session reads them. */

export const URL_ = process.env.CAMINO_URL;
export const KEY = process.env.CAMINO_API_KEY;
export const VENDOR = process.env.CAMINO_VENDOR;
export const model = (kind) => `${VENDOR}/${kind}`;

/** One red pixel. */
export const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export const WEATHER = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};

/** Fails the check that runs, with what was found. */
export function expect(ok, found) {
  if (!ok) throw new Error(typeof found === "string" ? found : JSON.stringify(found)?.slice(0, 800));
}

/** Runs named functions one after the other, each a check by itself. */
export async function runAll(checks) {
  for (const [check, run] of Object.entries(checks)) {
    try {
      await run();
      console.log(JSON.stringify({ check, ok: true }));
    } catch (error) {
      console.log(JSON.stringify({ check, ok: false, detail: String(error?.stack ?? error).slice(0, 1200) }));
    }
  }
}

/** The error that a call is refused with. */
export async function refusal(call) {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error("was not refused");
}
