import { newId } from "../../core/ids.ts";

/** A response of which nothing is known but its model: what ends a stream whose vendor never sent its beginning. */
export function emptyResponse(model_id: string): Record<string, unknown> {
  return {
    id: newId("resp"),
    object: "response",
    created_at: 0,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: model_id,
    output: [],
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: "auto",
    tools: [],
    top_p: null,
    usage: null,
  };
}
