import type { RequestRecord, SimulatorLog } from "../../simulator/request-log.ts";
import type { VendorCall } from "./history.ts";
import { modelOfUpstream } from "./models.ts";
import type { RudeRequest } from "./rude-vendor.ts";

/** The client's id of a call, as its prompt has it. */
export const CALL_ID = /call-\d+-\d+-\d+-\d+/;

/** What the simulator was asked and what it sent. Requests for which no client's call stands are left out. */
export function vendorCalls(log: SimulatorLog, rude: readonly RudeRequest[]): VendorCall[] {
  return [...log.requests.flatMap(simulated), ...rude.flatMap(rudeCall)];
}

function simulated(record: RequestRecord): VendorCall[] {
  const call_id = CALL_ID.exec(record.text)?.[0];
  const model = modelOfUpstream(record.model ?? "");
  if (call_id === undefined || model === undefined) return [];
  const { status, usage } = record;
  return [
    {
      call_id,
      upstream_model: model.upstream_model,
      status,
      delivered: status !== 200 ? "none" : deliveredOf(record, model.delivers),
      usage,
      reporting: model.reporting,
    },
  ];
}

function deliveredOf(
  { finished, bytes_written }: RequestRecord,
  most: VendorCall["delivered"],
): VendorCall["delivered"] {
  if (finished) return most;
  return bytes_written > 0 ? "part" : "none";
}

function rudeCall({ model, text, status, usage }: RudeRequest): VendorCall[] {
  const call_id = CALL_ID.exec(text)?.[0];
  if (call_id === undefined) return [];
  const delivered = usage === null ? "none" : "whole";
  return [{ call_id, upstream_model: model, status, delivered, usage, reporting: "true" }];
}
