import type { Draw } from "../../torture/draw.ts";
import { carry } from "./carry.ts";
import type { PlannedStep } from "./fuzz-case.ts";

const PATHS: readonly [route: PlannedStep["route"], target: string][] = [
  ["models.list", "/v1/models"],
  ["models.list", "/v1/models?kind=all"],
  ["models.list", "/v1/models?kind=decision&limit=3&after_id=x"],
  ["models.list", "/v1/models?kind=%zz&kind=chat"],
  ["models.retrieve", "/v1/models/chat%2Fm1"],
  ["models.retrieve", "/v1/models/chat/m2"],
  ["models.retrieve", "/v1/models/%ff%00"],
  ["models.retrieve", "/v1/models/__proto__"],
  ["usage", "/v1/usage"],
  ["usage", "/v1/usage?x=1"],
  ["credits", "/v1/credits"],
  ["requests.retrieve", "/v1/requests/req_0000000000000000000000"],
  ["requests.retrieve", "/v1/requests/%E6%BC%A2?a=b"],
  ["responses.retrieve", "/v1/responses/resp_0000000000000000000000"],
  ["responses.retrieve", "/v1/responses/x?stream=true"],
  ["responses.retrieve", "/v1/responses/x?include=a&starting_after=1"],
  ["responses.input_items", "/v1/responses/resp_x/input_items?limit=101"],
  ["responses.delete", "/v1/responses/%2e%2e%2f"],
  ["healthz", "/healthz"],
  ["readyz", "/readyz"],
  ["openapi", "/openapi.json"],
  ["unknown", "/v1"],
  ["unknown", "/v1/nothing"],
  ["unknown", "/v1/messages/nothing"],
  ["unknown", "/../etc/passwd"],
  ["unknown", "/v1/chat/completions/%2F"],
];
const METHODS = [
  "GET",
  "GET",
  "GET",
  "GET",
  "GET",
  "GET",
  "POST",
  "DELETE",
  "PUT",
  "PATCH",
  "OPTIONS",
  "HEAD",
  "TRACE",
  "X-Y",
];

/** A request that is not billed. */
export function freeStep(draw: Draw): PlannedStep {
  const [route, target] = draw.one(PATHS);
  const method = route === "responses.delete" && draw.chance(0.8) ? "DELETE" : draw.one(METHODS);
  const body = method === "GET" || method === "HEAD" ? null : Buffer.from(draw.one(["", "{}", "x"]));
  return carry({ route, method, target, body: draw.chance(0.05) ? Buffer.from("{}") : body, vendor: null }, draw);
}
