/** Checks of a library against the gateway. Each prints one line of JSON, which the session reads. */

export const URL_ = process.env.CAMINO_URL;
export const KEY = process.env.CAMINO_API_KEY;
export const VENDOR = process.env.CAMINO_VENDOR;
export const model = (kind) => `${VENDOR}/${kind}`;

/** A PNG of one red pixel. */
export const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export const WEATHER = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};

/** Fails the running check, with what was found. */
export function expect(ok, found) {
  if (!ok) throw new Error(typeof found === "string" ? found : JSON.stringify(found)?.slice(0, 800));
}

/** Runs named functions one after the other; each is a check of its own. */
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

/** The error that refuses a call. */
export async function refusal(call) {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error("was not refused");
}
