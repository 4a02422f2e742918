import { newId } from "../../core/ids.ts";

/** A response of which only the model is known, for the end of a stream whose vendor never sent its first event. */
export function emptyResponse(model_id: string): Record<string, unknown> {
  return {
    id: newId("resp"),
    object: "response",
    created_at: 0,
    completed_at: null,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model: model_id,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: null,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_p: null,
    truncation: "disabled",
    usage: null,
  };
}
