/** A command of the gateway (`CLOCK_COMMAND`, else `serve`) on a machine whose clock is off by `CLOCK_OFF_MS`. */
const { CLOCK_OFF_MS, CLOCK_COMMAND = "serve" } = process.env;
const real = Date.now;
Date.now = () => real() + Number(CLOCK_OFF_MS);
process.argv.splice(2, 0, CLOCK_COMMAND);
await import("../../../../src/main.ts");

export {};
