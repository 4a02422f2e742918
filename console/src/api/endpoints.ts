import type { AdministrationCalls } from "../../../contract/administration.ts";
import type { ConsoleEndpoints } from "./endpoints/console.ts";
import type { SessionEndpoints } from "./endpoints/session.ts";

/** Every call of the console API that the console makes: "METHOD /path" → the types of its input and answer. */
interface Endpoints extends AdministrationCalls, ConsoleEndpoints, SessionEndpoints {}

export type EndpointName = keyof Endpoints;

type PathFields<Path extends string> = Path extends `${string}{${infer Field}}${infer Rest}`
  ? { [Name in Field]: string } & PathFields<Rest>
  : unknown;

/** The input of a call: the path's fields by name, and the query and the body where the endpoint has them. */
export type InputOf<Name extends EndpointName> = (Name extends `${string}{${string}`
  ? { path: PathFields<Name> }
  : unknown) &
  (Endpoints[Name] extends { query: infer Query } ? { query?: Query } : unknown) &
  (Endpoints[Name] extends { body: infer Body }
    ? { body: Body /** Makes the change once: the `Idempotency-Key`. */; once?: string }
    : unknown);

export type AnswerOf<Name extends EndpointName> = Endpoints[Name]["answer"];

/** Endpoints that only read, for queries. */
export type ReadName = Extract<EndpointName, `GET ${string}`>;
/** Endpoints that change something, for mutations. */
export type ChangeName = Exclude<EndpointName, ReadName>;
