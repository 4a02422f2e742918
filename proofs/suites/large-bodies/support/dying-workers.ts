/** `camino serve` whose first thread for large bodies dies when it is asked what the variable DIES_AT names. */
import { TIMINGS } from "../../../../src/main/timings.ts";
import { serveWithTimings } from "../../../support/gateways/serve-with-timings.ts";

let deaths = 1;

const { postMessage } = Worker.prototype;

Worker.prototype.postMessage = function dieOrPost(this: Worker, ...[message, ...more]: unknown[]): void {
  const { call } = message as { call?: string };
  if (call !== process.env.DIES_AT || deaths === 0) return void Reflect.apply(postMessage, this, [message, ...more]);
  deaths -= 1;
  this.terminate();
};

await serveWithTimings("dying", TIMINGS);
