/** `camino serve` as if on a machine with 64 MiB of memory, so that the bounds that follow from the memory are met by little traffic. */
process.constrainedMemory = () => 64 * 2 ** 20;

const { serveWithTimings } = await import("../../../support/gateways/serve-with-timings.ts");
const { TIMINGS } = await import("../../../../src/main/timings.ts");
await serveWithTimings("small", TIMINGS);
