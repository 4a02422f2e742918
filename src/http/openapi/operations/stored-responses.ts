import Type from "typebox";
import type { JsonObject } from "../../../core/json.ts";
import { ResponseObject } from "../../../protocols/responses/wire-answer.ts";
import { STORED_RESPONSE_CODES } from "./codes.ts";
import * as examples from "./generation-examples.ts";
import type { OperationRow, SampleSettings } from "./operation.ts";
import { parameter } from "./parameters.ts";
import { deleteSnippets, getSnippets } from "./snippets.ts";

const RESPONSE = "/v1/responses/$RESPONSE_ID";

const ITEM: JsonObject = {
  id: "msg_5f0c1d2e3a4b59687786a5b4c3d2e1f000",
  type: "message",
  role: "user",
  content: [{ type: "input_text", text: "Why is the sky blue?" }],
};

/** The operations on stored responses (docs/api.md 4.11). */
export function storedResponseOperations(settings: SampleSettings): OperationRow[] {
  const shared = { tag: "Generation", credential: "bearer", errors: STORED_RESPONSE_CODES } as const;
  return [
    {
      ...shared,
      route: "responses.retrieve",
      operation_id: "retrieveResponse",
      summary: "Retrieve a response",
      description: "A stored response as it was delivered. Responses are kept for an hour after they were last used.",
      parameters: [parameter("ResponseId"), parameter("Include")],
      answer: {
        description: "The response.",
        headers: ["RateLimit"],
        contents: [{ type: "application/json", schema: ResponseObject, example: examples.responsesAnswer(settings) }],
      },
      samples: getSnippets(settings, RESPONSE),
    },
    {
      ...shared,
      route: "responses.delete",
      operation_id: "deleteResponse",
      summary: "Delete a response",
      description: "Deletes a stored response. Responses that go on from it can no longer be gone on from.",
      parameters: [parameter("ResponseId")],
      answer: {
        description: "It is gone.",
        headers: ["RateLimit"],
        contents: [
          {
            type: "application/json",
            schema: DeletedResponse,
            example: { id: "resp_3kPq8sVn1XwZb7Yc2LdTfG", object: "response", deleted: true },
          },
        ],
      },
      samples: deleteSnippets(settings, RESPONSE),
    },
    {
      ...shared,
      route: "responses.input_items",
      operation_id: "listInputItems",
      summary: "List a response's input items",
      description:
        "The items that a stored response was given: those of the responses before it, and its own. An item that was sent " +
        "without an id has one here, by which an `item_reference` finds it.",
      parameters: [
        ...[parameter("ResponseId"), parameter("ItemLimit"), parameter("ItemOrder")],
        ...[parameter("ItemAfter"), parameter("Include")],
      ],
      answer: {
        description: "A page of the items.",
        headers: ["RateLimit"],
        contents: [
          {
            type: "application/json",
            schema: InputItemList,
            example: {
              object: "list",
              data: [ITEM],
              first_id: ITEM.id ?? null,
              last_id: ITEM.id ?? null,
              has_more: false,
            },
          },
        ],
      },
      samples: getSnippets(settings, `${RESPONSE}/input_items`),
    },
  ];
}

/** The schemas of answers about stored responses (docs/api.md 4.11). */

const DeletedResponse = Type.Object({
  id: Type.String(),
  object: Type.Literal("response"),
  deleted: Type.Literal(true),
});

const nullable = Type.Union([Type.String(), Type.Null()]);

/** Ids are null where the page has no items. */
const InputItemList = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(Type.Object({ id: Type.String() })),
  first_id: nullable,
  last_id: nullable,
  has_more: Type.Boolean(),
});
